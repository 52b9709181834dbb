import { describe, expect, it } from 'vitest'
import { CHECK_CODE, DID, IDENTITY, NAME, REVEAL, REVEAL_BODY } from '../helpers/records.ts'
import { createWorld } from '../helpers/world.ts'

describe('resolving', () => {
  it('shows the public key as an array and the other byte fields as base64', async () => {
    const world = createWorld()
    world.hold(REVEAL)
    const response = await world.request('GET', `/api/resolve/${NAME}`)
    expect(await response.json()).toEqual({ ...REVEAL_BODY, check_code: CHECK_CODE, source: 'network' })
    expect(response.headers.get('X-Confidence')).toBe('settled')
  })

  it('answers from what is kept without asking', async () => {
    const world = createWorld()
    const askedAtMs = Date.parse('2026-11-21T12:00:00.000Z')
    world.answers.kept = () => ({
      reveal: REVEAL,
      checkCode: CHECK_CODE,
      confidence: 'thin',
      source: 'own',
      askedAtMs
    })
    const response = await world.request('GET', `/api/resolve/${NAME}`)
    expect([await response.json(), response.headers.get('X-Confidence')]).toEqual([
      { ...REVEAL_BODY, check_code: CHECK_CODE, source: 'own', asked_at: '2026-11-21T12:00:00.000Z' },
      'thin'
    ])
    expect(world.calls).toEqual([{ operation: 'kept', arguments: [NAME] }])
  })

  it('shows no capabilities where no manifest is known', async () => {
    const world = createWorld()
    await world.node.registry.publishKid(IDENTITY)
    expect(await (await world.request('GET', `/api/resolve-kid/${DID}`)).json()).toEqual({
      kid_document: IDENTITY,
      manifest_document: { capabilities: [] },
      manifest_answered: true
    })
  })

  it('decodes a percent-encoded DID', async () => {
    const world = createWorld()
    await world.node.registry.publishKid(IDENTITY)
    expect((await world.request('GET', `/api/resolve-kid/${encodeURIComponent(DID)}`)).status).toBe(200)
  })
})
