import type { Explanation, RevealBody, ZoneBody } from '../lib/api.ts'
import { html } from '../lib/html.ts'
import { type Read, useResource } from '../lib/resource.ts'
import { to } from '../lib/router.ts'
import { bytes, count, ends, plural } from '../lib/words.ts'
import { Badge, Card, Facts, Hash, LinkButton, Loaded } from '../parts/basics.ts'
import { columns, Table } from '../parts/table.ts'

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

export const hexOf = (numbers: readonly number[]): string =>
  numbers.map((each) => each.toString(16).padStart(2, '0')).join('')

export interface ZoneRow {
  readonly key: string
  readonly label: string
  readonly type: string
  readonly value: string
  readonly ttl: number | undefined
}

/** Of its payload, the apex first; undefined for what is no zone. */
export function zoneOf({
  payload
}: Pick<RevealBody, 'payload'>): { serial: number | null; rows: ZoneRow[] } | undefined {
  try {
    const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0))
    const { serial = null, records } = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as ZoneBody
    const rows = Object.entries(records)
      .sort(([left], [right]) => (left === '@' ? -1 : right === '@' ? 1 : left < right ? -1 : 1))
      .flatMap(([label, all]) =>
        all.map(({ type, value, ttl }) => ({ key: `${label} ${type} ${value}`, label, type, value, ttl }))
      )
    return { serial, rows }
  } catch {
    return undefined
  }
}

type OwnExplanation = NonNullable<Explanation['own']>
type ReceiptList = NonNullable<OwnExplanation['receipts']>
type Receipt = ReceiptList['receipts'][number]

/** What only the owner of this daemon sees: the claim, who confirmed its commitment, and the work on it. */
export const Own = ({
  own: { name, claim, receipts, tasks },
  name: text
}: {
  own: OwnExplanation
  name: string
}) => html`
  <${Card}
    title="Yours"
    actions=${name !== null && html`<${LinkButton} kind="small" icon="zone" href=${to('names', text, 'zone')}>Edit its zone<//>`}
  >
    <div class="stack">
      ${
        claim !== null &&
        html`<${Facts}
          facts=${[
            ['Claim', html`<${Hash} text=${claim.claim_id} what="claim id" />`],
            ['Commitment', html`<${Hash} text=${claim.commitment} what="commitment" />`],
            ['Pulse', `round ${count(claim.pulse_round)}`],
            ['Renewed', claim.renewals === 0 ? 'not yet' : plural(claim.renewals, 'time')]
          ]}
        />`
      }
      ${tasks
        .filter(({ status }) => status === 'running')
        .map(
          ({ task_id: id, kind, phase, paused }) =>
            html`<p key=${id}>
              A <a href="#/tasks">${kind === 'renew' ? 'renewal' : 'registration'}</a> of it is under way:
              ${' '}<${Badge} tone="accent">${paused ? 'paused' : phase}<//>
            </p>`
        )}
      ${receipts !== null && html`<${Receipts} receipts=${receipts} />`}
    </div>
  <//>
`

function Receipts({ receipts: { receipts, pulse_round: pulse } }: { receipts: ReceiptList }) {
  const inTime = receipts.filter(({ seen_round: seen }) => seen < pulse).length
  return html`
    <details class="more">
      <summary>
        ${inTime} of ${plural(receipts.length, 'peer')} confirmed by signature that they saw the commitment before its
        pulse
      </summary>
      <${Table}
        caption="Receipts of the commitment"
        columns=${columns<Receipt>([
          { title: 'Peer', cell: ({ peer }) => html`<code title=${peer}>${ends(peer)}</code>` },
          { title: 'Seen at round', isNumber: true, cell: ({ seen_round: seen }) => count(seen) },
          {
            title: 'Before the pulse',
            cell: ({ seen_round: seen }) =>
              seen < pulse ? html`<${Badge} tone="good">yes<//>` : html`<${Badge} tone="warn">no<//>`
          },
          { title: 'Signature', cell: ({ signature }) => html`<${Hash} text=${signature} what="signature" />` }
        ])}
        rows=${receipts}
        keyOf=${({ peer }: Receipt) => peer}
      />
    </details>
  `
}
