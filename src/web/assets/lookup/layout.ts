/**
 * Where each peer goes in the picture of an explanation. Pure. The name is in the middle; a peer is the farther out, the
 * farther it is from the name in the key space. Peers of one address prefix are neighbours, under one arc.
 */

/** Distances differ by orders of magnitude; this spreads the near ones. */
const SPREAD = 24
/** The gap between two prefixes, in places of a peer. */
const PREFIX_GAP = 0.7
const MARGIN = { wide: 66, narrow: 22 }
/** Of the disc of the name. */
const CORE = { wide: 58, narrow: 50 }

/** `a.b.0.0/16` of `a.b.c.0/24`, the first two groups of a /48: neighbours of one provider. */
function wideOf(prefix) {
  if (prefix === null) return ''
  return prefix.includes(':') ? prefix.split(':').slice(0, 2).join(':') : prefix.split('.').slice(0, 2).join('.')
}

/** Every peer that was asked, in the order of the picture and of its table: nearest first. */
export function peersOf({ answers, asked, owner, candidates }) {
  const owners = ownersOf({ owner, candidates, answers })
  const answered = answers.map((answer) => ({ ...answer, kind: kindOf(answer, owners) }))
  const silent = asked.silent.map((peer) => ({
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
export function ownersOf({ owner, candidates, answers }) {
  const named = [...(owner === null ? [] : [owner]), ...candidates.map((each) => each.owner)]
  for (const answer of answers) if (answer.owner !== null) named.push(answer.owner)
  return [...new Set(named)]
}

/** `first`: names the first of the owners; `other`: another key; `unproved`: a claim that nobody shows. */
function kindOf({ state, owner }, owners) {
  if (state === 'none') return 'none'
  if (owner === null) return 'unproved'
  return owner === owners[0] ? 'first' : 'other'
}

/** 0 (the name itself) to 1 (the farthest shown). */
const fraction = (distance, farthest) =>
  farthest === 0 ? 0 : Math.log1p((SPREAD * distance) / farthest) / Math.log1p(SPREAD)

/**
 * @param explanation of GET /api/explain/{name}
 * @param size 'wide' or 'narrow': the labels of prefixes need room
 * @returns `{width, height, centre, core, reach, peers, arcs}`; `reach` is the radius within which holders are
 * expected, null where all of the network is. Angles begin at the top and go clockwise.
 */
export function layout(explanation, size = 'wide') {
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
  const away = (distance) => room.from + (room.to - room.from) * fraction(distance, farthest)
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

export function pointAt(centre, distance, angle) {
  const round = (value) => Math.round(value * 100) / 100
  return { x: round(centre.x + distance * Math.sin(angle)), y: round(centre.y - distance * Math.cos(angle)) }
}

/** Peers with their angles: prefixes together, those of one provider beside each other. */
function angles(peers) {
  const groups = new Map()
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
function arcsOf(placed, centre, distance) {
  const groups = new Map()
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

function arcPath(centre, distance, from, to) {
  const [start, end] = [pointAt(centre, distance, from), pointAt(centre, distance, to)]
  return `M${start.x} ${start.y}A${distance} ${distance} 0 ${to - from > Math.PI ? 1 : 0} 1 ${end.x} ${end.y}`
}
