/**
 * The size and content of the routing table in networks of up to ten thousand. Models how kad-dht fills a trie, and
 * checks the model against kad-dht itself.
 */
import type { PeerId } from '@libp2p/interface'
import type { KadDHT } from '@libp2p/kad-dht'
import { peerIdFromMultihash } from '@libp2p/peer-id'
import * as Digest from 'multiformats/hashes/digest'
import { describe, expect, it, vi } from 'vitest'
import { trieAround, type Bucket } from '../../../src/network/kad/near-table.ts'
import { nearestKnown } from '../../../src/network/routing/routing.ts'
import { positionOf } from '../../../src/network/position.ts'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { distance } from '../../../src/protocol/neighbourhood/density.ts'
import { sharesPrefix } from '../../../src/protocol/claim/record-key.ts'
import { startBareNode } from '../bare-node.ts'
import { labProfile } from '../lab.ts'

const K = 20

/** Kad-dht splits full leaves that are less deep. */
const PREFIX_LENGTH = 6

type Trie = { peers: Uint8Array[]; depth: number } | { left: Trie; right: Trie }

function modelled(bucket: Bucket): Trie {
  return 'peers' in bucket
    ? { peers: [], depth: bucket.depth }
    : { left: modelled(bucket.left), right: modelled(bucket.right) }
}

const bitOf = (position: Uint8Array, index: number): number => (position[index >> 3]! >> (7 - (index & 7))) & 1

/** The trie with one more peer; all are alive, so none makes room. */
function met(trie: Trie, position: Uint8Array, depth = 0): Trie {
  if ('left' in trie)
    return bitOf(position, depth) === 0
      ? { ...trie, left: met(trie.left, position, depth + 1) }
      : { ...trie, right: met(trie.right, position, depth + 1) }
  if (trie.peers.length < K) return { ...trie, peers: [...trie.peers, position] }
  if (trie.depth >= PREFIX_LENGTH) return trie
  const half = (bit: number): Trie => ({
    peers: trie.peers.filter((peer) => bitOf(peer, depth) === bit),
    depth: depth + 1
  })
  return met({ left: half(0), right: half(1) }, position, depth)
}

const held = (trie: Trie): Uint8Array[] => ('peers' in trie ? trie.peers : [...held(trie.left), ...held(trie.right)])

const tableOf = (own: Uint8Array, others: readonly Uint8Array[]): Uint8Array[] =>
  held(others.reduce((trie, position) => met(trie, position), modelled(trieAround(own))))

function nearest(key: Uint8Array, of: readonly Uint8Array[]): Uint8Array[] {
  const byDistance = of
    .map((position) => ({ position, away: distance(key, position) }))
    .sort((one, other) => one.away - other.away)
  return byDistance.slice(0, K).map(({ position }) => position)
}

const positions = (what: string, count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => sha256(utf8(`${what} ${index}`)))

describe.each([20, 500, 1_000, 2_000, 5_000, 10_000])('a network of %i', (size) => {
  const others = positions(`peer of ${size}`, size - 1)
  const tables = positions(`node of ${size}`, 10).map((own) => ({ own, table: tableOf(own, others) }))

  it('a node knows the k nearest to itself, and those nearest to each key that is its own to store', () => {
    for (const { own, table } of tables) {
      expect(nearest(own, table)).toEqual(nearest(own, others))
      // The farthest of them is as far away as a key that is ours to store.
      for (const key of nearest(own, others)) expect(nearest(key, table)).toEqual(nearest(key, others))
    }
  })

  it('a node holds 64 k peers at most, and 4 k more each time the network is twice as large', () => {
    for (const { table } of tables) {
      if (size <= K) expect(table).toHaveLength(others.length)
      expect(table.length).toBeLessThan(64 * K + 4 * K * Math.max(0, 1 + Math.log2(size / (64 * K))))
    }
  })
})

it('holds 104 k peers at most, whatever ids there are', () => {
  const leaves = (bucket: Bucket): Bucket[] =>
    'peers' in bucket ? [bucket] : [...leaves(bucket.left), ...leaves(bucket.right)]
  const splittable = ({ depth }: Bucket): number => 2 ** Math.max(0, PREFIX_LENGTH - depth)
  expect(leaves(trieAround(sha256(utf8('node')))).reduce((sum, leaf) => sum + splittable(leaf), 0)).toBe(104)
})

it('is filled by kad-dht as by the model', async () => {
  const node = await startBareNode(0, labProfile({ k: K }))
  vi.spyOn(node.services.ping, 'ping').mockResolvedValue(1)
  const own = positionOf(node.peerId)
  const idOf = (digest: Uint8Array): PeerId => peerIdFromMultihash(Digest.create(0x12, digest))
  const everywhere = positions('id', 1_500).map(idOf)
  const nearUs = positions('near', 20_000)
    .filter((digest) => sharesPrefix(own, sha256(idOf(digest).toMultihash().bytes), 7))
    .map(idOf)
  const ids = [...everywhere, ...nearUs]
  const { routingTable } = node.services.dht as KadDHT & { routingTable: { add(peer: PeerId): Promise<void> } }
  for (const id of ids) await routingTable.add(id)
  const inOrder = (of: readonly Uint8Array[]): string[] =>
    of.map((position) => Buffer.from(position).toString('hex')).sort()
  const table = nearestKnown(node, own).map(positionOf)
  expect(inOrder(table)).toEqual(inOrder(tableOf(own, ids.map(positionOf))))
  // As many as neither the one trie nor the other takes in.
  expect(table.length).toBeLessThan(ids.length)
  expect(table.filter((position) => sharesPrefix(own, position, PREFIX_LENGTH)).length).toBeGreaterThan(2 * K)
  await node.stop()
})
