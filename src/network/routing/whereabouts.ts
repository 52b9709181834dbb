/**
 * Whether peers are where their connections come from. A machine that passes bytes on between two honest peers makes
 * each seem to be at its own address to the other, and of one address two count [honest peers behind an address of a
 * liar]. So a peer that says, over the authenticated connection, that it listens in other prefixes only is dialled
 * there: where it answers, there it is. What it says alone proves nothing.
 */
import type { Connection, IdentifyResult, PeerId } from '@libp2p/interface'
import { prefixOf } from '../transport/addresses.ts'
import type { Node } from '../libp2p.ts'
import { Places } from '../../util/places.ts'

/** Addresses of one peer that are tried, and for how long. */
const MAX_ADDRESSES = 3
const DIAL_MS = 5_000

/** So long an answer waits for this: libp2p's identify takes as long as the answer, and the dialling as long again. */
const SETTLED_MS = 2_000

/**
 * Peers dialled at a time who connected to us, in all and of one prefix: they choose when, and whom they have us dial.
 */
const DIALLED = { all: 32, prefix: 8 }

export interface Whereabouts {
  /** The peer listens in that connection's prefix, or was dialled where it says. */
  isConfirmed(connection: Connection): boolean
  /** Resolves once it is clear for the connections of a peer, two seconds later at most. */
  settled(peer: PeerId): Promise<void>
}

/** Works until the node stops. `onConfirmed` hears of each connection that was made to where a peer says it is. */
export function confirmWhereabouts(node: Node, onConfirmed: (connection: Connection) => void): Whereabouts {
  const confirmed = new WeakSet<Connection>()
  const pending = new WeakMap<Connection, PromiseWithResolvers<undefined>>()
  const judged = new WeakSet<Connection>()
  const places = new Places(DIALLED.all, DIALLED.prefix)
  const isConfirmed = (connection: Connection): boolean => confirmed.has(connection)

  const dialWhereItSays = async ({ connection, listenAddrs }: IdentifyResult): Promise<void> => {
    const { remotePeer, remoteAddr, direction } = connection
    const leave = direction === 'inbound' ? places.take(prefixOf(remoteAddr)) : () => undefined
    if (leave === undefined) return
    try {
      const other = await node.dial(listenAddrs.slice(0, MAX_ADDRESSES), { signal: AbortSignal.timeout(DIAL_MS) })
      if (!other.remotePeer.equals(remotePeer)) return
      confirmed.add(other)
      onConfirmed(other)
    } catch {
      // It is not there, or nobody may dial that address: behind a home's router peers know no other.
    } finally {
      leave()
    }
  }

  node.addEventListener('connection:open', ({ detail }) => pending.set(detail, Promise.withResolvers<undefined>()))
  node.addEventListener('connection:close', ({ detail }) => pending.get(detail)?.resolve(undefined))
  node.addEventListener('peer:identify', ({ detail }) => {
    const { connection, listenAddrs } = detail
    const clear = pending.get(connection)
    // Peers may tell again where they are, as often as they like.
    if (clear === undefined || judged.has(connection)) return
    judged.add(connection)
    if (listenAddrs.some((address) => prefixOf(address) === prefixOf(connection.remoteAddr))) confirmed.add(connection)
    const isClear = listenAddrs.length === 0 || node.getConnections(connection.remotePeer).some(isConfirmed)
    if (isClear) clear.resolve(undefined)
    else void dialWhereItSays(detail).then(() => clear.resolve(undefined))
  })
  return {
    isConfirmed,
    async settled(peer) {
      const clear = node.getConnections(peer).flatMap((connection) => pending.get(connection)?.promise ?? [])
      const { promise: late, resolve } = Promise.withResolvers<undefined>()
      const timer = setTimeout(resolve, SETTLED_MS, undefined)
      await Promise.race([late, Promise.all(clear)])
      clearTimeout(timer)
    }
  }
}
