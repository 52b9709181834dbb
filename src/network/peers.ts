/** The peers as holders and clients see them, so that neither touches libp2p. */
import type { PeerId } from '@libp2p/interface'
import { randomBytes } from 'node:crypto'
import { isWithin, radius } from '../protocol/density.ts'
import { diverse, type Origin } from '../protocol/diversity.ts'
import type { NetworkProfile } from '../protocol/profile.ts'
import { blindedKey, blindedPrefixBits, sharesPrefix } from '../protocol/record-key.ts'
import type { Node } from './node.ts'
import { ask } from './protocol/ask.ts'
import type { AnswerTo, Request } from './protocol/messages.ts'
import type { LookUps } from './look-ups.ts'
import type { Prefixes } from './prefixes.ts'
import { dropUnreachable, nearestKnown, positionOf, tableSize } from './routing.ts'

/** Look-ups of random keys under a blinded prefix. Each finds the k nearest to a random point among about 32 to 64 peers. */
const NEIGHBOURHOOD_LOOKUPS = 4

/** A peer that can be asked. `prefix` is known once we have been connected: it is looked at after the answer. */
export interface Peer extends Origin {
  readonly id: PeerId
}

export interface Peers {
  readonly ownPosition: Uint8Array
  /** Peers of the routing table. */
  known(): number
  /** Nodes in the network, ourselves counted. */
  networkSize(): number
  /** The k of the table nearest to a key, without asking anybody: near ourselves the table is as good as a look-up. */
  nearest(key: Uint8Array): Peer[]
  /** Those of the table who should hold what belongs at a key, at the estimated density: nearest first, at most k, without asking anybody. */
  within(key: Uint8Array): Peer[]
  /** The k closest to H(preimage), nearest first, without ourselves. */
  closest(preimage: Uint8Array, signal?: AbortSignal): Promise<Peer[]>
  /** All peers that share the blinded prefix with a key, found without showing the key; and the prefix's length. */
  neighbourhood(key: Uint8Array, signal?: AbortSignal): Promise<{ peers: Peer[]; bits: number }>
  /** Rejects with AskError or the signal's reason. */
  ask<R extends Request>(peer: Peer, request: R, signal?: AbortSignal): Promise<AnswerTo<R>>
  /** Of those peers, at most `answers_per_prefix` of one prefix. */
  diverse(peers: readonly Peer[]): Peer[]
  penalise(peer: Peer, reason: string): void
}

export function createPeers(node: Node, profile: NetworkProfile, lookUps: LookUps, prefixes: Prefixes, penalise: (peer: PeerId, reason: string) => void): Peers {
  const peerOf = (id: PeerId): Peer => ({
    id,
    peer: id.toString(),
    get prefix() {
      return prefixes.of(id)
    }
  })

  return {
    ownPosition: positionOf(node.peerId),
    known: () => tableSize(node),
    networkSize: () => lookUps.networkSize(),
    nearest: (key) => nearestKnown(node, key, profile.k).map(peerOf),
    within(key) {
      const reach = radius(profile.k, lookUps.networkSize())
      return nearestKnown(node, key, profile.k).filter((id) => isWithin(key, positionOf(id), reach)).map(peerOf)
    },
    closest: async (preimage, signal) => (await lookUps.closest(preimage, signal)).map(peerOf),
    async neighbourhood(key, signal) {
      const bits = blindedPrefixBits(lookUps.networkSize())
      // Whom we are connected to is alive, whoever else stands in the table may be long gone.
      const connected = nearestKnown(node, key).filter((id) => node.getConnections(id).length > 0)
      const found = new Map(connected.map((id) => [id.toString(), id]))
      // Where fewer are known than one look-up finds, one look-up finds them all.
      const count = bits === 0 && tableSize(node) < profile.k ? 1 : NEIGHBOURHOOD_LOOKUPS
      const lookedUp = Array.from({ length: count }, () => lookUps.closest(blindedKey(key, bits, randomBytes(32)).preimage, signal))
      for (const peers of await Promise.all(lookedUp)) {
        for (const id of peers) found.set(id.toString(), id)
      }
      return { peers: [...found.values()].filter((id) => sharesPrefix(key, positionOf(id), bits)).map(peerOf), bits }
    },
    async ask(peer, request, signal) {
      try {
        return await ask(node, peer.id, request, profile, signal)
      } catch (error) {
        await dropUnreachable(node, peer.id)
        throw error
      }
    },
    diverse: (peers) => diverse(peers, profile),
    penalise(peer, reason) {
      penalise(peer.id, reason)
    }
  }
}
