import type { Explanation } from '../lib/api.ts'
import { html } from '../lib/html.ts'
import { to } from '../lib/router.ts'
import { count, ends, plural } from '../lib/words.ts'
import { Badge, Card, Facts, Hash, LinkButton } from '../parts/basics.ts'
import { columns, Table } from '../parts/table.ts'

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
