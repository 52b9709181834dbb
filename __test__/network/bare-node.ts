/** A real libp2p node with a routing table, without the registry on top. */
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { createBudget } from '../../src/network/budget/budget.ts'
import type { Node } from '../../src/network/libp2p.ts'
import { startNode, type NodeOptions } from '../../src/network/node.ts'
import { positionOf } from '../../src/network/table.ts'
import { createFinder, type Finder, createLookUps, type LookUps } from '../../src/network/routing/look-ups.ts'
import { keepTable } from '../../src/network/routing/keep-table.ts'
import { createPrefixes, type Prefixes, type SettledPrefixes } from '../../src/network/routing/prefixes.ts'
import { BUSY } from '../../src/network/wire/answers.ts'
import { registryProtocol } from '../../src/network/wire/messages.ts'
import { serve, type Handlers } from '../../src/network/wire/exchange.ts'
import { keyPairFromSeed } from '../../src/protocol/crypto/ed25519.ts'
import { sha256, u64be, utf8 } from '../../src/protocol/encoding/bytes.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { sharesPrefix } from '../../src/protocol/neighbourhood/key-space.ts'
import { labProfile, listenAt } from './lab.ts'

/** Where the peers of a node's table are taken to be, and what offers it one. */
interface Keeping {
  prefixes: Prefixes
  readonly offer: (peer: Node['peerId']) => Promise<void>
}

const keepings = new WeakMap<Node, Keeping>()

/**
 * Listens on loopback and knows no peers; its key comes from an index or a seed. It answers `busy` to all requests, so
 * that others take it into their tables. With a place, such as 127.2.3.4, it listens and dials there. `more`: other
 * options.
 */
export function startBareNode(
  key: number | Uint8Array,
  profile: NetworkProfile = labProfile(),
  place?: string,
  more: Partial<NodeOptions> = {}
): Promise<Node> {
  const options = {
    profile,
    nodeSeed: typeof key === 'number' ? sha256(utf8(`node ${key}`)) : key,
    listen: [listenAt(place ?? '127.0.0.1')],
    dialFrom: place,
    bootstrap: () => [],
    isBanned: () => false,
    mayConnect: () => true,
    agent: 'test',
    ...more
  }
  return startNode(options, async (node) => {
    const late: Prefixes = {
      of: (peer) => keepings.get(node)!.prefixes.of(peer),
      known: (peer) => keepings.get(node)!.prefixes.known(peer)
    }
    // Dials nobody back.
    const prefixes = createPrefixes(node, { answers_per_prefix: 0 })
    keepings.set(node, { prefixes, offer: keepTable(node, profile, late) })
    await answering(node, profile, {})
  })
}

/** Has the table of a node take its peers to be where the test says. */
export function placing<P extends Prefixes>(node: Node, prefixes: P): P {
  keepings.get(node)!.prefixes = prefixes
  return prefixes
}

/** Offers the table of a node a peer, as alive. */
export function offer(node: Node, peer: Node['peerId']): Promise<void> {
  return keepings.get(node)!.offer(peer)
}

/** Has a node answer as the test says, `busy` to anything else, and no more as before. */
export async function answering(
  node: Node,
  profile: NetworkProfile,
  handlers: Partial<Handlers>
): Promise<() => Promise<void>> {
  const busy = (): typeof BUSY => BUSY
  await node.unhandle(registryProtocol(profile))
  return serve({
    node,
    profile,
    handlers: {
      commit: busy,
      put: busy,
      get: busy,
      list: busy,
      commitments: busy,
      find: busy,
      reach: busy,
      time: busy,
      ...handlers
    },
    budget: createBudget(false),
    penalise: () => undefined,
    onFault: () => undefined
  })
}

/** Has a node announce at once where it listens. By itself it does a second after it starts. */
export async function announce(node: Node): Promise<void> {
  await node.peerStore.patch(node.peerId, { multiaddrs: node.services.listening() })
}

export interface Finding {
  readonly finder: Finder
  readonly prefixes: SettledPrefixes
  readonly lookUps: LookUps
}

/** Has a bare node look up and answer look-ups as the daemon's does. */
export async function findingOn(node: Node, profile: NetworkProfile): Promise<Finding> {
  const prefixes = placing(node, createPrefixes(node, profile))
  const finder = createFinder(
    node,
    profile,
    prefixes,
    (peer) => offer(node, peer),
    () => false
  )
  await answering(node, profile, { find: (request) => finder.answer(request) })
  return { finder, prefixes, lookUps: createLookUps(node, finder, profile, prefixes) }
}

/**
 * Seeds of node keys whose positions share the first `bits` bits with one. By OpenSSL: a thousand keys by libp2p take a
 * second.
 */
export function seedsNear(place: Uint8Array, bits: number, count: number): Uint8Array[] {
  const seeds: Uint8Array[] = []
  for (let attempt = 0; seeds.length < count; attempt++) {
    const seed = sha256(utf8('crowd'), u64be(attempt))
    const id = peerIdFromPublicKey(publicKeyFromRaw(keyPairFromSeed(seed).publicKey))
    if (sharesPrefix(place, positionOf(id), bits)) seeds.push(seed)
  }
  return seeds
}
