/**
 * Dials the bootstrap peers and those met before: all of them whenever nobody is left, since nodes made at the same
 * time can miss each other for good otherwise; and those that are missing one by one and ever more seldom, since the
 * two parts of a network that was torn apart both have peers, and would never look for each other again. A peer can be
 * connected and yet in no table, when its protocols came too late or it is light: it is asked again over a new
 * connection in place of the old one, ever more seldom too.
 */
import { multiaddr } from '@multiformats/multiaddr'
import { peerOf } from '../transport/addresses.ts'
import { closeConnection } from './keep-places.ts'
import type { Node } from '../libp2p.ts'
import { tableSize } from './routing.ts'
import type { Clock } from '../../time/clock.ts'

/** How often the table is looked at. */
const WATCH_INTERVAL_MS = 2_000

/**
 * Looks between two dials of one that is missing: ten seconds at first, twice as long each time, an hour at last. Many
 * nodes look, so one side is soon found by the other.
 */
const FIRST_PAUSE = 5
const LONGEST_PAUSE = 1_800

/** As long between two dials of one that is connected and in no table, but that it is dialled at the first look. */
const FIRST_PAUSE_CONNECTED = 1

interface Wanted {
  dueAt: number
  pause: number
}

/**
 * Starts watching; returns the function that ends it. `onUnreachable` hears of an address that cannot be dialled while
 * nobody is known, and again only after it could.
 */
export function watchBootstrap(
  node: Node,
  addresses: () => readonly string[],
  timers: Pick<Clock, 'every'>,
  onUnreachable: (address: string, reason: string) => void
): () => void {
  const missing = new Map<string, Wanted>()
  /** By peer id: one may have several addresses. */
  const unlisted = new Map<string, Wanted>()
  const unreachable = new Set<string>()
  let looks = 0
  let dialing = false
  const dial = async (targets: readonly string[]): Promise<void> => {
    dialing = true
    // Failures are expected here, and the next round is the cure.
    const dialled = await Promise.allSettled(targets.map((address) => dialAgain(node, address)))
    dialing = false
    for (const [index, each] of dialled.entries()) {
      const address = targets[index]!
      if (each.status === 'fulfilled') unreachable.delete(address)
      else if (tableSize(node) === 0 && node.status === 'started' && !unreachable.has(address)) {
        unreachable.add(address)
        onUnreachable(address, reasonOf(each.reason))
      }
    }
  }
  const nextMissing = (): string | undefined => {
    const all = addresses()
    const isConnected = connectedTo(node)
    for (const [address, { dueAt }] of missing) {
      // A connection that lasts less long than the pause before it changes nothing: a node that is full closes those
      // that are idle, and must not be dialled every ten seconds for it.
      if (!all.includes(address) || (isConnected(address) && looks >= dueAt)) missing.delete(address)
    }
    for (const address of all) {
      if (isConnected(address)) continue
      const known = missing.get(address)
      if (known === undefined) missing.set(address, { dueAt: looks + FIRST_PAUSE, pause: FIRST_PAUSE })
      else if (looks >= known.dueAt) {
        known.pause = Math.min(2 * known.pause, LONGEST_PAUSE)
        known.dueAt = looks + known.pause
        return address
      }
    }
    return undefined
  }
  /** While nobody is in the table: all that are not connected, and of the others those whose turn it is. */
  const nextOfAll = (): string[] => {
    const isConnected = connectedTo(node)
    return addresses().filter((address) => {
      const peer = peerOf(address)
      if (peer === undefined || !isConnected(address)) return true
      const { dueAt, pause } = unlisted.get(peer) ?? { dueAt: looks, pause: FIRST_PAUSE_CONNECTED }
      if (looks < dueAt) return false
      unlisted.set(peer, { dueAt: looks + pause, pause: Math.min(2 * pause, LONGEST_PAUSE) })
      return true
    })
  }
  return timers.every(WATCH_INTERVAL_MS, () => {
    looks++
    if (dialing) return
    if (tableSize(node) === 0) void dial(nextOfAll())
    else {
      unlisted.clear()
      const address = nextMissing()
      if (address !== undefined) void dial([address])
    }
  })
}

/**
 * Dials a peer though it is connected, and then closes what the new connection replaces [a peer that turns light and is
 * dialled again].
 */
async function dialAgain(node: Node, address: string): Promise<void> {
  const replaced = node.getConnections().filter(({ remotePeer }) => remotePeer.toString() === peerOf(address))
  await node.dial(multiaddr(address), { force: replaced.length > 0 })
  await Promise.all(replaced.map(closeConnection))
}

/** Of several attempts, the first one's. */
function reasonOf(error: unknown): string {
  return ((error instanceof AggregateError ? error.errors[0] : error) as Error).message
}

/**
 * Tells whether there is a connection to the peer of an address, as of now: forty addresses are looked at every two
 * seconds.
 */
function connectedTo(node: Node): (address: string) => boolean {
  const connected = new Set<string | undefined>(node.getConnections().map(({ remotePeer }) => remotePeer.toString()))
  return (address) => connected.has(peerOf(address))
}
