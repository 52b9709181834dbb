import { h, html, useNow, type Children } from '../lib/html.ts'
import { plural, relative } from '../lib/words.ts'
import { Badge, Card, facts, Hash, Lines, When } from '../parts/basics.ts'
import { table } from '../parts/table.ts'
import {
  changesOf,
  fragmentOf,
  keysOf,
  servicesOf,
  type DidDocument,
  type ManifestDocument,
  type Proof
} from './words.ts'

export function DocumentCard({ document, actions }: { document: DidDocument; actions: Children }) {
  const keys = keysOf(document)
  const services = servicesOf(document)
  const isOff = document.deactivated === true
  return html`
    <${Card} title="Document" actions=${actions}>
      <div class="stack">
        ${facts([
          ['DID', h(Hash, { text: document.id, what: 'DID', head: 24, tail: 10 })],
          ['State', h(Badge, { tone: isOff ? 'quiet' : 'good' }, isOff ? 'deactivated' : 'active')],
          ['Version', document.version],
          (document.alsoKnownAs ?? []).length > 0 && ['Also known as', document.alsoKnownAs?.join(', ')]
        ])}
        ${
          keys.length > 0 &&
          table({
            caption: 'Keys of the identity',
            rows: keys,
            keyOf: ({ id }) => id,
            columns: [
              { title: 'Key', cell: ({ id }) => html`<code>${id}</code>` },
              { title: 'What it does', cell: ({ purposes }) => purposes.join(', ') || 'nothing by itself' },
              { title: 'Type', cell: ({ type }) => type },
              { title: 'Public key', cell: ({ key }) => h(Hash, { text: key, what: 'public key' }) }
            ]
          })
        }
        ${
          services.length > 0 &&
          table({
            caption: 'Services of the identity',
            rows: services,
            keyOf: ({ id }) => id,
            columns: [
              { title: 'Service', cell: ({ id }) => html`<code>${id}</code>` },
              { title: 'Type', cell: ({ type }) => type },
              { title: 'Endpoint', class: 'value-cell', cell: ({ endpoint }) => html`<code>${endpoint}</code>` }
            ]
          })
        }
        ${json('The document as JSON', document)}
      </div>
    <//>
  `
}

/** What the identity offers; `manifest` null where none is known. */
interface ManifestCardProps {
  readonly manifest: ManifestDocument | null
  /** Most of the peers that should hold it answered. */
  readonly isAnswered: boolean
}

export function ManifestCard({ manifest, isAnswered }: ManifestCardProps) {
  const now = useNow(60_000)
  if (manifest === null)
    return html`<${Card} title="Manifest"
      ><p class="quiet">
        ${
          isAnswered
            ? 'No manifest is known: this identity says nothing of what it offers.'
            : 'Too few peers answered to say whether there is one. Ask again in a minute.'
        }
      </p><//
    >`
  const { version, validFrom, validUntil, capabilities } = manifest
  const isOver = validUntil !== undefined && Date.parse(validUntil) < now
  return html`
    <${Card} title="Manifest" actions=${h(Badge, { tone: isOver ? 'warn' : 'good' }, isOver ? 'expired' : 'valid')}>
      <div class="stack">
        ${facts([
          ['Version', version],
          validFrom !== undefined && ['Valid since', h(When, { at: validFrom })],
          validUntil !== undefined && [
            'Valid until',
            html`<${When} at=${validUntil} /> (${relative(Date.parse(validUntil), now)})`
          ]
        ])}
        ${
          capabilities.length === 0
            ? html`<p class="quiet">It offers nothing.</p>`
            : table({
                caption: 'What the identity offers',
                rows: capabilities,
                keyOf: ({ id }) => id,
                columns: [
                  { title: 'Capability', cell: ({ id }) => html`<code>${fragmentOf(id)}</code>` },
                  {
                    title: 'Type',
                    cell: ({ type, description }) => [
                      type,
                      description && html`<span class="hint">${description}</span>`
                    ]
                  },
                  { title: 'Protocol', cell: ({ protocol }) => protocol },
                  { title: 'Endpoint', class: 'value-cell', cell: ({ endpoint }) => html`<code>${endpoint}</code>` }
                ]
              })
        }
        ${json('The manifest as JSON', manifest)}
      </div>
    <//>
  `
}

/** Every version of a document with what it changed, the newest first. */
export const History = ({ versions }: { versions: readonly DidDocument[] }) => html`
  <p class="quiet">${plural(versions.length, 'version')}, each signed by a key of the one before.</p>
  <ol class="history">
    ${versions
      .map((version, index) => {
        const at = createdOf(version)
        return html`<li key=${version.version}>
          <div class="row">
            <strong>Version ${version.version}</strong>
            ${at && html`<span class="quiet"><${When} at=${at} /></span>`}
          </div>
          <ul class="notes">
            ${changesOf(versions[index - 1], version).map((change) => html`<li key=${change}>${change}</li>`)}
          </ul>
          ${json(`Version ${version.version} as JSON`, version)}
        </li>`
      })
      .toReversed()}
  </ol>
`

function createdOf({ proof }: DidDocument): string | undefined {
  const [first] = [proof].flat() as (Proof | undefined)[]
  const at = first?.created
  return at !== undefined && !Number.isNaN(Date.parse(at)) ? at : undefined
}

/** A value as text, folded away at first. */
function json(title: string, value: unknown) {
  const text = JSON.stringify(value, undefined, 2)
  return html`
    <details class="more">
      <summary>${title}</summary>
      ${h(Lines, { text, label: title, what: 'JSON' })}
    </details>
  `
}
