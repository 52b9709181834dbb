import { describe, expect, it } from 'vitest'
import { createWorld, MAIN_TOKEN, SEED_PASSPHRASE } from '../helpers/world.ts'

async function locked() {
  const world = createWorld()
  world.services.seed.lock()
  return world
}

describe('/api/seed', () => {
  it('tells holders of a token what waits', async () => {
    const world = await locked()
    expect((await world.request('GET', '/api/seed')).status).toBe(401)
    const response = await world.request('GET', '/api/seed', { token: MAIN_TOKEN })
    expect(await response.json()).toEqual({
      state: 'locked',
      sealed: true,
      kept_elsewhere: false,
      waiting: [{ what: 'renew', name: 'alice.chronym', task_id: 't-1' }]
    })
  })

  it('is locked and unlocked with the main token only', async () => {
    const world = await locked()
    const { token } = world.services.tokens.create(['read', 'vdf', 'publish'])
    for (const path of ['/api/seed/unlock', '/api/seed/lock']) {
      expect((await world.request('POST', path, { body: { passphrase: SEED_PASSPHRASE } })).status).toBe(401)
      expect((await world.request('POST', path, { token, body: { passphrase: SEED_PASSPHRASE } })).status).toBe(403)
    }
    expect(world.services.seed.view().state).toBe('locked')
    const unlocked = await world.request('POST', '/api/seed/unlock', {
      token: MAIN_TOKEN,
      body: { passphrase: SEED_PASSPHRASE }
    })
    expect([unlocked.status, await unlocked.json()]).toEqual([
      200,
      expect.objectContaining({ state: 'unlocked', waiting: [] })
    ])
    const after = await world.request('POST', '/api/seed/lock', { token: MAIN_TOKEN })
    expect([after.status, await after.json()]).toEqual([200, expect.objectContaining({ state: 'locked' })])
  })

  it('refuses a wrong passphrase, and quotes none', async () => {
    const world = await locked()
    const wrong = await world.request('POST', '/api/seed/unlock', {
      token: MAIN_TOKEN,
      body: { passphrase: 'a guess' }
    })
    expect([wrong.status, await wrong.json()]).toEqual([403, expect.objectContaining({ code: 'SVC-KEY-007' })])
    for (const passphrase of [12345678, '', 'guess'.repeat(1000)]) {
      const response = await world.request('POST', '/api/seed/unlock', { token: MAIN_TOKEN, body: { passphrase } })
      const text = await response.text()
      expect(response.status).toBe(400)
      expect(text).not.toMatch(/12345678|guess/)
    }
  })

  it('refuses a member name in escapes, which hides the passphrase from what overwrites it', async () => {
    const world = await locked()
    const raw = JSON.stringify({ passphrase: SEED_PASSPHRASE }).replace('passphrase', '\\u0070assphrase')
    const response = await world.request('POST', '/api/seed/unlock', {
      token: MAIN_TOKEN,
      raw,
      headers: { 'Content-Type': 'application/json' }
    })
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'SVC-REQ-001', detail: expect.stringContaining('without escapes') as string })
    ])
    expect(world.services.seed.view().state).toBe('locked')
  })
})
