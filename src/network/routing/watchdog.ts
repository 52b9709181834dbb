/**
 * Dials bootstrap peers and those met before. With an empty table it dials all, since nodes started together can
 * otherwise miss each other permanently. Otherwise it dials each missing peer with growing pauses: after a network
 * partition both parts have peers and would never search for each other. A connected peer may still be in no table,
 * because its protocols came late or it is light. It too is redialled with growing pauses; the new connection replaces
 * the old one.
 */
import { multiaddr } from '@multiformats/multiaddr'
import { peerOf } from '../transport/addresses.ts'
import { dialReason } from './dial-peer.ts'
import { closeConnection } from './keep-places.ts'
import type { Node } from '../libp2p.ts'
import type { Clock } from '../../time/clock.ts'
import type { IdentifyResult } from '@libp2p/interface'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { otherVersion, registryProtocol } from '../wire/messages.ts'

const WATCH_INTERVAL_MS = 2_000

/** Looks between two dials of a missing peer: ten seconds at first, doubling up to an hour. */
const FIRST_PAUSE = 5
const LONGEST_PAUSE = 1_800

/**
 * After this many looks without a dial, one missing peer has its turn, at all its addresses. Both parts of a network
 * do so, and find each other about a minute after it healed, however long it was cut (lab/reports/wide-area.md). Who stays for
 * so long is back.
 */
const TURN = 30

/**
 * Peers that went missing within this many looks were cut off together: as long as the pings take that find it out.
 * When one is back, the others are dialled at once, that many at a time.
 */
const CUT_WITHIN = 120
const DIALS_AT_A_TIME = 8

/** Looks between two dials of a connected peer outside the table, after one at the first look. */
const FIRST_PAUSE_CONNECTED = 1

interface Redial {
  dueAt: number
  pause: number
}

interface Missing extends Redial {
  /** The look that found it missing. */
  readonly since: number
  dials: number
  /** The look that found it connected again. */
  backAt: number | undefined
  /** It was back for less than a turn: perhaps it has no place. */
  hungUp: boolean
  /** Dialled once because another one was back: peers that hang up each time would call each other for ever. */
  wasCalled: boolean
}

/**
 * Dials the bootstrap peers now, and watches from then on; returns the function that ends it. With an empty table,
 * `onUnreachable` reports each undialable address once, and again only after a success.
 */
export function watchBootstrap(
  node: Node,
  bootstrap: () => readonly string[],
  metBefore: () => readonly string[],
  timers: Pick<Clock, 'every'>,
  onUnreachable: (address: string, reason: string) => void
): () => void {
  const { table } = node.services
  const own = node.peerId.toString()
  // A list of bootstrap peers names each of them too.
  const others = (all: readonly string[]): string[] => [...new Set(all)].filter((address) => peerOf(address) !== own)
  const addresses = (): string[] => others([...bootstrap(), ...metBefore()])
  const missing = new Map<string, Missing>()
  /** By peer id: a peer may have several addresses. */
  const unlisted = new Map<string, Redial>()
  const unreachable = new Set<string>()
  let looks = 0
  let dialledAt = 0
  let dialing = false
  const dial = async (targets: readonly string[]): Promise<void> => {
    // Failures are expected here; the next round retries.
    const dialled = await Promise.allSettled(targets.map((address) => dialAgain(node, address)))
    for (const [index, each] of dialled.entries()) {
      const address = targets[index]!
      if (each.status === 'fulfilled') unreachable.delete(address)
      else if (table.size === 0 && node.status === 'started' && !unreachable.has(address)) {
        unreachable.add(address)
        onUnreachable(address, dialReason(each.reason))
      }
    }
  }
  const callThoseCutOffWith = ({ since }: Missing): void => {
    for (const each of missing.values()) {
      if (each.backAt !== undefined || each.wasCalled || Math.abs(each.since - since) > CUT_WITHIN) continue
      each.wasCalled = true
      each.dueAt = looks
    }
  }
  const nextMissing = (): string[] => {
    const all = addresses()
    const isConnected = connectedTo(node)
    const returned = [...missing].flatMap(([address, each]) =>
      each.backAt === undefined && isConnected(address) ? [each] : []
    )
    for (const [address, each] of missing) {
      each.hungUp ||= each.backAt !== undefined
      each.backAt = isConnected(address) ? (each.backAt ?? looks) : undefined
      // A short connection changes nothing: a full node closes idle ones, and should not be dialled every ten seconds
      // for it.
      const hasStayed = each.backAt !== undefined && looks >= Math.min(each.dueAt, each.backAt + TURN)
      if (!all.includes(address) || hasStayed) missing.delete(address)
    }
    returned.forEach(callThoseCutOffWith)
    const due: string[] = []
    for (const address of all) {
      if (isConnected(address)) continue
      const known = missing.get(address)
      if (known === undefined) {
        const dueAt = looks + FIRST_PAUSE
        missing.set(address, {
          since: looks,
          dueAt,
          pause: FIRST_PAUSE,
          dials: 0,
          backAt: undefined,
          hungUp: false,
          wasCalled: false
        })
      } else if (looks >= known.dueAt && due.length < DIALS_AT_A_TIME) {
        known.pause = Math.min(2 * known.pause, LONGEST_PAUSE)
        known.dueAt = looks + known.pause
        known.dials++
        due.push(address)
      }
    }
    if (due.length === 0 && looks - dialledAt >= TURN) due.push(...nextInTurn())
    if (due.length > 0) dialledAt = looks
    return due
  }
  /** All addresses of the peer dialled least: those cut off just now come before those gone for good. */
  const nextInTurn = (): string[] => {
    const away = [...missing]
      .filter(([, each]) => each.backAt === undefined && !each.hungUp)
      .sort(([, left], [, right]) => left.dials - right.dials)
    const [[next] = []] = away
    if (next === undefined) return []
    const peer = peerOf(next)
    const ofPeer = away.filter(([address]) => address === next || (peer !== undefined && peerOf(address) === peer))
    for (const [, each] of ofPeer) each.dials++
    return ofPeer.map(([address]) => address)
  }
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
  const look = async (): Promise<void> => {
    looks++
    if (dialing) return
    if (table.size > 0) unlisted.clear()
    const next = table.size === 0 ? nextOfAll() : nextMissing()
    if (next.length === 0) return
    dialing = true
    await dial(next)
    dialing = false
  }
  // Peers met before are dialled at the first look, if nobody is known by then.
  void dial(others(bootstrap()))
  return timers.every(WATCH_INTERVAL_MS, () => void look())
}

/** Dials a connected peer and closes the connection that it replaces [a peer that turns light and is dialled again]. */
async function dialAgain(node: Node, address: string): Promise<void> {
  const replaced = node.getConnections().filter(({ remotePeer }) => remotePeer.toString() === peerOf(address))
  await node.dial(multiaddr(address), { force: replaced.length > 0 })
  await Promise.all(replaced.map(closeConnection))
}

/** Whether the peer of an address is connected, from one snapshot: forty addresses are checked every two seconds. */
function connectedTo(node: Node): (address: string) => boolean {
  const connected = new Set<string | undefined>(node.getConnections().map(({ remotePeer }) => remotePeer.toString()))
  return (address) => connected.has(peerOf(address))
}

/** A full peer of any profile answers requests under such a protocol. */
const OF_ANY_NETWORK = /^\/chronym\/[0-9a-f]{64}\/registry\//

interface BootstrapSources {
  addresses(): readonly string[]
  /** Why sources give no address. */
  faults(): readonly string[]
  /** Whether there is any source. */
  readonly expectsOthers: boolean
}

type Kind = 'full' | 'light' | 'other network' | `${'later' | 'earlier'} version`

/**
 * Why a node that is not offline has nobody to ask, in one line with the cure. Call before the node starts.
 * `unreachable`: the reason for each bootstrap address that was dialled in vain.
 */
export function watchConnecting(
  node: Node,
  profile: NetworkProfile,
  bootstrap: BootstrapSources,
  unreachable: ReadonlyMap<string, string>
): () => string {
  const kinds = new Map<string, Kind>()
  node.addEventListener('peer:identify', ({ detail: { peerId, protocols } }: CustomEvent<IdentifyResult>) => {
    const kind = protocols.includes(registryProtocol(profile))
      ? 'full'
      : (otherVersion(protocols, profile) ??
        (protocols.some((protocol) => OF_ANY_NETWORK.test(protocol)) ? 'other network' : 'light'))
    kinds.set(peerId.toString(), kind)
  })
  node.addEventListener('peer:disconnect', ({ detail }) => void kinds.delete(detail.toString()))

  return () => {
    const connected = new Set(kinds.values())
    if (connected.has('full')) return 'A peer was met just now: joining through it.'
    if (connected.has('later version'))
      return 'The connected peers speak a later version of the protocol. Install a newer chronym: names and data stay.'
    if (connected.has('earlier version'))
      return 'The connected peers speak an earlier version of the protocol only. They need a newer chronym.'
    if (connected.has('other network'))
      return 'The connected peers have another network profile. All daemons of a network need the same one.'
    if (connected.has('light'))
      return 'Only light peers are connected, which answer nobody: name a full one with --bootstrap.'
    const ofAddresses = bootstrap.addresses().flatMap((address) => {
      const reason = unreachable.get(address)
      return reason === undefined ? [] : [`${address} (${reason})`]
    })
    const failed = [...ofAddresses, ...bootstrap.faults()]
    if (failed.length > 0) return `No bootstrap peer can be reached, and each is tried again: ${failed.join(', ')}.`
    return bootstrap.expectsOthers
      ? 'The bootstrap peers are being dialled.'
      : 'No bootstrap peer is configured: name one with --bootstrap (p2p.bootstrap). A first node waits to be dialled.'
  }
}
