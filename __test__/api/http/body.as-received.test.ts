/** What a schema's output would leave out belongs to a signed document, and to a change that is refused for it. */
import { describe, expect, it } from 'vitest'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

const DID = 'did:chronym:z6Mk'
const token = MAIN_TOKEN

describe('a body is handed on as it was received', () => {
  it.each([
    ['publish-kid', 'publishKid', 'authorized_kid', { document: { id: DID, constructor: 1 }, constructor: 2 }],
    ['publish-manifest', 'publishManifest', 'authorized_manifest', { manifest: { id: DID }, constructor: 1 }]
  ])('by %s', async (route, operation, member, signed) => {
    const world = createWorld()
    await world.request('POST', `/api/${route}`, { token, body: { [member]: signed } })
    expect(world.calls.at(-1)).toEqual({ operation, arguments: [signed] })
  })

  it('by a change of the configuration, whatever the field is called', async () => {
    const world = createWorld()
    let received: unknown
    world.config.change = (patch) => {
      received = patch
      return Promise.resolve({})
    }
    await world.request('POST', '/api/config', { token, body: { constructor: 1 } })
    expect(received).toEqual({ constructor: 1 })
  })
})
