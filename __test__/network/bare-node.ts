/** A real libp2p node without the registry on top. */
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { startNode, type NodeOptions } from '../../src/network/node.ts'
import type { Node } from '../../src/network/libp2p.ts'
import { positionOf } from '../../src/network/position.ts'
import { sha256, u64be, utf8 } from '../../src/protocol/encoding/bytes.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { sharesPrefix } from '../../src/protocol/claim/record-key.ts'
import { labProfile, listenAt } from './lab.ts'

/**
 * Listens on loopback and knows no peers; its key comes from an index or a seed. With a place, such as 127.2.3.4, it
 * listens and dials there. `more`: other options.
 */
export function startBareNode(
  key: number | Uint8Array,
  profile: NetworkProfile = labProfile(),
  place?: string,
  more: Partial<NodeOptions> = {}
): Promise<Node> {
  return startNode({
    profile,
    nodeSeed: typeof key === 'number' ? sha256(utf8(`node ${key}`)) : key,
    listen: [listenAt(place ?? '127.0.0.1')],
    dialFrom: place,
    bootstrap: [],
    mode: 'full',
    isBanned: () => false,
    mayConnect: () => true,
    mayAsk: () => true,
    agent: 'test',
    ...more
  })
}

/**
 * Seeds of node keys whose positions share the first `bits` bits with one. By OpenSSL: a thousand keys by tweetnacl
 * block the event loop, and with it all nodes, for ten seconds.
 */
export async function seedsNear(place: Uint8Array, bits: number, count: number): Promise<Uint8Array[]> {
  const seeds: Uint8Array[] = []
  for (let attempt = 0; seeds.length < count; attempt++) {
    const seed = sha256(utf8('crowd'), u64be(attempt))
    const id = peerIdFromPublicKey((await generateKeyPairFromSeed('Ed25519', seed)).publicKey)
    if (sharesPrefix(place, positionOf(id), bits)) seeds.push(seed)
  }
  return seeds
}
