/** What each peer says of a name, as a picture and as a table. */
import type { Explanation } from '../lib/api.ts'
import { html, useEffect, useMemo, useRef, useState } from '../lib/html.ts'
import { plural } from '../lib/words.ts'
import { Badge, Hash, type Tone } from '../parts/basics.ts'
import { table } from '../parts/table.ts'
import { layout, peersOf, type Kind, type Layout, type PlacedPeer, type Size } from './layout.ts'
import { distanceText, kindWords, pictureText, saidBy } from './words.ts'

interface Marked {
  readonly explanation: Explanation
  /** The number of the peer that is pointed at, in the picture or the table. */
  readonly marked: number | undefined
  readonly onMark: (number: number | undefined) => void
}

/** Below this width, in pixels, labels would be too small to read. */
const NARROW = 520
const RADIUS = 12

/** Shapes as well as colours tell the answers apart. */
const mark = (kind: Kind, x: number, y: number) =>
  kind === 'other'
    ? html`<path class="mark ${kind}" d="M${x} ${y - 15}l15 15l-15 15l-15 -15z" />`
    : html`<circle class="mark ${kind}" cx=${x} cy=${y} r=${RADIUS} />`

function placed(peer: PlacedPeer, { centre, core }: Layout, { marked, onMark }: Omit<Marked, 'explanation'>) {
  const { x, y, kind, number, vote, angle, self } = peer
  const from = { x: centre.x + core * Math.sin(angle), y: centre.y - core * Math.cos(angle) }
  const says = kind !== 'none' && kind !== 'silent'
  return html`
    <g
      key=${peer.peer}
      class="peer ${kind} ${marked === number ? 'is-marked' : ''}"
      onMouseEnter=${() => onMark(number)}
      onMouseLeave=${() => onMark(undefined)}
    >
      <title>${`Peer ${number}: ${saidBy(peer)}`}</title>
      ${says && html`<line class=${vote ? 'vote' : 'no-vote'} x1=${from.x} y1=${from.y} x2=${x} y2=${y} />`}
      ${self && html`<circle class="self" cx=${x} cy=${y} r=${RADIUS + 6} />`} ${mark(kind, x, y)}
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
  const at = { cx: centre.x, cy: centre.y }
  const [label, suffix] = splitName(explanation.name)
  // What is pointed at is above the others.
  const sorted = peers.toSorted((left, right) => Number(left.number === marked) - Number(right.number === marked))
  return html`
    <figure class="picture ${explanation.owner === null ? 'has-no-owner' : ''}" ref=${frame}>
      <svg viewBox="0 0 ${width} ${height}" role="img" aria-label=${pictureText(explanation, picture)}>
        <circle class="space" ...${at} r=${picture.outer} />
        ${reach !== null && html`<circle class="reach" ...${at} r=${reach} />`}
        ${arcs.map(
          ({ prefix, path, label: { x, y }, anchor }) => html`
            <g key=${prefix}>
              <path class="arc" d=${path} />
              <text class="prefix" x=${x} y=${y} dy=".35em" text-anchor=${anchor}>${prefix}</text>
            </g>
          `
        )}
        ${sorted.map((peer) => placed(peer, picture, { marked, onMark }))}
        <circle class="core ${explanation.state}" ...${at} r=${core} />
        <text
          class="core-name ${label.length > LONG_LABEL ? 'is-long' : ''}"
          ...${centre}
          dy=${suffix === '' ? '.35em' : '-.1em'}
          text-anchor="middle"
        >
          ${label}
        </text>
        <text class="core-suffix" ...${centre} dy="1.15em" text-anchor="middle">${suffix}</text>
      </svg>
      ${legend(kindWords(explanation), peers, reach !== null)}
    </figure>
  `
}

const MAX_LABEL = 14
/** Longer ones are written smaller, to fit into the disc. */
const LONG_LABEL = 9

function splitName(name: string): readonly [string, string] {
  const [label = ''] = name.split('.', 1)
  return [label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…` : label, name.slice(label.length)]
}

function legend(words: Readonly<Record<Kind, string>>, peers: readonly PlacedPeer[], hasReach: boolean) {
  const kinds = (Object.keys(words) as Kind[]).filter((kind) => peers.some((peer) => peer.kind === kind))
  const sign = (shape: unknown, text: string, kind = '') =>
    html`<span key=${text}><svg viewBox="0 0 36 36" class=${kind} aria-hidden="true">${shape}</svg>${text}</span>`
  const ring = (name: string, radius: number) => html`<circle class=${name} cx="18" cy="18" r=${radius} />`
  return html`
    <figcaption class="legend">
      ${kinds.map((kind) => sign(mark(kind, 18, 18), words[kind], `peer ${kind}`))}
      ${peers.some(({ self }) => self) && sign(ring('self', 15), 'this daemon', 'peer first')}
      ${hasReach && sign(ring('reach', 14), 'where holders are expected')}
      <span class="quiet">
        Nearer to the middle: nearer to the name in the key space. A full line is a vote. The picture can't prove that
        these peers belong to different people, or that they answer others alike.
      </span>
    </figcaption>
  `
}

const TONES: Readonly<Record<Kind, Tone>> = { first: 'good', other: 'bad', unproved: 'warn', none: '', silent: 'quiet' }

/** Longer tables, and any in a narrow window, are folded away at first. */
const MOST_OPEN = 24

/** The picture as a table. */
export function Peers({ explanation, marked, onMark }: Marked) {
  const peers = useMemo(() => peersOf(explanation), [explanation])
  if (peers.length === 0) return html`<p class="quiet">No peer was asked.</p>`
  const words = kindWords(explanation)
  const toneOf = (kind: Kind) => (kind === 'first' && explanation.owner === null ? 'warn' : TONES[kind])
  return html`
    <details class="peers" open=${peers.length <= MOST_OPEN && matchMedia('(min-width: 40rem)').matches}>
      <summary>The same as a table: ${plural(peers.length, 'peer')}, nearest to the name first</summary>
      <div
        onMouseOver=${({ target }: MouseEvent) => onMark(rowNumber(target as Element))}
        onMouseLeave=${() => onMark(undefined)}
      >
        ${table({
          caption: `The peers that were asked about ${explanation.name}, nearest first`,
          rows: peers,
          keyOf: ({ peer }) => peer,
          toneOf: ({ number }) => (number === marked ? 'is-marked' : ''),
          columns: [
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
        })}
      </div>
    </details>
  `
}

const rowNumber = (target: Element): number | undefined => {
  const row = target.closest<HTMLTableRowElement>('tbody tr')
  return row === null ? undefined : row.sectionRowIndex + 1
}
