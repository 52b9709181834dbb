import { assetPath } from '../../../src/web/index.ts'
import { describe, expect, it } from 'vitest'
import { clientAt } from '../../../src/api/http/request.ts'
import { login, status, withCookie } from '../helpers/session.ts'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

describe('rate limits', () => {
  const limits = {
    anonymous: { perSecond: 1, burst: 2 },
    known: { perSecond: 1, burst: 4 },
    failedLogins: { perSecond: 1, burst: 1 }
  }

  it('let a burst pass, then say when to come back, then refill', async () => {
    const world = createWorld({ limits })
    const ask = () => world.request('GET', '/api/network-status')
    expect([await status(ask()), await status(ask())]).toEqual([200, 200])
    const refused = await ask()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('Retry-After')).toBe('1')
    world.pass(1000)
    expect(await status(ask())).toBe(200)
  })

  it('are wider for those with a token, whatever others spent', async () => {
    const world = createWorld({ limits })
    for (let sent = 0; sent < 3; sent++) await world.request('GET', '/api/network-status')
    const statuses = []
    for (let sent = 0; sent < 5; sent++)
      statuses.push(await status(world.request('GET', '/api/config', { token: MAIN_TOKEN })))
    expect(statuses).toEqual([200, 200, 200, 200, 429])
  })

  it('are of each token alone, not of its address', async () => {
    const world = createWorld({ limits })
    const { token: other } = world.services.tokens.create(['read'])
    for (let sent = 0; sent < 5; sent++) await world.request('GET', '/api/config', { token: other })
    expect(await status(world.request('GET', '/api/config', { token: other }))).toBe(429)
    expect(await status(world.request('GET', '/api/config', { token: MAIN_TOKEN }))).toBe(200)
  })

  it('keep nobody from the dashboard: its page and its login do not count', async () => {
    const world = createWorld({ limits })
    for (let sent = 0; sent < 3; sent++) await world.request('GET', '/api/network-status')
    expect(await status(world.request('GET', '/api/network-status'))).toBe(429)
    expect(await status(world.request('GET', '/'))).toBe(200)
    expect(await status(world.request('GET', assetPath('main.js')))).toBe(200)
    const cookie = await login(world)
    expect(await status(world.request('GET', '/api/config', withCookie(cookie)))).toBe(200)
  })

  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.3.9', 'loopback'],
    ['::ffff:127.0.0.7', 'loopback'],
    ['::1', 'loopback'],
    [undefined, 'loopback'],
    ['192.0.2.1', '192.0.2.1'],
    ['::2', '::2'],
    ['128.0.0.1', '128.0.0.1'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1']
  ])('count %s as %s', (address, client) => {
    expect(clientAt(address)).toBe(client)
  })

  it('slow down bad tokens, and never a good one', async () => {
    const world = createWorld({ limits })
    const bad = () => status(world.request('GET', '/healthz', { token: 'bad' }))
    expect([await bad(), await bad(), await bad()]).toEqual([401, 429, 429])
    expect(await status(world.request('GET', '/healthz', { token: MAIN_TOKEN }))).toBe(200)
  })

  it('leave the checks of a supervisor alone', async () => {
    const world = createWorld({ limits })
    for (let sent = 0; sent < 10; sent++) expect(await status(world.request('GET', '/healthz'))).toBe(200)
  })

  it('refill nothing when the clock is set back', async () => {
    const world = createWorld({ limits })
    const ask = () => status(world.request('GET', '/api/network-status'))
    await ask()
    await ask()
    world.pass(-3_600_000)
    expect(await ask()).toBe(429)
  })
})
