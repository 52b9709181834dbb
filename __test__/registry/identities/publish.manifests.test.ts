import { describe, expect, it } from 'vitest'
import { encodeManifestRecord } from '../../../src/protocol/identity/manifest.ts'
import { stranger, clock, world, node, other, genesis, published, manifest, failure } from './scene.ts'

describe('manifests', () => {
  it('are published and resolved with their identity, the newest one', async () => {
    const document = await published()
    expect(await node.registry.publishManifest({ manifest: manifest(document) })).toEqual({
      did: document.id,
      version: 1,
      stored_by: 5,
      of: 5
    })
    world.peers[2]!.manifests.set(document.id, Buffer.from('garbage'))
    const newer = manifest(document, { version: 2 })
    world.peers[3]!.manifests.set(document.id, Buffer.from(world.peers[0]!.manifests.get(document.id)!))
    await other.registry.publishManifest(newer)
    world.peers[4]!.manifests.set(document.id, encodeManifestRecord(manifest(document, { version: 99 }, stranger)))
    expect((await node.registry.resolveIdentity(document.id)).manifest_document).toEqual(newer)
  })

  it('that are older than the one that counts are SVC-PUB-001, from here and elsewhere, and leave it', async () => {
    const document = await published()
    const newer = manifest(document, { version: 2 })
    await node.registry.publishManifest(newer)
    for (const at of [node, other]) {
      const error = await failure(at.registry.publishManifest(manifest(document)))
      expect(error).toMatchObject({
        code: 'SVC-PUB-001',
        extensions: { rule: 'stale' },
        message: expect.stringContaining('version 2 of kid_version 1') as string
      })
    }
    expect(node.network.sent.filter((message) => message.startsWith('manifests '))).toHaveLength(1)
    expect(other.network.sent.filter((message) => message.startsWith('manifests '))).toEqual([])
    expect(await node.registry.publishManifest(newer), 'itself again').toMatchObject({ version: 2, stored_by: 5 })
    expect((await node.registry.resolveIdentity(document.id)).manifest_document).toEqual(newer)
  })

  it('that are overtaken while they are sent are SVC-PUB-001 too', async () => {
    const document = await published()
    const newer = encodeManifestRecord(manifest(document, { version: 2 }))
    node.network.before = (kind) => {
      if (kind === 'manifests') for (const peer of world.peers.slice(0, 3)) peer.manifests.set(document.id, newer)
    }
    expect(await failure(node.registry.publishManifest(manifest(document)))).toMatchObject({
      code: 'SVC-PUB-001',
      extensions: { rule: 'stale' }
    })
  })

  it('are told from those that nobody was there to show', async () => {
    const document = await published()
    const asked = async () => (await node.registry.resolveIdentity(document.id)).manifest_answered
    expect(await asked()).toBe(true)
    node.network.isThin = true
    expect(await asked()).toBe(false)
    node.network.isThin = false
  })

  it('that have expired are not given out', async () => {
    const document = await published()
    await node.registry.publishManifest(manifest(document, { validUntil: '2026-01-02T00:00:00Z' }))
    clock.set(Date.parse('2026-01-03T00:00:00Z'))
    expect((await node.registry.resolveIdentity(document.id)).manifest_document).toEqual({ capabilities: [] })
  })

  it.each([
    ['have expired', { validUntil: '2025-12-31T00:00:00Z' }],
    ['are of later', { validFrom: '2026-03-01T00:00:00Z' }]
  ])('that %s are SVC-KID-001, and asked of nobody', async (_which, validity) => {
    const document = await published()
    const error = await failure(node.registry.publishManifest(manifest(document, validity)))
    expect(error).toMatchObject({
      code: 'SVC-KID-001',
      extensions: { rule: 'manifest' },
      message: expect.stringContaining('validUntil has passed, or validFrom is still to come') as string
    })
    expect(world.peers.map(({ manifests }) => manifests.size)).toEqual([0, 0, 0, 0, 0])
  })

  it('of an unknown identity, or by another key, are SVC-KID-001', async () => {
    const document = genesis()
    expect((await failure(node.registry.publishManifest(manifest(document)))).message).toMatch(/no identity document/)
    await node.registry.publishKid(document)
    expect((await failure(node.registry.publishManifest(manifest(document, {}, stranger)))).code).toBe('SVC-KID-001')
    expect((await failure(node.registry.publishManifest({ manifest: 7 }))).code).toBe('SVC-KID-001')
  })
})
