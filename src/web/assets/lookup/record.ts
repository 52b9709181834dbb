import type { RevealBody } from '../lib/api.ts'
import { html } from '../lib/html.ts'
import { useResource, type Read } from '../lib/resource.ts'
import { bytes, count, plural } from '../lib/words.ts'
import { Card, Facts, Hash, Loaded } from '../parts/basics.ts'
import { columns, Table } from '../parts/table.ts'
import { hexOf, zoneOf, type ZoneRow } from './reveal.ts'

/** The Reveal of a name, null for none: what anybody gets. */
export const useReveal = (name: string | null): Read<RevealBody> =>
  useResource(name === null ? null : `/api/resolve/${encodeURIComponent(name)}`, { every: Infinity })

/** What the owner published: the records, and what they are signed with. */
export const Record = ({ reveal, name }: { reveal: Read<RevealBody>; name: string }) => html`
  <${Card} title="What it holds">
    <${Loaded} of=${reveal}>
      ${(shown: RevealBody) =>
        html`<${Zone} reveal=${shown} name=${name} />
          <details class="more">
            <summary>The record</summary>
            <${Facts}
              facts=${[
                ['Public key', html`<${Hash} text=${hexOf(shown.pubkey)} what="public key" />`],
                ['Pulse', `round ${count(shown.drand_pulse)}`],
                ['Work', `${count(shown.iterations)} squarings, one after the other`],
                ['Proof', bytes(atob(shown.vdf_proof).length)],
                ['Signature', html`<${Hash} text=${shown.signature} what="signature" />`]
              ]}
            />
          </details>`}
    <//>
  <//>
`

function Zone({ reveal, name }: { reveal: RevealBody; name: string }) {
  const zone = zoneOf(reveal)
  if (zone === undefined) return html`<p>Its payload is no zone.</p>`
  if (zone.rows.length === 0)
    return html`<p>The zone of ${name} is empty${zone.serial === null ? '' : ` (serial ${zone.serial})`}.</p>`
  return html`
    <p class="quiet">
      ${plural(zone.rows.length, 'record')}, serial ${zone.serial}. This is what the owner has signed.
    </p>
    <${Table}
      caption="Records of ${name}"
      columns=${columns<ZoneRow>([
        { title: 'Label', cell: ({ label }) => html`<code>${label}</code>` },
        { title: 'Type', cell: ({ type }) => type },
        { title: 'Value', class: 'value-cell', cell: ({ value }) => html`<code>${value}</code>` },
        { title: 'TTL', isNumber: true, cell: ({ ttl }) => (ttl === undefined ? 'default' : `${count(ttl)} s`) }
      ])}
      rows=${zone.rows}
      keyOf=${({ key }: ZoneRow) => key}
    />
  `
}
