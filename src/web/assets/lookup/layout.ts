/**
 * Where each peer goes in the picture of an explanation. Pure. The name is in the middle; a peer is the farther out, the
 * farther it is from the name in the key space. Peers of one address prefix are neighbours, under one arc.
 */
import type { Explanation } from '../lib/api.ts'

type Answer = Explanation['answers'][number]
export type Kind = 'first' | 'other' | 'unproved' | 'none' | 'silent'

/** A peer that was asked. */
export interface AskedPeer extends Omit<Answer, 'state'> {
  readonly state: Answer['state'] | null
  readonly kind: Kind
  /** Why it is silent. */
  readonly reason?: string
  /** In the table, from 1. */
  readonly number: number
}
interface Point {
  readonly x: number
  readonly y: number
}
export type PlacedPeer = AskedPeer & Point & { readonly angle: number }

interface Arc {
  readonly prefix: string
  readonly count: number
  readonly path: string
  readonly label: Point
  readonly anchor: 'start' | 'middle' | 'end'
}

/** Angles begin at the top and go clockwise. */
export interface Layout {
  readonly width: number
  readonly height: number
  readonly centre: Point
  readonly core: number
  readonly outer: number
  /** The radius within which holders are expected, null where all of the network is. */
  readonly reach: number | null
  readonly peers: readonly PlacedPeer[]
  readonly arcs: readonly Arc[]
}
export type Size = 'wide' | 'narrow'

type Asked = Pick<Explanation, 'answers' | 'asked' | 'owner' | 'candidates'>

/** Distances differ by orders of magnitude; this spreads the near ones. */
const SPREAD = 24
/** The gap between two prefixes, in places of a peer. */
const PREFIX_GAP = 0.7
const MARGIN = { wide: 66, narrow: 22 }
/** The radius of the disc of the name. */
const CORE = { wide: 58, narrow: 50 }

/** `a.b.0.0/16` of `a.b.c.0/24`, the first two groups of a /48: neighbours of one provider. */
function wideOf(prefix: string | null): string {
  if (prefix === null) return ''
  return prefix.includes(':') ? prefix.split(':').slice(0, 2).join(':') : prefix.split('.').slice(0, 2).join('.')
}

/** Every peer that was asked, in the order of the picture and of its table: nearest first. */
export function peersOf({ answers, asked, owner, candidates }: Asked): AskedPeer[] {
  const owners = ownersOf({ owner, candidates, answers })
  const answered = answers.map((answer): Omit<AskedPeer, 'number'> => ({ ...answer, kind: kindOf(answer, owners) }))
  const silent = asked.silent.map((peer): Omit<AskedPeer, 'number'> => ({
    ...peer,
    self: false,
    state: null,
    claim_id: null,
    serial: null,
    owner: null,
    vote: false,
    kind: 'silent'
  }))
  return [...answered, ...silent]
    .sort((left, right) => left.distance - right.distance)
    .map((peer, index) => ({ ...peer, number: index + 1 }))
}

/** The keys that peers name: the one that decided first, then by votes. */
function ownersOf({ owner, candidates, answers }: Omit<Asked, 'asked'>): string[] {
  const named = [...(owner === null ? [] : [owner]), ...candidates.map((each) => each.owner)]
  for (const answer of answers) if (answer.owner !== null) named.push(answer.owner)
  return [...new Set(named)]
}

/** `first`: names the first of the owners; `other`: another key; `unproved`: a claim that nobody shows. */
function kindOf({ state, owner }: Answer, owners: readonly string[]): Kind {
  if (state === 'none') return 'none'
  if (owner === null) return 'unproved'
  return owner === owners[0] ? 'first' : 'other'
}

/** 0 (the name itself) to 1 (the farthest shown). */
const fraction = (distance: number, farthest: number): number =>
  farthest === 0 ? 0 : Math.log1p((SPREAD * distance) / farthest) / Math.log1p(SPREAD)

/** `size`: the labels of prefixes need room. */
export function layout(explanation: Asked & Pick<Explanation, 'reach'>, size: Size = 'wide'): Layout {
  const side = size === 'wide' ? 500 : 340
  const [width, height] = size === 'wide' ? [640, 500] : [340, 340]
  const centre = { x: width / 2, y: height / 2 }
  const outer = side / 2 - MARGIN[size]
  const core = CORE[size]
  const peers = peersOf(explanation)
  const { radius } = explanation.reach
  const isWhole = radius >= 1
  const farthest = Math.max(0, ...peers.map(({ distance }) => distance), isWhole ? 0 : radius)
  const room = { from: core + 26, to: outer }
  const away = (distance: number) => room.from + (room.to - room.from) * fraction(distance, farthest)
  const placed = angles(peers).map(({ peer, angle }) => ({
    ...peer,
    angle,
    ...pointAt(centre, away(peer.distance), angle)
  }))
  return {
    width,
    height,
    centre,
    core,
    outer,
    reach: isWhole || peers.length === 0 ? null : away(radius),
    peers: placed.toSorted((left, right) => left.number - right.number),
    arcs: size === 'wide' ? arcsOf(placed, centre, outer + 22) : []
  }
}

function pointAt(centre: Point, distance: number, angle: number): Point {
  const round = (value: number) => Math.round(value * 100) / 100
  return { x: round(centre.x + distance * Math.sin(angle)), y: round(centre.y - distance * Math.cos(angle)) }
}

/** Peers with their angles: prefixes together, those of one provider beside each other. */
function angles(peers: readonly AskedPeer[]): { peer: AskedPeer; angle: number }[] {
  const groups = new Map<string, AskedPeer[]>()
  for (const peer of peers) {
    const key = `${wideOf(peer.prefix)} ${peer.prefix ?? peer.peer}`
    groups.set(key, [...(groups.get(key) ?? []), peer])
  }
  const inOrder = [...groups].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, members]) => members)
  const places = peers.length + PREFIX_GAP * inOrder.length
  let place = 0
  return inOrder.flatMap((members) => {
    const placed = members.map((peer, index) => ({ peer, angle: ((place + index) / places) * 2 * Math.PI }))
    place += members.length + PREFIX_GAP
    return placed
  })
}

/** An arc with a label for each prefix that is known. */
function arcsOf(placed: readonly PlacedPeer[], centre: Point, distance: number): Arc[] {
  const groups = new Map<string, number[]>()
  for (const peer of placed)
    if (peer.prefix !== null) groups.set(peer.prefix, [...(groups.get(peer.prefix) ?? []), peer.angle])
  const half = 0.4 * ((2 * Math.PI) / Math.max(6, placed.length))
  return [...groups].map(([prefix, all]) => {
    const [from, to] = [Math.min(...all) - half, Math.max(...all) + half]
    const middle = (from + to) / 2
    const label = pointAt(centre, distance + 10, middle)
    const sideways = Math.sin(middle)
    return {
      prefix,
      count: all.length,
      path: arcPath(centre, distance, from, to),
      label,
      anchor: Math.abs(sideways) < 0.25 ? 'middle' : sideways > 0 ? 'start' : 'end'
    }
  })
}

function arcPath(centre: Point, distance: number, from: number, to: number): string {
  const [start, end] = [pointAt(centre, distance, from), pointAt(centre, distance, to)]
  return `M${start.x} ${start.y}A${distance} ${distance} 0 ${to - from > Math.PI ? 1 : 0} 1 ${end.x} ${end.y}`
}
