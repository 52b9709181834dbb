import { describe, expect, it } from 'vitest'
import { DID } from '../helpers/endpoints.ts'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

const token = MAIN_TOKEN

describe('identities', () => {
  it.each([
    ['publish-kid', { authorized_kid: { id: DID, verificationMethod: [] } }, { id: DID, verificationMethod: [] }],
    [
      'publish-kid',
      { document: { id: DID, verificationMethod: [] } },
      { document: { id: DID, verificationMethod: [] } }
    ],
    ['publish-kid', { id: DID, verificationMethod: [] }, { id: DID, verificationMethod: [] }],
    ['publish-manifest', { manifest: { id: DID, capabilities: [] } }, { manifest: { id: DID, capabilities: [] } }],
    ['publish-manifest', { id: DID, capabilities: [] }, { id: DID, capabilities: [] }]
  ])('%s takes the wrapper and the bare object: %j', async (route, body, handed) => {
    const world = createWorld()
    world.registry.identities.set(DID, { document: { id: DID, verificationMethod: [] }, manifest: null })
    const response = await world.request('POST', `/api/${route}`, { token, body })
    expect(response.status).toBe(200)
    expect(world.registry.calls.at(-1)?.arguments).toEqual([handed])
  })

  it('are refused when the body is neither', async () => {
    const response = await createWorld().request('POST', '/api/publish-kid', {
      token,
      body: { authorized_kid: 'text' }
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      errors: [{ message: 'Expected {authorized_kid: {document, name?, name_signature?}}, or the document itself' }]
    })
  })
})
