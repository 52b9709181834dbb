/** Closes the connection that gives way, by connection-places.ts, whenever one opens. */
import type { Connection } from '@libp2p/interface'
import { diverse } from '../../protocol/neighbourhood/diversity.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { prefixOf } from '../transport/addresses.ts'
import { CONNECTION_PLACES, givesWay, type OpenConnection } from '../transport/connection-places.ts'
import type { Node } from '../libp2p.ts'
import { registryProtocol } from '../wire/messages.ts'
import { positionOf } from '../position.ts'

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
        // Our streams end within half a minute of their last request (wire/serve.ts).
        isBusy: now() - atMs < YOUNG_MS || connection.streams.some(({ protocol }) => protocol === ours)
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
