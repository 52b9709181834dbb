/**
 * Which open connection gives way when there are too many [idle connections of one address]. Pure; keep-places.ts
 * applies it to libp2p, whose own limit refuses any newcomer.
 */
import { widePrefix, type DiversityLimits } from '../../protocol/neighbourhood/diversity.ts'

export interface ConnectionPlaces {
  readonly all: number
  /** Part of all that is closed to inbound strangers: for our own dials and the nearest peers of the routing table. */
  readonly kept: number
  readonly peer: number
  /** Places for one /24 or /48, and for one /16 or /32, where the profile limits each. */
  readonly prefix: number
  readonly widePrefix: number
}

/**
 * - all: libp2p's default, and what nodes have been measured with (docs/verification.md).
 * - kept: the 20 neighbours, and four parallel look-ups of some 20 peers each.
 * - peer: two nodes that dial each other simultaneously have two connections; the third is for a dial-back.
 * - prefix: one address of an office or a home may have dozens of nodes. Beyond 32 they take turns, since idle ones
 *   give way, and one address has a tenth of all.
 * - widePrefix: twice as much, for a provider's many customers. Four of these can fill the strangers' places, and then
 *   the fullest gives way to newcomers.
 */
export const CONNECTION_PLACES: ConnectionPlaces = { all: 300, kept: 100, peer: 3, prefix: 32, widePrefix: 64 }

export interface OpenConnection {
  readonly peer: string
  readonly prefix: string
  readonly direction: 'inbound' | 'outbound'
  /** It leads to one of the nearest peers of the routing table. */
  readonly isNeighbour: boolean
  /** It carried a request recently, or is so young that the first may be on its way. */
  readonly isBusy: boolean
}

/**
 * The connection to close next, undefined when there is room for all. `open` is in order of opening, the newcomer last.
 * Call again after each closing.
 */
export function givesWay<T extends OpenConnection>(
  open: readonly T[],
  limits: DiversityLimits,
  places: ConnectionPlaces = CONNECTION_PLACES
): T | undefined {
  const newest = open.at(-1)
  if (newest === undefined) return undefined
  const ofPeer = open.filter(({ peer }) => peer === newest.peer)
  // A peer that dials again has lost the older connection, or replaces it.
  if (ofPeer.length > places.peer) return leastWorthy(ofPeer.slice(0, -1))
  // It can overfill only its own prefix.
  for (const { of, places: most } of levels(limits, places)) {
    const ofPrefix = open.filter(({ prefix }) => of(prefix) === of(newest.prefix))
    if (ofPrefix.length > most) return leastWorthy(ofPrefix.filter(({ isNeighbour }) => !isNeighbour))
  }
  if (open.length <= places.all - places.kept) return undefined
  const others = open.filter(({ isNeighbour }) => !isNeighbour)
  const strangers = others.filter(({ direction }) => direction === 'inbound')
  const tooMany = [
    { of: strangers, are: strangers.length, most: places.all - places.kept },
    { of: others, are: open.length, most: places.all }
  ].find(({ are, most }) => are > most)
  return tooMany && leastWorthy(ofFullest(tooMany.of, limits, places))
}

interface Level {
  readonly of: (prefix: string) => string
  readonly places: number
}

function levels(limits: DiversityLimits, places: ConnectionPlaces): Level[] {
  return [
    ...(limits.answers_per_wide_prefix > 0 ? [{ of: widePrefix, places: places.widePrefix }] : []),
    ...(limits.answers_per_prefix > 0 ? [{ of: (prefix: string) => prefix, places: places.prefix }] : [])
  ]
}

/** The connections of the fullest prefixes within the fullest wide prefixes; ties are all included. */
function ofFullest<T extends OpenConnection>(
  connections: readonly T[],
  limits: DiversityLimits,
  places: ConnectionPlaces
): readonly T[] {
  return levels(limits, places).reduce<readonly T[]>((left, { of }) => {
    const groups = [...Map.groupBy(left, ({ prefix }) => of(prefix)).values()]
    const most = Math.max(...groups.map(({ length }) => length))
    return groups.filter(({ length }) => length === most).flat()
  }, connections)
}

/** The idle connection open longest; if none is idle the newest, so that served peers remain served. */
function leastWorthy<T extends OpenConnection>(connections: readonly T[]): T | undefined {
  return connections.find(({ isBusy }) => !isBusy) ?? connections.at(-1)
}
