import type { Explanation } from '../lib/api.ts'
import { html, useEffect, useMemo, useRef, useState } from '../lib/html.ts'
import { plural } from '../lib/words.ts'
import { type AskedPeer, type Kind, layout, type Layout, peersOf, type PlacedPeer, type Size } from './layout.ts'
import { distanceText, kindWords, pictureText, saidBy } from './words.ts'
import { Badge, Hash, type Tone } from '../parts/basics.ts'
import { type Column, Table } from '../parts/table.ts'

/** Below this width, in pixels, labels would be too small to read. */
const NARROW = 520

/** Shapes as well as colours tell the answers apart. */
function Mark({ kind, self = false, x, y }: { kind: Kind; self?: boolean; x: number; y: number }) {
  const size = 12
  return html`
    ${self && html`<circle class="self" cx=${x} cy=${y} r=${size + 6} />`}
    ${
      kind === 'other'
        ? html`<path class="mark ${kind}" d="M${x} ${y - 15}l15 15l-15 15l-15 -15z" />`
        : html`<circle class="mark ${kind}" cx=${x} cy=${y} r=${size} />`
    }
  `
}

function Peer({
  peer,
  centre,
  core,
  marked,
  onMark
}: Pick<Layout, 'centre' | 'core'> & Omit<Marked, 'explanation'> & { peer: PlacedPeer }) {
  const { x, y, kind, number, vote, angle } = peer
  const from = { x: centre.x + core * Math.sin(angle), y: centre.y - core * Math.cos(angle) }
  const says = kind !== 'none' && kind !== 'silent'
  return html`
    <g
      class="peer ${kind} ${marked === number ? 'is-marked' : ''}"
      onMouseEnter=${() => onMark(number)}
      onMouseLeave=${() => onMark(undefined)}
    >
      <title>${`Peer ${number}: ${saidBy(peer)}`}</title>
      ${says && html`<line class=${vote ? 'vote' : 'no-vote'} x1=${from.x} y1=${from.y} x2=${x} y2=${y} />`}
      <${Mark} ...${peer} />
      <text x=${x} y=${y} dy=".36em" text-anchor="middle">${number}</text>
    </g>
  `
}

/** The name in the middle, the peers around it. */
export function Picture({ explanation, marked, onMark }: Marked) {
  const frame = useRef<HTMLElement>(null)
  const [size, setSize] = useState<Size>('wide')
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setSize(entry!.contentRect.width < NARROW ? 'narrow' : 'wide'))
    observer.observe(frame.current!)
    return () => observer.disconnect()
  }, [])
  const picture = useMemo(() => layout(explanation, size), [explanation, size])
  const { width, height, centre, core, reach, peers, arcs } = picture
  const [label, suffix] = splitName(explanation.name)
  const sorted = [...peers].sort((left, right) => Number(left.number === marked) - Number(right.number === marked))
  return html`
    <figure class="picture ${explanation.owner === null ? 'has-no-owner' : ''}" ref=${frame}>
      <svg viewBox="0 0 ${width} ${height}" role="img" aria-label=${pictureText(explanation, picture)}>
        <circle class="space" cx=${centre.x} cy=${centre.y} r=${picture.outer} />
        ${reach !== null && html`<circle class="reach" cx=${centre.x} cy=${centre.y} r=${reach} />`}
        ${arcs.map(
          ({ prefix, path, label: at, anchor }) => html`
            <g key=${prefix}>
              <path class="arc" d=${path} />
              <text class="prefix" x=${at.x} y=${at.y} dy=".35em" text-anchor=${anchor}>${prefix}</text>
            </g>
          `
        )}
        ${sorted.map(
          (peer) =>
            html`<${Peer}
              key=${peer.peer}
              peer=${peer}
              centre=${centre}
              core=${core}
              marked=${marked}
              onMark=${onMark}
            />`
        )}
        <circle class="core ${explanation.state}" cx=${centre.x} cy=${centre.y} r=${core} />
        <text
          class="core-name ${label.length > LONG_LABEL ? 'is-long' : ''}"
          x=${centre.x}
          y=${centre.y}
          dy=${suffix === '' ? '.35em' : '-.1em'}
          text-anchor="middle"
        >
          ${label}
        </text>
        <text class="core-suffix" x=${centre.x} y=${centre.y} dy="1.15em" text-anchor="middle">${suffix}</text>
      </svg>
      <${Legend} words=${kindWords(explanation)} peers=${peers} hasReach=${reach !== null} />
    </figure>
  `
}

const MAX_LABEL = 14
/** Longer ones are written smaller, to fit into the disc. */
const LONG_LABEL = 9

function splitName(name: string): readonly [string, string] {
  const dot = name.indexOf('.')
  const label = dot < 0 ? name : name.slice(0, dot)
  return [label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…` : label, dot < 0 ? '' : name.slice(dot)]
}

function Legend({
  words: all,
  peers,
  hasReach
}: {
  words: Readonly<Record<Kind, string>>
  peers: readonly PlacedPeer[]
  hasReach: boolean
}) {
  const shown = Object.entries(all).filter(([kind]) => peers.some((peer) => peer.kind === kind))
  return html`
    <figcaption class="legend">
      ${shown.map(
        ([kind, words]) =>
          html`<span key=${kind}>
            <svg viewBox="0 0 36 36" class="peer ${kind}" aria-hidden="true">
              <${Mark} kind=${kind} x=${18} y=${18} />
            </svg>
            ${words}
          </span>`
      )}
      ${
        peers.some(({ self }) => self) &&
        html`<span
          ><svg viewBox="0 0 36 36" class="peer first" aria-hidden="true">
            <circle class="self" cx="18" cy="18" r="15" /></svg
          >this daemon</span
        >`
      }
      ${
        hasReach &&
        html`<span
          ><svg viewBox="0 0 36 36" aria-hidden="true"><circle class="reach" cx="18" cy="18" r="14" /></svg>where
          holders are expected</span
        >`
      }
      <span class="quiet">Nearer to the middle: nearer to the name in the key space. A full line is a vote.</span>
    </figcaption>
  `
}

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
