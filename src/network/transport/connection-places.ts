/**
 * Which open connection gives way when there are too many: connections are a budget like all others [idle connections
 * of one address]. Pure; keep-places.ts applies it to libp2p, whose own limit refuses newcomers and asks nobody who
 * they are.
 */
import { widePrefix, type DiversityLimits } from '../../protocol/neighbourhood/diversity.ts'

/** How many connections may be open. */
export interface ConnectionPlaces {
  readonly all: number
  /**
   * Of all, those that inbound strangers may not have: neither our own dialling nor to the nearest of the routing
   * table.
   */
  readonly kept: number
  readonly peer: number
  /** Of one /24 or /48, and of one /16 or /32, where the profile limits each. */
  readonly prefix: number
  readonly widePrefix: number
}

/**
 * - all: libp2p's own number, and what nodes have been measured with (docs/verification.md).
 * - kept: the 20 neighbours, and four look-ups beside each other of some 20 peers each.
 * - peer: two nodes that dial each other at one moment have two connections; nobody needs a third.
 * - prefix: behind one address of an office or a home there may be dozens of nodes. Those beyond 32 take turns, since
 *   idle ones give way, and one address has a tenth of all.
 * - widePrefix: twice as much, for a provider's many customers. It takes four of these to fill the places of strangers,
 *   and then the fullest gives way to newcomers.
 */
export const CONNECTION_PLACES: ConnectionPlaces = { all: 300, kept: 100, peer: 2, prefix: 32, widePrefix: 64 }

export interface OpenConnection {
  /** Peer id. */
  readonly peer: string
  /** See `addressPrefix`. */
  readonly prefix: string
  readonly direction: 'inbound' | 'outbound'
  /** It leads to one of the nearest of the routing table. */
  readonly isNeighbour: boolean
  /** It carried a request of ours or of the peer's lately, or is so young that the first may be on its way. */
  readonly isBusy: boolean
}

/**
 * The connection to close next, undefined when there is room for all. Given are those that are open, in the order of
 * opening: the newcomer last. Asked again after each.
 */
export function givesWay<T extends OpenConnection>(
  open: readonly T[],
  limits: DiversityLimits,
  places: ConnectionPlaces = CONNECTION_PLACES
): T | undefined {
  const newest = open.at(-1)
  if (newest === undefined) return undefined
  const ofPeer = open.filter(({ peer }) => peer === newest.peer)
  // A peer that dials again has lost the older one, or wants it replaced.
  if (ofPeer.length > places.peer) return leastWorthy(ofPeer.slice(0, -1))
  // Its own prefix is the only one that it can make too full.
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

/** The widest first. */
function levels(limits: DiversityLimits, places: ConnectionPlaces): Level[] {
  return [
    ...(limits.answers_per_wide_prefix > 0 ? [{ of: widePrefix, places: places.widePrefix }] : []),
    ...(limits.answers_per_prefix > 0 ? [{ of: (prefix: string) => prefix, places: places.prefix }] : [])
  ]
}

/**
 * Those of the wide prefix that has most, and of these those of the prefix that has most; of several that have as many,
 * of all of them.
 */
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

/** The idle one that is open longest; where none is idle the newest, so that who is served goes on being served. */
function leastWorthy<T extends OpenConnection>(connections: readonly T[]): T | undefined {
  return connections.find(({ isBusy }) => !isBusy) ?? connections.at(-1)
}
