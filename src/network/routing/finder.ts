import type { PeerId } from '@libp2p/interface'
import { peerIdFromMultihash } from '@libp2p/peer-id'
import { CODE_P2P, type Multiaddr } from '@multiformats/multiaddr'
import * as Digest from 'multiformats/hashes/digest'
import { diverseFirst, isIPv6Prefix } from '../../protocol/neighbourhood/diversity.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { ownVersions, prefixOf } from '../transport/addresses.ts'
import { knownAddresses } from '../transport/known-addresses.ts'
import { lookUp, type Found, type Named } from './look-up.ts'
import type { Node } from '../libp2p.ts'
import type { SettledPrefixes } from './prefixes.ts'
import { ask } from '../wire/ask.ts'
import { type FindRequest, type FoundPeer, MAX_ADDRESSES, readableAddresses } from '../wire/find.ts'
import { dropUnreachable } from './keep-table.ts'

export interface Finder {
  /** Looks up the peers nearest to a key. Ends after 10 s with its findings. Rejects with the signal's reason. */
  find(key: Uint8Array, signal?: AbortSignal): Promise<Found>
  answer(request: FindRequest): Promise<{ readonly type: 'found'; readonly peers: FoundPeer[] }>
}

/**
 * `offer` gives the table a peer that answered. `exchange` carries a question to a peer, and `versions` says which addresses this machine can dial: `ask` and
 * `ownVersions`, but for simulated networks.
 */
export function createFinder(
  node: Node,
  profile: NetworkProfile,
  prefixes: SettledPrefixes,
  offer: (peer: PeerId) => Promise<void>,
  exchange: typeof ask = ask,
  versions: typeof ownVersions = ownVersions
): Finder {
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
      // By address alone: libp2p dials a peer's addresses in sequence, so a false one would delay the true one that
      // another peer names.
      if (addresses.length > 0 && node.getConnections(id).length === 0) {
        const { remotePeer } = await node.dial([...addresses])
        if (!remotePeer.equals(id)) return undefined
      }
      const answer = await exchange(node, id, { type: 'find', key }, profile)
      await prefixes.settled(id)
      if (answer.type === 'found') {
        void offer(id)
        return namedBy(answer.peers, mayDial)
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
    diverseFirst(node.services.table.nearest(key), profile.k, profile).map(({ id }) => id)

  return {
    find(key, signal) {
      const mayDial = versions()
      return lookUp(
        key,
        {
          k: profile.k,
          limits: profile,
          own: node.peerId,
          known: nearest(key),
          prefixOf: prefixOfNamed,
          ask: (named) => askOne(named, key, mayDial)
        },
        signal
      )
    },
    async answer({ key }) {
      const peers = await Promise.all(
        nearest(key).map(async (id) => {
          const addresses = await knownAddresses(node, id)
          return {
            peer: id.toMultihash().bytes,
            addresses: addresses
              .slice(0, MAX_ADDRESSES)
              .map(({ multiaddr }) => multiaddr.decapsulateCode(CODE_P2P).bytes)
          }
        })
      )
      return { type: 'found', peers: peers.filter(({ addresses }) => addresses.length > 0) }
    }
  }
}

/** Where a peer will count once it has answered: by IPv4, if it has such an address. */
function prefixOfNew(addresses: readonly Multiaddr[]): string | undefined {
  const named = addresses.map(prefixOf)
  return named.find((prefix) => !isIPv6Prefix(prefix)) ?? named[0]
}

/** The peers that an answer names, without addresses that this machine cannot dial, and those that have no other. */
function namedBy(peers: readonly FoundPeer[], mayDial: (address: Multiaddr) => boolean): Named[] {
  return peers
    .map(({ peer, addresses }) => ({
      id: peerIdFromMultihash(Digest.decode(peer)),
      addresses: readableAddresses(addresses).filter(mayDial)
    }))
    .filter(({ addresses }) => addresses.length > 0)
}
