/** Many ids around one node, by which it is to misjudge how large the network is: real nodes, of which the strangers have chosen their places. */
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys'
import type { PeerId } from '@libp2p/interface'
import { peerIdFromPublicKey, peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startNode, type Node } from '../../src/network/node.ts'
import { positionOf } from '../../src/network/routing.ts'
import { sha256, u64be, utf8 } from '../../src/protocol/bytes.ts'
import { blindedPrefixBits, sharesPrefix } from '../../src/protocol/record-key.ts'
import { keys } from '../../src/store/keys.ts'
import { Lab, labProfile } from './lab.ts'
import { waitFor } from '../wait-for.ts'

const K = 4
const HONEST = 9
/** Not all find room in the victim's table. */
const CROWD = 2 * K
/** First bits that the crowd's places share with the victim's: 128 keys tried for each. */
const CLOSE_BITS = 7

let lab: Lab
const crowd: Node[] = []

beforeEach(() => {
  lab = new Lab(labProfile({ k: K }))
})

afterEach(async () => {
  for (const node of crowd.splice(0)) await node.stop()
  await lab.close()
})

/** Seeds of node keys whose places are next to that peer's. By OpenSSL's arithmetic: a thousand keys by tweetnacl's take the event loop, and with it all nodes, ten seconds. */
async function seedsNear(peer: PeerId, count: number): Promise<Uint8Array[]> {
  const seeds: Uint8Array[] = []
  for (let attempt = 0; seeds.length < count; attempt++) {
    const seed = sha256(utf8('crowd'), u64be(attempt))
    const id = peerIdFromPublicKey((await generateKeyPairFromSeed('Ed25519', seed)).publicKey)
    if (sharesPrefix(positionOf(peer), positionOf(id), CLOSE_BITS)) seeds.push(seed)
  }
  return seeds
}

it('[a crowd around one node] shows no more of a name, and lets no node think that nothing is its own to store', async () => {
  const victim = (await lab.addNodes(HONEST)).at(-1)!
  for (const nodeSeed of await seedsNear(peerIdFromString(victim.network.status().peer_id), CROWD)) {
    const node = await startNode({ profile: lab.profile, nodeSeed, listen: ['/ip4/127.0.0.1/tcp/0'], bootstrap: [], mode: 'full', isBanned: () => false, mayConnect: () => true, agent: 'crowd' })
    crowd.push(node)
    await node.dial(multiaddr(victim.address))
  }
  await waitFor(() => {
    lab.advance(2)
    const contacts = new TextDecoder().decode(victim.store.get(keys.contacts()))
    expect(crowd.filter(({ peerId }) => contacts.includes(peerId.toString())).length).toBeGreaterThanOrEqual(K)
  })
  // By four of those alone it would be one of four hundred: three bits of each name it wants, and a hundredth of the names to store.
  const { networkSize } = await victim.network.probe('wanted.chronym')
  expect(blindedPrefixBits(networkSize)).toBe(0)
})
