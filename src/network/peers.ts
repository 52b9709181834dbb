/** The peers as holders and clients see them, so that neither touches libp2p. */
import type { PeerId } from '@libp2p/interface'
import { randomBytes } from 'node:crypto'
import { sha256, toHex } from '../protocol/encoding/bytes.ts'
import {
  distance,
  isWithin,
  radius,
  blindedKey,
  blindedPrefixBits,
  sharesPrefix
} from '../protocol/neighbourhood/key-space.ts'
import {
  diverse,
  diverseFirst,
  hasDiverse,
  type IsLongKnown,
  UNDIALLED,
  type Origin
} from '../protocol/neighbourhood/diversity.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import type { Acquaintances } from './routing/acquaintances.ts'
import type { Node } from './libp2p.ts'
import type { AnswerTo, Request } from './wire/messages.ts'
import type { Patience } from './wire/patience.ts'
import type { LookUps } from './routing/look-ups.ts'
import { dropUnreachable } from './routing/keep-table.ts'
import { contactOf, type Prefixes } from './routing/prefixes.ts'
import { positionOf, type Contact } from './table.ts'
import { SharedWork } from '../util/concurrency.ts'
import { peerIdFromString } from '@libp2p/peer-id'
import type { KnownPeer } from './types.ts'

/**
 * Look-ups of random keys under a blinded prefix. Each finds the k nearest to a random point among some 32 to 64 peers.
 */
const NEIGHBOURHOOD_LOOKUPS = 4

/** Takes up to this times k peers under a blinded prefix; honest ids are 64 at most. */
const NEIGHBOURHOOD_PARTS = 4

/**
 * Nodes see different parts of the network, so they accept records this many times farther away than peers look for
 * them.
 */
const HOLDING_SLACK = 2

/** A peer that can be asked. Its prefix is known after the first connection, so read it after the answer. */
export interface Peer extends Origin {
  readonly id: PeerId
}

/**
 * Diversity applies before the cut to k [ids of one address around a key]. With fewer than k diverse peers, the nearest
 * others follow.
 */
export interface Peers {
  readonly ownPosition: Uint8Array
  known(): number
  knowsAny(): boolean
  /** The table's peers that count, with prefixes, without those never connected. */
  origins(): Origin[]
  networkSize(): number
  /** Whether a record at a key belongs here: within our radius, or among the 2 k nearest diverse peers. */
  isNear(key: Uint8Array): boolean
  /** The k of the table nearest to a key, without requests: near this node the table equals a look-up. */
  nearest(key: Uint8Array): Peer[]
  /** At most k peers of the table that should hold a key at the estimated density, without requests. */
  within(key: Uint8Array): Peer[]
  /** The k closest to H(preimage), without this node. */
  closest(preimage: Uint8Array, signal?: AbortSignal): Promise<Peer[]>
  /**
   * Up to 4 k peers that share the blinded prefix with a key, in random order, found without revealing the key; and the
   * prefix's length.
   */
  neighbourhood(key: Uint8Array, signal?: AbortSignal): Promise<{ peers: Peer[]; bits: number }>
  /** Rejects with AskError or the signal's reason. */
  ask<R extends Request>(peer: Peer, request: R, signal?: AbortSignal): Promise<AnswerTo<R>>
  /** How long its answer usually takes, in milliseconds; 0 where nobody waits for it. */
  waitMs(peer: Peer): number
  /** As many of each prefix as the profile lets count. */
  diverse(peers: readonly Peer[]): Peer[]
  /** The first `count` diverse peers; if there are fewer, the first others follow. */
  diverseFirst(peers: readonly Peer[], count: number): Peer[]
  /** The round since which a peer is known at its prefix. */
  met(peer: Peer): number | undefined
  penalise(peer: Peer, reason: string): void
}

interface PeersParts {
  readonly lookUps: LookUps
  readonly prefixes: Prefixes
  readonly acquaintances: Pick<Acquaintances, 'met' | 'isLongKnown'>
  readonly patience: Patience
  /** Bytes that nobody can foresee; seeded ones in a simulated network. */
  readonly random?: (length: number) => Uint8Array
}

/** How many look-ups find the peers under a blinded prefix. A network smaller than one's result needs only one. */
export function lookUpsUnder(bits: number, known: number, k: number): number {
  return bits === 0 && known < k ? 1 : NEIGHBOURHOOD_LOOKUPS
}

export function createPeers(
  node: Node,
  profile: NetworkProfile,
  { lookUps, prefixes, acquaintances, patience, random = randomBytes }: PeersParts,
  penalise: (peer: PeerId, reason: string) => void
): Peers {
  const { k } = profile
  const { table } = node.services
  const ownPosition = positionOf(node.peerId)
  const isLongKnown: IsLongKnown = (peer) => acquaintances.isLongKnown(peer)
  const peersOf = (ids: readonly PeerId[]): Peer[] => ids.map((id) => contactOf(id, prefixes))
  // A publication looks for the holders of two keys twice: for the newest records, and for where they belong.
  const [nearestTo, under] = [new SharedWork<PeerId[]>(), new SharedWork<PeerId[]>()]
  /** Connected peers, which are alive, and those that look-ups of random keys find. */
  const foundUnder = async (key: Uint8Array, bits: number, signal: AbortSignal): Promise<PeerId[]> => {
    const connected = table.nearest(key).filter(({ id }) => node.getConnections(id).length > 0)
    const found = new Map(connected.map(({ peer, id }) => [peer, id]))
    const lookedUp = Array.from({ length: lookUpsUnder(bits, table.size, k) }, () =>
      lookUps.closest(blindedKey(key, bits, random(32)), signal)
    )
    for (const peers of await Promise.all(lookedUp)) {
      for (const id of peers) found.set(id.toString(), id)
    }
    return [...found.values()]
  }
  const nearest = (key: Uint8Array): Contact[] => diverseFirst(table.outwards(key), k, profile, isLongKnown)

  return {
    ownPosition,
    known: () => table.size,
    knowsAny: () => table.size > 0,
    origins: () =>
      table.nearest(ownPosition).flatMap(({ id, peer, prefix }) => {
        return prefixes.known(id) === undefined || prefix === UNDIALLED ? [] : [{ peer, prefix }]
      }),
    networkSize: () => lookUps.networkSize(),
    isNear(key) {
      if (isWithin(key, ownPosition, radius(HOLDING_SLACK * k, lookUps.networkSize()))) return true
      const nearer = table.nearer(key, distance(key, ownPosition))
      return !hasDiverse(nearer, HOLDING_SLACK * k, profile)
    },
    nearest,
    within(key) {
      const reach = radius(k, lookUps.networkSize())
      return nearest(key).filter(({ position }) => isWithin(key, position, reach))
    },
    async closest(preimage, signal) {
      const key = sha256(preimage)
      const found = await nearestTo.run(toHex(key), (shared) => lookUps.closest(key, shared), signal)
      return diverseFirst(peersOf(found), k, profile, isLongKnown)
    },
    async neighbourhood(key, signal) {
      const bits = blindedPrefixBits(lookUps.networkSize())
      const prefix = toHex(blindedKey(key, bits, new Uint8Array(32)))
      const found = await under.run(`${bits} ${prefix}`, (shared) => foundUnder(key, bits, shared), signal)
      // Not ordered by distance: the selection must not reveal the key.
      const start = random(32)
      const sharing = found.filter((id) => sharesPrefix(key, positionOf(id), bits))
      const shuffled = sharing
        .map((id) => ({ id, place: distance(start, positionOf(id)) }))
        .sort((left, right) => left.place - right.place)
      const shared = peersOf(shuffled.map(({ id }) => id))
      return { peers: diverseFirst(shared, NEIGHBOURHOOD_PARTS * k, profile, isLongKnown), bits }
    },
    async ask(peer, request, signal) {
      try {
        return await patience.ask(node, peer.id, request, profile, signal)
      } catch (error) {
        dropUnreachable(node, peer.id)
        throw error
      }
    },
    waitMs: (peer) => patience.waitMs(peer.id),
    diverse: (peers) => diverse(peers, profile, isLongKnown),
    diverseFirst: (peers, count) => diverseFirst(peers, count, profile, isLongKnown),
    met: (peer) => acquaintances.met(peer),
    penalise(peer, reason) {
      penalise(peer.id, reason)
    }
  }
}

/** The peers of the routing table and all connected ones, nearest to this node first. Makes no requests. */
export function listPeers(
  node: Node,
  prefixes: Pick<Prefixes, 'known'>,
  agents: ReadonlyMap<string, string>
): KnownPeer[] {
  const own = positionOf(node.peerId)
  const inTable = new Map(node.services.table.nearest(own).map(({ peer, id }) => [peer, id]))
  const all = new Map([...inTable, ...node.getPeers().map((id) => [id.toString(), id] as const)])
  return [...all]
    .map(([peer, id]): KnownPeer => {
      const [connection] = node.getConnections(id)
      return {
        peer,
        prefix: prefixes.known(id) ?? null,
        distance: distance(own, positionOf(id)),
        isInTable: inTable.has(peer),
        agent: agents.get(peer) ?? null,
        connection:
          connection === undefined ? null : { direction: connection.direction, sinceMs: connection.timeline.open }
      }
    })
    .sort((left, right) => left.distance - right.distance)
}

/** The distance of a peer's position from a key, as a share of the key space. */
export function distanceOf(peer: string, key: Uint8Array): number {
  return distance(key, positionOf(peerIdFromString(peer)))
}
