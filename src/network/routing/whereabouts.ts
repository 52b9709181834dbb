/**
 * Whether peers can be dialled where they are. A connection that this node opened proves it. A peer that dialled this
 * node is dialled back where it says, over the authenticated connection, that it listens: until it answers there, it has
 * no vote [ids that nobody can dial].
 * A machine that relays bytes between honest peers seems to be the other peer to each, and of one address only two count
 * [honest peers behind an address of a liar]. So a peer that says that it listens in other prefixes is dialled there as
 * well. The statement alone proves nothing.
 */
import type { Connection, PeerId } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { prefixOf } from '../transport/addresses.ts'
import { FairQueue } from '../budget/fair-queue.ts'
import { BUCKETS, DIAL_BACKS } from '../budget/budget.ts'
import { isIPv6Prefix } from '../../protocol/neighbourhood/diversity.ts'
import type { Node } from '../libp2p.ts'
import { TokenBuckets } from '../../util/token-buckets.ts'
import { closeConnection } from './keep-places.ts'

/** Addresses tried of one peer, one after the other, and the time for each. */
const MAX_ADDRESSES = 3
const DIAL_MS = 5_000

/** An answer waits at most this long: identify takes as long as the answer, and dialling as long again. */
const SETTLED_MS = 2_000

/** Peers dialled in parallel, and those that wait: prefixes take turns, since peers choose when, and which address. */
const AT_ONCE = 32
const WAITING = { all: 300, peer: 3 }

/** An inbound peer that was not reached is tried again after this time, then twice that, and so on. */
const AGAIN_MS = { first: 2_000, most: 600_000 }

export interface Whereabouts {
  /** This node reached the peer in that connection's prefix. */
  isReached(connection: Connection): boolean
  /** The peer also says that it listens there. */
  isConfirmed(connection: Connection): boolean
  /** Resolves once the peer's connections are checked, two seconds later at most. */
  settled(peer: PeerId): Promise<void>
}

/** The dial-backs of one connection. */
interface Check {
  readonly connection: Connection
  readonly prefix: string
  says: readonly Multiaddr[]
  /** `underWay`: or waiting for its turn. `stale`: the peer has said something else since. */
  state: 'idle' | 'underWay' | 'stale'
  pauseMs: number
  timer?: NodeJS.Timeout
  readonly first: PromiseWithResolvers<undefined>
}

/**
 * Works until the node stops. `onReached` reports each connection in whose prefix a peer was reached. `now` is
 * monotonic, in milliseconds.
 */
export function confirmWhereabouts(
  node: Node,
  onReached: (connection: Connection) => void,
  now: () => number
): Whereabouts {
  const [reached, confirmed] = [new WeakSet<Connection>(), new WeakSet<Connection>()]
  const checks = new WeakMap<Connection, Check>()
  const waiting = new FairQueue<Check>(WAITING)
  const buckets = (): TokenBuckets => new TokenBuckets({ ...DIAL_BACKS, keys: BUCKETS, now })
  const [asking, elsewhere] = [buckets(), buckets()]
  let underWay = 0

  const isReached = (connection: Connection): boolean => connection.direction === 'outbound' || reached.has(connection)
  const isConfirmed = (connection: Connection): boolean => confirmed.has(connection)
  const openTo = (peer: PeerId): Check[] => node.getConnections(peer).flatMap((each) => checks.get(each) ?? [])

  /** A peer that was reached in a prefix is there by all of its connections from there. */
  const note = (peer: PeerId): void => {
    const open = openTo(peer)
    const proven = new Set(open.filter(({ connection }) => isReached(connection)).map(({ prefix }) => prefix))
    const said = new Set(open.flatMap(({ says }) => says.map(prefixOf)))
    for (const { connection, prefix } of open.filter((each) => proven.has(each.prefix))) {
      if (said.has(prefix)) confirmed.add(connection)
      if (isReached(connection)) continue
      reached.add(connection)
      onReached(connection)
    }
  }

  /**
   * Tries the addresses that the peer names until it answers at one: one by IPv4 first, those in the connection's own
   * prefix before others.
   */
  const reach = async ({ connection, prefix: own, says }: Check): Promise<void> => {
    const { remotePeer } = connection
    const { here = [], there = [] } = Object.groupBy(says, (address) => (prefixOf(address) === own ? 'here' : 'there'))
    const inTurn = [...here, ...there]
    const byIPv4 = inTurn.filter((address) => !isIPv6(address)).slice(0, 1)
    for (const address of [...new Set([...byIPv4, ...inTurn])].slice(0, MAX_ADDRESSES)) {
      const prefix = prefixOf(address)
      // Another prefix may be that of a third party [connections to third parties].
      if (!(await node.isDialable(address)) || !asking.has(own) || (prefix !== own && !elsewhere.has(prefix))) continue
      asking.take(own, 1)
      if (prefix !== own) elsewhere.take(prefix, 1)
      try {
        // Forced: a connection of the peer's may come from the very port that it names.
        const other = await node.dial(address, { force: true, signal: AbortSignal.timeout(DIAL_MS) })
        if (!other.remotePeer.equals(remotePeer)) continue
        note(remotePeer)
        if (isReached(connection) && connection.status === 'open' && prefix === own) void closeConnection(other)
        else onReached(other)
        return
      } catch {
        // It is not there, or that address may not be dialled: behind a home router, peers know no other.
      }
    }
  }

  /** A peer of both IP versions counts by IPv4, also where it came, or was dialled, by IPv6 [two families]. */
  const mayCountByIPv4 = ({ prefix, says }: Check): boolean =>
    isIPv6Prefix(prefix) && says.some((address) => !isIPv6(address))
  const isPlaced = (check: Check): boolean =>
    node
      .getConnections(check.connection.remotePeer)
      .some((each) => isConfirmed(each) && !(mayCountByIPv4(check) && isIPv6(each.remoteAddr)))

  const end = (check: Check): void => {
    const { connection, state, pauseMs } = check
    check.state = 'idle'
    check.first.resolve(undefined)
    if (!node.getConnections(connection.remotePeer).includes(connection) || isPlaced(check)) return
    if (state === 'stale') begin(check)
    else if (!isReached(connection) || mayCountByIPv4(check)) {
      check.timer = setTimeout(begin, pauseMs, check)
      check.pauseMs = Math.min(2 * pauseMs, AGAIN_MS.most)
    }
  }

  const giveTurns = (): void => {
    while (underWay < AT_ONCE) {
      const next = waiting.next()
      if (next === undefined) return
      underWay++
      void (isPlaced(next) ? Promise.resolve() : reach(next)).finally(() => {
        underWay--
        end(next)
        giveTurns()
      })
    }
  }

  const begin = (check: Check): void => {
    clearTimeout(check.timer)
    if (check.says.length === 0 || isPlaced(check)) {
      check.first.resolve(undefined)
      return
    }
    check.state = 'underWay'
    const dropped = waiting.add({ peer: check.connection.remotePeer.toString(), prefix: check.prefix }, check)
    // The fullest prefix makes room: its peer is tried later.
    if (dropped !== undefined) {
      dropped.state = 'underWay'
      end(dropped)
    }
    giveTurns()
  }

  node.addEventListener('connection:open', ({ detail: connection }) => {
    const prefix = prefixOf(connection.remoteAddr)
    const first = Promise.withResolvers<undefined>()
    checks.set(connection, { connection, prefix, says: [], state: 'idle', pauseMs: AGAIN_MS.first, first })
    note(connection.remotePeer)
  })
  node.addEventListener('connection:close', ({ detail }) => {
    clearTimeout(checks.get(detail)?.timer)
    checks.get(detail)?.first.resolve(undefined)
  })
  node.addEventListener('peer:identify', ({ detail: { connection, listenAddrs } }) => {
    const check = checks.get(connection)
    if (check === undefined) return
    check.says = listenAddrs
    note(connection.remotePeer)
    if (check.state === 'idle') begin(check)
    else check.state = 'stale'
  })
  return {
    isReached,
    isConfirmed,
    async settled(peer) {
      const { promise: late, resolve } = Promise.withResolvers<undefined>()
      const timer = setTimeout(resolve, SETTLED_MS, undefined)
      await Promise.race([late, Promise.all(openTo(peer).map(({ first }) => first.promise))])
      clearTimeout(timer)
    }
  }
}

function isIPv6(address: Multiaddr): boolean {
  return isIPv6Prefix(prefixOf(address))
}
