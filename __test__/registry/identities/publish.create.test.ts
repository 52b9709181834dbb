import { describe, expect, it } from 'vitest'
import { failure, node, other } from './scene.ts'

const services = [{ id: '#files', type: 'FileServer', serviceEndpoint: 'https://files.example' }]

describe('an identity that the daemon makes', () => {
  it('is signed with keys of the seed that no identity here had, and resolves elsewhere', async () => {
    const made = await node.registry.createKid({ services })
    expect(made).toMatchObject({ version: 1, stored_by: 5, of: 5 })
    const { kid_document: document } = await other.registry.resolveIdentity(made.did)
    expect(document['service']).toEqual([{ ...services[0], id: `${made.did}#files` }])
    const next = await node.registry.createKid({})
    expect(next.did).not.toBe(made.did)
    expect(
      node.registry
        .ownIdentities()
        .map(({ index }) => index)
        .sort()
    ).toEqual([0, 1])
    await node.registry.createKid({ index: 7 })
    expect(
      node.registry
        .ownIdentities()
        .map(({ index }) => index)
        .sort()
    ).toEqual([0, 1, 7])
  })

  it('has endpoints that are objects, as peers take them', async () => {
    const serviceEndpoint = { uri: 'https://mediator.example/', accept: ['didcomm/v2'], routingKeys: [] }
    const made = await node.registry.createKid({
      services: [{ id: '#inbox', type: 'DIDCommMessaging', serviceEndpoint: [serviceEndpoint] }]
    })
    const { kid_document: document } = await other.registry.resolveIdentity(made.did)
    expect(document['service']).toMatchObject([{ serviceEndpoint: [serviceEndpoint] }])
    const empty = [{ id: '#inbox', type: 'DIDCommMessaging', serviceEndpoint: {} }]
    expect(await failure(node.registry.createKid({ services: empty }))).toMatchObject({ code: 'SVC-KID-001' })
  })

  it('is carried by no name of others, and not made then', async () => {
    expect(await failure(node.registry.createKid({ name: 'bob.chronym' }))).toMatchObject({
      code: 'SVC-OWN-001',
      // The request that makes an identity takes no signature.
      message: expect.stringContaining('POST /api/publish-kid') as string
    })
    expect(node.registry.ownIdentities()).toEqual([])
  })

  it('fits the rules of documents', async () => {
    const twice = [...services, ...services]
    expect(await failure(node.registry.createKid({ services: twice }))).toMatchObject({ code: 'SVC-KID-001' })
  })

  it('waits for the seed to be unlocked', async () => {
    node.seed.lock()
    expect(await failure(node.registry.createKid({}))).toMatchObject({ code: 'SVC-KEY-006' })
  })
})
