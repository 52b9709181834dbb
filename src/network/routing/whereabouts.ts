/**
 * Whether peers are where their connections come from. A machine that relays bytes between honest peers seems to be the
 * other peer to each, and of one address only two count [honest peers behind an address of a liar]. A peer may say,
 * over the authenticated connection, that it listens in other prefixes only. It is then dialled there, and an answer
 * proves it. The statement alone proves nothing.
 */
import type { Connection, IdentifyResult, PeerId } from '@libp2p/interface'
import { prefixOf } from '../transport/addresses.ts'
import type { Node } from '../libp2p.ts'
import { ConcurrencyLimit } from '../../util/concurrency-limit.ts'

/** Addresses tried of one peer, and the time for each. */
const MAX_ADDRESSES = 3
const DIAL_MS = 5_000

/** An answer waits at most this long: identify takes as long as the answer, and dialling as long again. */
const SETTLED_MS = 2_000

/** Times a peer is judged by what it says over one connection: a new one has no confirmed address at first. */
const MAX_JUDGED = 2

/** Inbound peers dialled in parallel, in all and of one prefix: they choose when, and which address. */
const DIALLED = { all: 32, prefix: 8 }

export interface Whereabouts {
  /** The peer listens in that connection's prefix, or was dialled where it says. */
  isConfirmed(connection: Connection): boolean
  /** Resolves once the peer's connections are checked, two seconds later at most. */
  settled(peer: PeerId): Promise<void>
}

/** Works until the node stops. `onConfirmed` reports each connection to where a peer says it is. */
export function confirmWhereabouts(node: Node, onConfirmed: (connection: Connection) => void): Whereabouts {
  const confirmed = new WeakSet<Connection>()
  const pending = new WeakMap<Connection, PromiseWithResolvers<undefined>>()
  const judged = new WeakMap<Connection, number>()
  const places = new ConcurrencyLimit(DIALLED.all, DIALLED.prefix)
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
      // It is not there, or that address may not be dialled: behind a home router, peers know no other.
    } finally {
      leave()
    }
  }

  node.addEventListener('connection:open', ({ detail }) => pending.set(detail, Promise.withResolvers<undefined>()))
  node.addEventListener('connection:close', ({ detail }) => pending.get(detail)?.resolve(undefined))
  node.addEventListener('peer:identify', ({ detail }) => {
    const { connection, listenAddrs } = detail
    const clear = pending.get(connection)
    // Peers may repeat identify as often as they like.
    const times = judged.get(connection) ?? 0
    if (clear === undefined || times === MAX_JUDGED) return
    judged.set(connection, times + 1)
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
