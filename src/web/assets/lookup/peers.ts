import type { Explanation } from '../lib/api.ts'
import { html, useMemo } from '../lib/html.ts'
import { plural } from '../lib/words.ts'
import { Badge, Hash, type Tone } from '../parts/basics.ts'
import { Table, type Column } from '../parts/table.ts'
import { peersOf, type AskedPeer, type Kind } from './layout.ts'
import { distanceText, kindWords, saidBy } from './words.ts'

const TONES: Readonly<Record<Kind, Tone>> = { first: 'good', other: 'bad', unproved: 'warn', none: '', silent: 'quiet' }

/** Longer tables, and any in a narrow window, are folded away at first. */
const MOST_OPEN = 24

export interface Marked {
  readonly explanation: Explanation
  /** The number of the peer that is pointed at, in the picture or the table. */
  readonly marked: number | undefined
  readonly onMark: (number: number | undefined) => void
}

/** The picture as a table. */
export function Peers({ explanation, marked, onMark }: Marked) {
  const peers = useMemo(() => peersOf(explanation), [explanation])
  if (peers.length === 0) return html`<p class="quiet">No peer was asked.</p>`
  const words = kindWords(explanation)
  const toneOf = (kind: Kind) => (kind === 'first' && explanation.owner === null ? 'warn' : TONES[kind])
  const columns: readonly Column<AskedPeer>[] = [
    { title: '#', cell: ({ number }) => number },
    {
      title: 'Peer',
      cell: ({ peer, self }) =>
        html`<${Hash} text=${peer} what="peer id" />${self && html` <${Badge} tone="accent">this daemon<//>`}`
    },
    {
      title: 'Says',
      cell: (peer) =>
        html`<${Badge} tone=${toneOf(peer.kind)}>${words[peer.kind]}<//>${' '}
          ${peer.kind !== 'none' && html`<span class="quiet">${saidBy(peer)}</span>`}`
    },
    { title: 'Vote', cell: ({ vote }) => (vote ? 'counts' : 'no') },
    {
      title: 'Prefix',
      cell: ({ prefix }) =>
        prefix === null ? html`<span class="quiet">—</span>` : html`<code class="unbroken">${prefix}</code>`
    },
    { title: 'Distance', isNumber: true, cell: ({ distance }) => distanceText(distance) }
  ]
  return html`
    <details class="peers" open=${peers.length <= MOST_OPEN && matchMedia('(min-width: 40rem)').matches}>
      <summary>The same as a table: ${plural(peers.length, 'peer')}, nearest to the name first</summary>
      <div
        onMouseOver=${({ target }: MouseEvent) => onMark(rowNumber(target as Element))}
        onMouseLeave=${() => onMark(undefined)}
      >
        <${Table}
          caption="The peers that were asked about ${explanation.name}, nearest first"
          columns=${columns}
          rows=${peers}
          keyOf=${({ peer }: AskedPeer) => peer}
          toneOf=${({ number }: AskedPeer) => (number === marked ? 'is-marked' : '')}
        />
      </div>
    </details>
  `
}

const rowNumber = (target: Element): number | undefined => {
  const row = target.closest<HTMLTableRowElement>('tbody tr')
  return row === null ? undefined : row.sectionRowIndex + 1
}
