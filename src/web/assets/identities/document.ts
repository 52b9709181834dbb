import {
  type Capability,
  changesOf,
  type DidDocument,
  fragmentOf,
  type Key,
  keysOf,
  type ManifestDocument,
  type Proof,
  type Service,
  servicesOf
} from './words.ts'
import { type Children, html, useNow } from '../lib/html.ts'
import { dateTime, plural, relative } from '../lib/words.ts'
import { Badge, Card, Copy, Facts, Hash, When } from '../parts/basics.ts'
import { columns, Table } from '../parts/table.ts'

export function Document({ document, actions }: { document: DidDocument; actions: Children }) {
  const keys = keysOf(document)
  const services = servicesOf(document)
  return html`
    <${Card} title="Document" actions=${actions}>
      <div class="stack">
        <${Facts}
          facts=${[
            ['DID', html`<${Hash} text=${document.id} what="DID" head=${24} tail=${10} />`],
            [
              'State',
              html`<${Badge} tone=${document.deactivated === true ? 'quiet' : 'good'}
                >${document.deactivated === true ? 'deactivated' : 'active'}<//
              >`
            ],
            ['Version', document.version],
            (document.alsoKnownAs ?? []).length > 0 && ['Also known as', document.alsoKnownAs?.join(', ')]
          ]}
        />
        ${
          keys.length > 0 &&
          html`<${Table}
            caption="Keys of the identity"
            columns=${columns<Key>([
              { title: 'Key', cell: ({ id }) => html`<code>${id}</code>` },
              { title: 'What it does', cell: ({ purposes }) => purposes.join(', ') || 'nothing by itself' },
              { title: 'Type', cell: ({ type }) => type },
              { title: 'Public key', cell: ({ key }) => html`<${Hash} text=${key} what="public key" />` }
            ])}
            rows=${keys}
            keyOf=${({ id }: Key) => id}
          />`
        }
        ${
          services.length > 0 &&
          html`<${Table}
            caption="Services of the identity"
            columns=${columns<Service>([
              { title: 'Service', cell: ({ id }) => html`<code>${id}</code>` },
              { title: 'Type', cell: ({ type }) => type },
              { title: 'Endpoint', class: 'value-cell', cell: ({ endpoint }) => html`<code>${endpoint}</code>` }
            ])}
            rows=${services}
            keyOf=${({ id }: Service) => id}
          />`
        }
        <${Json} value=${document} title="The document as JSON" />
      </div>
    <//>
  `
}

/** What the identity offers; `manifest` null where none is known. */
export function Manifest({ manifest }: { manifest: ManifestDocument | null }) {
  const now = useNow(60_000)
  if (manifest === null)
    return html`<${Card} title="Manifest"
      ><p class="quiet">No manifest is known: this identity says nothing of what it offers.</p><//
    >`
  const { version, validFrom, validUntil, capabilities } = manifest
  const isOver = validUntil !== undefined && Date.parse(validUntil) < now
  return html`
    <${Card}
      title="Manifest"
      actions=${html`<${Badge} tone=${isOver ? 'warn' : 'good'}>${isOver ? 'expired' : 'valid'}<//>`}
    >
      <div class="stack">
        <${Facts}
          facts=${[
            ['Version', version],
            validFrom !== undefined && ['Valid since', html`<${When} at=${validFrom}>${dateTime(validFrom)}<//>`],
            validUntil !== undefined && [
              'Valid until',
              html`<${When} at=${validUntil}>${dateTime(validUntil)}<//> (${relative(Date.parse(validUntil), now)})`
            ]
          ]}
        />
        ${
          capabilities.length === 0
            ? html`<p class="quiet">It offers nothing.</p>`
            : html`<${Table}
                caption="What the identity offers"
                columns=${columns<Capability>([
                  { title: 'Capability', cell: ({ id }) => html`<code>${fragmentOf(id)}</code>` },
                  {
                    title: 'Type',
                    cell: ({ type, description }) =>
                      html`${type}${description && html`<span class="hint">${description}</span>`}`
                  },
                  { title: 'Protocol', cell: ({ protocol }) => protocol },
                  { title: 'Endpoint', class: 'value-cell', cell: ({ endpoint }) => html`<code>${endpoint}</code>` }
                ])}
                rows=${capabilities}
                keyOf=${({ id }: Capability) => id}
              />`
        }
        <${Json} value=${manifest} title="The manifest as JSON" />
      </div>
    <//>
  `
}

/** Every version of a document with what it changed, the newest first. */
export const History = ({ versions }: { versions: readonly DidDocument[] }) => html`
  <p class="quiet">${plural(versions.length, 'version')}, each signed by a key of the one before.</p>
  <ol class="history">
    ${versions
      .map((version, index) => ({ version, former: versions[index - 1] }))
      .toReversed()
      .map(({ version, former }) => {
        const at = createdOf(version)
        return html`<li key=${version.version}>
          <div class="row">
            <strong>Version ${version.version}</strong>
            ${at && html`<span class="quiet"><${When} at=${at}>${dateTime(at)}<//></span>`}
          </div>
          <ul class="notes">
            ${changesOf(former, version).map((change) => html`<li key=${change}>${change}</li>`)}
          </ul>
          <${Json} value=${version} title="Version ${version.version} as JSON" />
        </li>`
      })}
  </ol>
`

function createdOf({ proof }: DidDocument): string | undefined {
  const [first] = [proof].flat() as (Proof | undefined)[]
  const at = first?.created
  return at !== undefined && !Number.isNaN(Date.parse(at)) ? at : undefined
}

/** A value as text, folded away at first. */
export function Json({ value, title }: { value: unknown; title: string }) {
  const text = JSON.stringify(value, undefined, 2)
  return html`
    <details class="more">
      <summary>${title}</summary>
      <div class="json">
        <pre tabindex="0" aria-label=${title}>${text}</pre>
        <${Copy} text=${text} what="JSON" />
      </div>
    </details>
  `
}
