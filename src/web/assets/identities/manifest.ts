import { html } from '../lib/html.ts'
import { useNow } from '../lib/store.ts'
import { dateTime, relative } from '../lib/words.ts'
import { Badge, Card, Facts, When } from '../parts/basics.ts'
import { columns, Table } from '../parts/table.ts'
import { Json } from './json.ts'
import { fragmentOf, type Capability, type ManifestDocument } from './words.ts'

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
