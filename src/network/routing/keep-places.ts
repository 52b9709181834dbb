/**
 * Which open connection gives way when there are too many [idle connections of one address]: libp2p's own limit would
 * refuse any newcomer.
 */
import type { Connection } from '@libp2p/interface'
import { diverse, widePrefix, type DiversityLimits } from '../../protocol/neighbourhood/diversity.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { prefixOf } from '../transport/addresses.ts'
import type { Node } from '../libp2p.ts'
import { resting } from '../wire/frame.ts'
import { registryProtocol } from '../wire/messages.ts'
import { positionOf } from '../table.ts'

/** As long as a request may take to come (REQUEST_TIMEOUT_MS): a younger connection does not count as idle. */
const YOUNG_MS = 10_000

interface Opening {
  readonly atMs: number
  readonly index: number
  readonly peer: string
  readonly prefix: string
}

/** Starts; returns the function that ends it. `now` is monotonic, in milliseconds. */
export function keepPlaces(
  node: Node,
  profile: NetworkProfile,
  { now = () => performance.now(), places = CONNECTION_PLACES } = {}
): () => void {
  const ours = registryProtocol(profile)
  const opened = new WeakMap<Connection, Opening>()
  let count = 0
  const leaving = new WeakSet<Connection>()

  const neighbours = (): Set<string> => {
    // The whole table: hundreds of one machine's ids may be nearer to us than all others [a crowd around one node].
    const nearest = node.services.table.nearest(positionOf(node.peerId))
    const connected = nearest.flatMap(({ id }) => node.getConnections(id).slice(0, 1))
    const origins = connected.map(({ remotePeer, remoteAddr }) => ({
      peer: remotePeer.toString(),
      prefix: prefixOf(remoteAddr)
    }))
    return new Set(
      diverse(origins, profile)
        .slice(0, profile.k)
        .map(({ peer }) => peer)
    )
  }

  // Once for each: all open connections are looked at whenever one opens.
  const openingOf = (connection: Connection): Opening => {
    const opening = opened.get(connection) ?? {
      atMs: now(),
      index: count++,
      peer: connection.remotePeer.toString(),
      prefix: prefixOf(connection.remoteAddr)
    }
    opened.set(connection, opening)
    return opening
  }

  const open = (): (OpenConnection & { readonly connection: Connection })[] => {
    let nearest: Set<string> | undefined
    return node
      .getConnections()
      .filter((connection) => connection.status === 'open' && !leaving.has(connection))
      .map((connection) => ({ connection, ...openingOf(connection) }))
      .sort((left, right) => left.index - right.index)
      .map(({ connection, atMs, peer, prefix }) => ({
        connection,
        peer,
        prefix,
        direction: connection.direction,
        // Lazy: it scans the whole table.
        get isNeighbour() {
          return (nearest ??= neighbours()).has(this.peer)
        },
        // Our streams end or rest within half a minute of their last request (wire/exchange.ts).
        isBusy:
          now() - atMs < YOUNG_MS ||
          connection.streams.some((stream) => stream.protocol === ours && !resting.has(stream))
      }))
  }

  const onOpen = ({ detail }: CustomEvent<Connection>): void => {
    openingOf(detail)
    for (;;) {
      const given = givesWay(open(), profile, places)
      if (given === undefined) return
      leaving.add(given.connection)
      void closeConnection(given.connection)
    }
  }
  node.addEventListener('connection:open', onOpen)
  return () => {
    node.removeEventListener('connection:open', onOpen)
  }
}

/** Closes in a second at most, so that the peer reads pending bytes; on failure aborts. */
export async function closeConnection(connection: Connection): Promise<void> {
  try {
    await connection.close()
  } catch (error) {
    connection.abort(error as Error)
  }
}

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
 * - all: libp2p's default, and what nodes have been measured with (lab/reports/floods.md).
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
