/** What a name holds, and what only its owner sees of it. */
import type { Explanation, RevealBody, ZoneBody } from '../lib/api.ts'
import { h, html } from '../lib/html.ts'
import { useResource, type Read } from '../lib/resource.ts'
import { to } from '../lib/router.ts'
import { bytes, count, ends, plural } from '../lib/words.ts'
import { Badge, Card, facts, Hash, LinkButton, loaded } from '../parts/basics.ts'
import { table } from '../parts/table.ts'

/** The Reveal of a name, null for none: what anybody gets. */
export const useReveal = (name: string | null): Read<RevealBody> =>
  useResource(name === null ? null : `/api/resolve/${encodeURIComponent(name)}`, { every: Infinity })

/** What the owner published: the records, and what they are signed with. */
export const Record = ({ reveal, name }: { reveal: Read<RevealBody>; name: string }) => html`
  <${Card} title="What it holds">
    ${loaded(
      reveal,
      (shown) => html`
        ${zone(shown, name)}
        <details class="more">
          <summary>The record</summary>
          ${facts([
            ['Public key', h(Hash, { text: hexOf(shown.pubkey), what: 'public key' })],
            ['Pulse', `round ${count(shown.drand_pulse)}`],
            ['Work', `${count(shown.iterations)} squarings, one after the other`],
            ['Proof', bytes(atob(shown.vdf_proof).length)],
            ['Signature', h(Hash, { text: shown.signature, what: 'signature' })]
          ])}
        </details>
      `
    )}
  <//>
`

function zone(reveal: RevealBody, name: string) {
  const found = zoneOf(reveal)
  if (found === undefined) return html`<p>Its payload is not a zone.</p>`
  const { serial, rows } = found
  if (rows.length === 0)
    return html`<p>The zone of ${name} is empty${serial === null ? '' : ` (serial ${serial})`}.</p>`
  return html`
    <p class="quiet">${plural(rows.length, 'record')}, serial ${serial}. This is what the owner has signed.</p>
    ${table({
      caption: `Records of ${name}`,
      rows,
      keyOf: ({ key }) => key,
      columns: [
        { title: 'Label', cell: ({ label }) => html`<code>${label}</code>` },
        { title: 'Type', cell: ({ type }) => type },
        { title: 'Value', class: 'value-cell', cell: ({ value }) => html`<code>${value}</code>` },
        { title: 'TTL', isNumber: true, cell: ({ ttl }) => (ttl === undefined ? 'default' : `${count(ttl)} s`) }
      ]
    })}
  `
}

export const hexOf = (numbers: readonly number[]): string =>
  numbers.map((each) => each.toString(16).padStart(2, '0')).join('')

interface ZoneRow {
  readonly key: string
  readonly label: string
  readonly type: string
  readonly value: string
  readonly ttl: number | undefined
}

/** The zone of a payload, the apex first; undefined for what is not a zone. */
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

interface OwnProps {
  readonly own: OwnExplanation
  readonly name: string
}

/** What only the owner of this daemon sees: the claim, who confirmed its commitment, and the work on it. */
export function Own({ own: { name: own, claim, receipts, tasks }, name }: OwnProps) {
  const edit = { kind: 'small', icon: 'zone', href: to('names', name, 'zone') } as const
  return html`
    <${Card} title="Yours" actions=${own !== null && h(LinkButton, edit, 'Edit its zone')}>
      <div class="stack">
        ${
          claim !== null &&
          facts([
            ['Claim', h(Hash, { text: claim.claim_id, what: 'claim id' })],
            ['Commitment', h(Hash, { text: claim.commitment, what: 'commitment' })],
            ['Pulse', `round ${count(claim.pulse_round)}`],
            ['Renewed', claim.renewals === 0 ? 'not yet' : plural(claim.renewals, 'time')]
          ])
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
        ${receipts !== null && receiptList(receipts)}
      </div>
    <//>
  `
}

function receiptList({ receipts: rows, pulse_round: pulse }: NonNullable<OwnExplanation['receipts']>) {
  const isInTime = ({ seen_round: seen }: (typeof rows)[number]) => seen < pulse
  return html`
    <details class="more">
      <summary>
        ${rows.filter(isInTime).length} of ${plural(rows.length, 'peer')} confirmed by signature that they saw the
        commitment before its pulse
      </summary>
      ${table({
        caption: 'Receipts of the commitment',
        rows,
        keyOf: ({ peer }) => peer,
        columns: [
          { title: 'Peer', cell: ({ peer }) => html`<code title=${peer}>${ends(peer)}</code>` },
          { title: 'Seen at round', isNumber: true, cell: ({ seen_round: seen }) => count(seen) },
          {
            title: 'Before the pulse',
            cell: (receipt) => h(Badge, { tone: isInTime(receipt) ? 'good' : 'warn' }, isInTime(receipt) ? 'yes' : 'no')
          },
          { title: 'Signature', cell: ({ signature }) => h(Hash, { text: signature, what: 'signature' }) }
        ]
      })}
    </details>
  `
}
