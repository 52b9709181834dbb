import { describe, expect, it } from 'vitest'
import { IDENTITY, MANIFEST } from '../helpers/records.ts'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

const token = MAIN_TOKEN

describe('identities', () => {
  it.each([
    ['publish-kid', { authorized_kid: IDENTITY }, IDENTITY],
    ['publish-kid', { document: IDENTITY }, { document: IDENTITY }],
    ['publish-kid', IDENTITY, IDENTITY],
    ['publish-manifest', { manifest: MANIFEST }, { manifest: MANIFEST }],
    ['publish-manifest', MANIFEST, MANIFEST]
  ])('%s takes the wrapper and the bare object: %j', async (route, body, handed) => {
    const world = createWorld()
    await world.node.registry.publishKid(IDENTITY)
    const response = await world.request('POST', `/api/${route}`, { token, body })
    expect(response.status).toBe(200)
    expect(world.calls.at(-1)?.arguments).toEqual([handed])
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
