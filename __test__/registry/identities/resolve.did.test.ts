import { describe, expect, it } from 'vitest'
import { clock, world, node, other, genesis, published, failure } from './scene.ts'

describe('resolving identities', () => {
  it('of an unknown DID is SVC-RES-002', async () => {
    expect((await failure(node.registry.resolveIdentity(genesis().id))).code).toBe('SVC-RES-002')
  })

  it('of what is not a DID of this network is SVC-REQ-001', async () => {
    expect((await failure(node.registry.resolveIdentity('did:web:example.org'))).code).toBe('SVC-REQ-001')
  })

  it('without anybody to ask is SVC-RES-001', async () => {
    for (const peer of world.peers) peer.away = true
    expect((await failure(node.registry.resolveIdentity(genesis().id))).code).toBe('SVC-RES-001')
  })

  it('is SVC-RES-001 where only this node itself could be asked', async () => {
    for (const peer of world.peers.slice(1)) peer.away = true
    expect((await failure(node.registry.resolveIdentity(genesis().id))).code).toBe('SVC-RES-001')
  })

  it('of an unknown DID is SVC-RES-001 where half of the peers or fewer answer, once they were asked again', async () => {
    node.network.isThin = true
    let code: string | undefined
    void failure(node.registry.resolveIdentity(genesis().id)).then((error) => (code = error.code))
    for (let second = 0; second < 60 && code === undefined; second++) await clock.advance(1000)
    expect(code).toBe('SVC-RES-001')
    expect(node.network.sent.length).toBeGreaterThan(2)
  })

  it('ignores what peers sent that does not verify', async () => {
    const document = await published()
    world.peers[0]!.identities.set(document.id, Buffer.from('garbage'))
    expect((await other.registry.resolveIdentity(document.id)).kid_document).toEqual(document)
  })
})
