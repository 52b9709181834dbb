/**
 * The routing table: the peers that a node knows, many of them near its own position. Pure: the caller says who is
 * offered, who was alive, and what time it is.
 *
 * It divides the key space into leaves of at most k peers, by first bits. Far from the own position 64 leaves hold
 * peers of any network. Near it leaves are ever smaller, so that the table holds all neighbours, even among ids made to
 * match.
 */
import type { PeerId } from '@libp2p/interface'
import { distance } from '../protocol/neighbourhood/key-space.ts'
import { diverse, type DiversityLimits, type Origin } from '../protocol/neighbourhood/diversity.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import { sha256 } from '../protocol/encoding/bytes.ts'

/**
 * Leading bits of the own position that leaves follow: in a network of half a million, eight peers share them. So there
 * are at most 104 leaves.
 */
export const OWN_BITS = 16

/** Leading bits of a leaf at least, wherever it lies. */
const LEAST_BITS = 6

/**
 * Bits that split each branch off the own path into four leaves. The farthest of the k nearest lie in a branch with k
 * peers on average, seldom 2k. One leaf would keep only the first k of them; four have room for all.
 */
const BITS_BESIDE = 2

/** A peer shown to be alive within this time keeps its place without a question. */
const FRESH_MS = 10 * 60_000

/** Peers of a full leaf that are tried for each newcomer. */
const MAX_TRIED = 3

/** A peer at a position of the key space, 32 bytes. Its prefix may change as it becomes known. */
export interface Contact extends Origin {
  readonly id: PeerId
  readonly position: Uint8Array
}

interface Entry {
  readonly contact: Contact
  aliveMs: number
}

export class RoutingTable {
  readonly #own: number
  readonly #limits: DiversityLimits & Pick<NetworkProfile, 'k'>
  readonly #entries = new Map<string, Entry>()
  /** Each in order of arrival. */
  readonly #leaves = new Map<number, Entry[]>()
  readonly #listeners = new Set<(contact: Contact) => void>()

  /** `own`: this node's position. */
  constructor(own: Uint8Array, limits: DiversityLimits & Pick<NetworkProfile, 'k'>) {
    this.#own = firstBits(own)
    this.#limits = limits
  }

  get size(): number {
    return this.#entries.size
  }

  has(id: PeerId): boolean {
    return this.#entries.has(id.toString())
  }

  /** Calls the listener for each peer that enters; returns the function that ends it. */
  onAdded(listener: (contact: Contact) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /**
   * Offers a peer that is alive now. In a full leaf it replaces the latest peer beyond the limits of diversity, unless
   * it exceeds them too [ids of one address around a key]. Otherwise returns peers of that leaf not heard of for long:
   * if one of them is gone, remove it and offer again. Nobody is returned twice within ten minutes.
   */
  offer(newcomer: Contact, nowMs: number): Contact[] {
    const known = this.#entries.get(newcomer.peer)
    if (known !== undefined) {
      known.aliveMs = nowMs
      return []
    }
    const leaf = this.#leafAt(newcomer.position)
    if (leaf.length >= this.#limits.k) {
      const surplus = this.#surplus(leaf, newcomer)
      if (surplus === undefined) return stale(leaf, nowMs)
      this.remove(surplus.id)
    }
    const entry = { contact: newcomer, aliveMs: nowMs }
    leaf.push(entry)
    this.#entries.set(newcomer.peer, entry)
    for (const listener of this.#listeners) listener(newcomer)
    return []
  }

  remove(id: PeerId): void {
    const entry = this.#entries.get(id.toString())
    if (entry === undefined) return
    this.#entries.delete(id.toString())
    const leaf = this.#leafAt(entry.contact.position)
    leaf.splice(leaf.indexOf(entry), 1)
  }

  /** All peers, nearest to a key first: some 2,000 at most. */
  nearest(key: Uint8Array): Contact[] {
    return [...this.outwards(key)]
  }

  /**
   * All peers, nearest to a key first. Leaf after leaf is sorted, as far as the caller reads: each leaf lies farther away
   * than the one before with all of its peers. So the k nearest cost the same in a table of any size.
   */
  *outwards(key: Uint8Array): Generator<Contact> {
    const first = firstBits(key)
    const leaves = Array.from(this.#leaves, ([id, entries]) => ({ entries, away: leastDistance(first, id) }))
    for (const { entries } of leaves.sort(nearestFirst)) {
      const near = entries.map(({ contact }) => ({ contact, away: distance(key, contact.position) }))
      for (const { contact } of near.sort(nearestFirst)) yield contact
    }
  }

  /** Those nearer to a key than a distance, in no order. */
  *nearer(key: Uint8Array, away: number): Generator<Contact> {
    for (const { contact } of this.#entries.values()) if (distance(key, contact.position) < away) yield contact
  }

  #leafAt(position: Uint8Array): Entry[] {
    const first = firstBits(position)
    const shared = Math.clz32(this.#own ^ first) - (32 - OWN_BITS)
    const bits = Math.min(OWN_BITS, Math.max(LEAST_BITS, shared + 1 + BITS_BESIDE))
    // A 1 before the leaf's bits tells those of different length apart.
    const id = (1 << bits) | (first >> (OWN_BITS - bits))
    const leaf = this.#leaves.get(id) ?? []
    this.#leaves.set(id, leaf)
    return leaf
  }

  /** The peer of a full leaf that a newcomer replaces; undefined if none is beyond the limits, or the newcomer would be. */
  #surplus(leaf: readonly Entry[], newcomer: Contact): Contact | undefined {
    if (this.#limits.answers_per_prefix === 0) return undefined
    const contacts = leaf.map(({ contact }) => contact)
    // As many as the leaf holds: by IPv4 a newcomer is within the limits where one by IPv6 then is not.
    const counted = new Set(diverse([...contacts, newcomer], { ...this.#limits, k: contacts.length }))
    return counted.has(newcomer) ? contacts.findLast((contact) => !counted.has(contact)) : undefined
  }
}

/** Those of a leaf that may be gone, longest unheard of first. They count as alive until they are tried. */
function stale(leaf: readonly Entry[], nowMs: number): Contact[] {
  const tried = leaf
    .filter(({ aliveMs }) => nowMs - aliveMs > FRESH_MS)
    .sort((left, right) => left.aliveMs - right.aliveMs)
    .slice(0, MAX_TRIED)
  for (const entry of tried) entry.aliveMs = nowMs
  return tried.map(({ contact }) => contact)
}

interface Away {
  readonly away: number
}

const nearestFirst = (left: Away, right: Away): number => left.away - right.away

/** The distance in first bits from a key to the nearest place of a leaf. */
function leastDistance(key: number, leaf: number): number {
  const bits = 31 - Math.clz32(leaf)
  const rest = OWN_BITS - bits
  return ((leaf ^ (1 << bits) ^ (key >> rest)) << rest) >>> 0
}

function firstBits(position: Uint8Array): number {
  return (position[0]! << 8) | position[1]!
}

const positions = new WeakMap<PeerId, Uint8Array>()

/** A peer's position in the key space, 32 bytes. */
export function positionOf(peer: PeerId): Uint8Array {
  const position = positions.get(peer) ?? sha256(peer.toMultihash().bytes)
  positions.set(peer, position)
  return position
}
