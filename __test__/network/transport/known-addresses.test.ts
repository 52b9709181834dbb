/** What the peer store of a real node knows of where a peer listens. */
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys'
import type { PeerId } from '@libp2p/interface'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { knownAddresses } from '../../../src/network/transport/addresses.ts'
import type { Node } from '../../../src/network/libp2p.ts'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { startBareNode } from '../bare-node.ts'

/** Where libp2p keeps what the peer store holds. */
interface Datastore<K> {
  query(query: object): AsyncIterable<{ readonly key: K; readonly value: Uint8Array }>
  put(key: K, value: Uint8Array): Promise<unknown>
}

const ADDRESSES = ['/ip4/127.0.0.1/tcp/4001', '/ip4/127.0.0.1/tcp/4002'].map((text) => multiaddr(text))

let node: Node
beforeAll(async () => {
  node = await startBareNode(0)
})
afterAll(() => node.stop())

async function peer(name: string): Promise<PeerId> {
  return peerIdFromPublicKey((await generateKeyPairFromSeed('Ed25519', sha256(utf8(name)))).publicKey)
}

const known = async (id: PeerId): Promise<string[]> =>
  (await knownAddresses(node, id)).map((address) => String(address.multiaddr))

describe('the known addresses of a peer', () => {
  it('are those that the store has, each once', async () => {
    const id = await peer('kept')
    await node.peerStore.merge(id, { multiaddrs: ADDRESSES })
    await node.peerStore.merge(id, { multiaddrs: ADDRESSES })
    expect((await known(id)).sort()).toEqual(ADDRESSES.map(String))
  })

  it('are none for a peer that the store never had, or has forgotten', async () => {
    const id = await peer('forgotten')
    expect(await known(id)).toEqual([])
    await node.peerStore.merge(id, { multiaddrs: ADDRESSES })
    await node.peerStore.delete(id)
    expect(await known(id)).toEqual([])
  })

  it('are not passed off as none where the store cannot be read', async () => {
    const id = await peer('damaged')
    await node.peerStore.merge(id, { multiaddrs: ADDRESSES })
    const { datastore } = (node as unknown as { components: { datastore: Datastore<object> } }).components
    const stored: { readonly key: object; readonly value: Uint8Array }[] = []
    for await (const entry of datastore.query({})) stored.push(entry)
    for (const { key, value } of stored) await datastore.put(key, value.subarray(0, 1))
    await expect(known(id)).rejects.not.toMatchObject({ name: 'NotFoundError' })
  })
})
