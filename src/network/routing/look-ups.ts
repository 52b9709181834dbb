/**
 * Who is nearest to a key, and the network's size as look-ups show it. With up to k other peers every look-up finds
 * all, so one result serves for a while.
 */
import * as Digest from 'multiformats/hashes/digest'
import type { PeerId } from '@libp2p/interface'
import { networkSize } from '../../protocol/neighbourhood/key-space.ts'
import {
  diverse,
  diverseFirst,
  type DiversityLimits,
  type IsLongKnown,
  isIPv6Prefix
} from '../../protocol/neighbourhood/diversity.ts'
import { toHex } from '../../protocol/encoding/bytes.ts'
import { BoundedMap } from '../../util/bounded-map.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Node } from '../libp2p.ts'
import { contactOf, type Prefixes, type SettledPrefixes } from './prefixes.ts'
import { type Contact, positionOf } from '../table.ts'
import { peerIdFromMultihash } from '@libp2p/peer-id'
import type { Multiaddr } from '@multiformats/multiaddr'
import { dialAll } from '../transport/dial.ts'
import { ownVersions, prefixOf } from '../transport/addresses.ts'
import type { Budget } from '../budget/budget.ts'
import { Turns } from '../budget/turns.ts'
import { BUSY } from '../wire/answers.ts'
import type { Handlers } from '../wire/exchange.ts'
import { lookUp, type Found, type Named } from './look-up.ts'
import { createPatience } from '../wire/patience.ts'
import { type FindRequest, type FoundPeer, readableAddresses } from '../wire/find.ts'
import { type AddressBook, keepAddresses } from './address-book.ts'
import { dropUnreachable } from './keep-table.ts'

/** Time for which the table counts as complete, unless one of its peers disconnects. Joining peers enter the table. */
const EVERYBODY_MS = 10_000

/** Size estimates kept: each is off by about a quarter, their median by a tenth. */
const MAX_ESTIMATES = 9

/**
 * The density around this node is recomputed after this time or when the table's size changes. It scans the whole
 * table, and every offered record needs it.
 */
const DENSITY_MS = 10_000

/**
 * Bound on the estimate at random keys, as a multiple of that from our own density. Each is off by a quarter, or by
 * half with unusual prefixes.
 */
const MOST_ABOVE_OWN_DENSITY = 4

export interface LookUps {
  /**
   * The at most k peers nearest to a key, diverse ones first, nearest first, without this node. Rejects with the
   * signal's reason.
   */
  closest(key: Uint8Array, signal?: AbortSignal): Promise<PeerId[]>
  /** As `closest`, but always asks the network. */
  askNetwork(key: Uint8Array, signal?: AbortSignal): Promise<PeerId[]>
  /**
   * As `askNetwork`, for a random key, and adds a size estimate. After a change of the network it replaces earlier
   * estimates.
   */
  sample(key: Uint8Array, signal?: AbortSignal, hasChanged?: boolean): Promise<void>
  /**
   * Estimated nodes in the network, this one included. Below k others it counts them. Otherwise it is the median at
   * random keys, bounded by the density around this node. A peer near us may have chosen its id [a crowd around one
   * node]. A peer asked on the way knows the random key and may have ids near every key [ids chosen for each key that
   * is looked up]. A network that fakes its size must do so at both. Only diverse peers count.
   */
  networkSize(): number
}

/** `now` is monotonic, in milliseconds. */
export function createLookUps(
  node: Node,
  finder: Pick<Finder, 'find'>,
  profile: DiversityLimits & Pick<NetworkProfile, 'k'>,
  prefixes: Prefixes,
  now: () => number = () => performance.now()
): LookUps {
  const { k } = profile
  const { table } = node.services
  let knowsEverybodyUntilMs = -Infinity
  const estimates: number[] = []
  let around: { readonly size: number; readonly known: number; readonly atMs: number } | undefined

  const sizeBy = (key: Uint8Array, nearest: readonly Contact[]): number => {
    const counted = diverse(nearest, profile).slice(0, k)
    return networkSize(
      key,
      counted.map(({ position }) => position)
    )
  }
  const sizeAroundOurselves = (known: number): number => {
    if (around === undefined || around.known !== known || now() - around.atMs > DENSITY_MS) {
      const own = positionOf(node.peerId)
      around = { size: sizeBy(own, table.nearest(own)), known, atMs: now() }
    }
    return around.size
  }
  const askNetwork = async (key: Uint8Array, signal?: AbortSignal): Promise<PeerId[]> => {
    const { peers, isWhole } = await finder.find(key, signal)
    const isEverybody = isWhole && peers.length < k && peers.every((peer) => table.has(peer))
    knowsEverybodyUntilMs = isEverybody ? now() + EVERYBODY_MS : -Infinity
    return peers
  }
  return {
    askNetwork,
    async sample(key, signal, hasChanged = false) {
      const found = await askNetwork(key, signal)
      if (found.length === 0) return
      if (hasChanged) estimates.length = 0
      estimates.push(
        sizeBy(
          key,
          found.map((id) => contactOf(id, prefixes))
        )
      )
      if (estimates.length > MAX_ESTIMATES) estimates.shift()
    },
    networkSize() {
      const known = table.size
      const median = estimates.toSorted((left, right) => left - right)[(estimates.length - 1) >> 1]
      if (known < k || median === undefined) return known + 1
      return Math.min(median, MOST_ABOVE_OWN_DENSITY * sizeAroundOurselves(known))
    },
    async closest(key, signal) {
      signal?.throwIfAborted()
      const known = now() < knowsEverybodyUntilMs ? table.nearest(key) : []
      const isEverybody =
        known.length > 0 && known.length < k && known.every(({ id }) => node.getConnections(id).length > 0)
      return isEverybody ? diverseFirst(known, k, profile).map(({ id }) => id) : askNetwork(key, signal)
    }
  }
}

export interface Finder {
  /** Looks up the peers nearest to a key. Ends after 10 s with its findings. Rejects with the signal's reason. */
  find(key: Uint8Array, signal?: AbortSignal): Promise<Found>
  answer(request: FindRequest): Promise<{ readonly type: 'found'; readonly peers: FoundPeer[] }>
}

/**
 * `offer` gives the table a peer that answered. `versions` says which addresses this machine can dial: `ownVersions`,
 * but for simulated networks, whose nodes keep no `addressesOf` peers either.
 */
export function createFinder(
  node: Node,
  profile: NetworkProfile,
  prefixes: SettledPrefixes,
  offer: (peer: PeerId) => Promise<void>,
  isLongKnown: IsLongKnown,
  patience = createPatience(node),
  versions: typeof ownVersions = ownVersions,
  addressesOf: AddressBook = keepAddresses(node)
): Finder {
  const read = readOnce()
  // A peer that is not connected will be dialled.
  const prefixOfNamed = ({ id, addresses }: Named, hasAnswered: boolean): string =>
    hasAnswered || node.getConnections(id).length > 0
      ? prefixes.of(id)
      : (prefixes.known(id) ?? prefixOfNew(addresses) ?? id.toString())

  const askOne = async (
    { id, addresses }: Named,
    key: Uint8Array,
    mayDial: (address: Multiaddr) => boolean
  ): Promise<Named[] | undefined> => {
    try {
      // These alone: a false one would delay the true one that another peer names.
      if (addresses.length > 0 && node.getConnections(id).length === 0) await dialAll(node, id, addresses)
      const answer = await patience.ask(node, id, { type: 'find', key }, profile)
      await prefixes.settled(id)
      if (answer.type === 'found') {
        void offer(id)
        return namedBy(answer.peers.map(read), mayDial)
      }
      return answer.type === 'busy' ? [] : undefined
    } catch {
      // No usable answer: the look-up continues all the same. A failure at a claimed address says nothing about the
      // peer's own.
      if (addresses.length === 0) dropUnreachable(node, id)
      return undefined
    }
  }

  const nearest = (key: Uint8Array): PeerId[] =>
    diverseFirst(node.services.table.outwards(key), profile.k, profile, isLongKnown).map(({ id }) => id)

  return {
    find(key, signal) {
      const mayDial = versions()
      return lookUp(
        key,
        {
          k: profile.k,
          limits: profile,
          isLongKnown,
          own: node.peerId,
          known: nearest(key),
          prefixOf: prefixOfNamed,
          ask: (named) => askOne(named, key, mayDial),
          waitMs: (id) => patience.waitMs(id),
          roundTripMs: (id) => patience.roundTripMs(id)
        },
        signal
      )
    },
    async answer({ key }) {
      const peers = await Promise.all(
        nearest(key).map(async (id) => ({ peer: id.toMultihash().bytes, addresses: await addressesOf(id) }))
      )
      return { type: 'found', peers: peers.filter(({ addresses }) => addresses.length > 0) }
    }
  }
}

/** `find`s that wait, in all and of one peer: two look-ups of it may be under way. */
const MAX_WAITING = { all: 64, peer: 24 }

/** Answers `find` in turns, `busy` to peers that ask more than others. */
export function answerFinds(finder: Pick<Finder, 'answer'>, budget: Pick<Budget, 'find'>): Handlers['find'] {
  const turns = new Turns(MAX_WAITING, () => budget.find())
  return async (request, sender) => ((await turns.next(sender)) ? finder.answer(request) : BUSY)
}

/** Where a peer will count once it has answered: by IPv4, if it has such an address. */
function prefixOfNew(addresses: readonly Multiaddr[]): string | undefined {
  const named = addresses.map(prefixOf)
  return named.find((prefix) => !isIPv6Prefix(prefix)) ?? named[0]
}

/** Those of a few look-ups. */
const MAX_READ = 500

/** Reads a peer that an answer names, once: most answers name the same ones, and ids and addresses are slow to read. */
function readOnce(): (found: FoundPeer) => Named {
  const kept = new BoundedMap<string, Named>(MAX_READ)
  return ({ peer, addresses }) => {
    const key = [peer, ...addresses].map(toHex).join()
    const named = kept.get(key) ?? {
      // Copies: what is kept must not keep the whole answer.
      id: peerIdFromMultihash(Digest.decode(peer.slice())),
      addresses: readableAddresses(addresses.map((address) => address.slice()))
    }
    kept.set(key, named)
    return named
  }
}

/** Without addresses that this machine cannot dial, and those that have no other. */
function namedBy(peers: readonly Named[], mayDial: (address: Multiaddr) => boolean): Named[] {
  return peers
    .map(({ id, addresses }) => ({ id, addresses: addresses.filter(mayDial) }))
    .filter(({ addresses }) => addresses.length > 0)
}
