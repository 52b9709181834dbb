import { describe, expect, it } from 'vitest'
import { LINK_LIFETIME_MS, SESSION_LIFETIME_MS } from '../../../src/api/access/sessions.ts'
import { DEFAULT_LIMITS } from '../../../src/api/access/rate-limits.ts'
import { HOST, login, ORIGIN, status, withCookie } from '../helpers/session.ts'
import { createWorld, MAIN_TOKEN, type World } from '../helpers/world.ts'

describe('the session of the dashboard', () => {
  it('is a cookie of its port that no script can read and no other site sends', async () => {
    const cookie = await login(createWorld())
    expect(cookie).toMatch(
      /^chronym_session_7468=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict\|[\w-]{43}$/
    )
    expect(cookie).not.toContain(MAIN_TOKEN)
  })

  it('counts only beside the secret of its page, which the cookie does not hold', async () => {
    const world = createWorld()
    const cookie = await login(world)
    const other = await login(createWorld())
    const read = (secret: Record<string, string>) =>
      status(world.request('GET', '/api/config', { headers: { Host: HOST, Cookie: cookie.split(';')[0]!, ...secret } }))
    expect(await read({})).toBe(401)
    expect(await read({ 'X-Session-Secret': other.split('|')[1]! })).toBe(401)
    expect(cookie.split('|')[0]).not.toContain(cookie.split('|')[1]!)
    const ended = await world.request('DELETE', '/session', {
      headers: { Host: HOST, Origin: ORIGIN, Cookie: cookie.split(';')[0]! }
    })
    expect(ended.status).toBe(204)
    expect(await read({ 'X-Session-Secret': cookie.split('|')[1]! })).toBe(200)
  })

  it('is ended by no other token, however often that logs in', async () => {
    const world = createWorld()
    const owner = await login(world)
    const { token } = world.services.tokens.create(['read'])
    const first = await login(world, token)
    for (let opened = 0; opened < 100; opened++) await login(world, token)
    const read = (cookie: string) => status(world.request('GET', '/api/config', withCookie(cookie)))
    expect([await read(owner), await read(first)]).toEqual([200, 401])
  })

  it('goes on in one tab when another logs in', async () => {
    const world = createWorld()
    const first = await login(world)
    const again = await world.request('POST', '/session', {
      ...withCookie(first, { Origin: ORIGIN }),
      body: { token: MAIN_TOKEN }
    })
    const { secret } = (await again.json()) as { secret: string }
    const cookie = again.headers.get('Set-Cookie')!
    expect(cookie.split(';')[0]).toBe(first.split(';')[0])
    for (const each of [first, `${cookie}|${secret}`])
      expect(await status(world.request('GET', '/api/config', withCookie(each)))).toBe(200)
  })

  it('opens what its token opens', async () => {
    const world = createWorld()
    const { token } = world.services.tokens.create(['read'])
    const cookie = await login(world, token)
    expect(await (await world.request('GET', '/session', withCookie(cookie))).json()).toEqual({ scopes: ['read'] })
    expect(await status(world.request('GET', '/api/config', withCookie(cookie)))).toBe(200)
    expect(await status(world.request('POST', '/api/tokens/rotate', withCookie(cookie, { Origin: ORIGIN })))).toBe(403)
  })

  it('is refused for a token that is not ours', async () => {
    const response = await createWorld().request('POST', '/session', { body: { token: 'nope' } })
    expect(response.status).toBe(401)
    expect(response.headers.has('Set-Cookie')).toBe(false)
  })

  describe('opened by a link', () => {
    const makeLink = async (world: World) => {
      const response = await world.request('POST', '/api/login-links', { token: MAIN_TOKEN })
      return ((await response.json()) as { link: string }).link
    }
    const use = (world: World, link: string) =>
      world.request('POST', '/session', { body: { link }, headers: { Host: HOST, Origin: ORIGIN } })

    it('has the scopes of the token that made it, once', async () => {
      const world = createWorld()
      const link = await makeLink(world)
      expect(await (await use(world, link)).json()).toMatchObject({ scopes: ['admin'] })
      const again = await use(world, link)
      expect(again.status).toBe(401)
      expect(again.headers.has('Set-Cookie')).toBe(false)
      expect(((await again.json()) as { detail: string }).detail).toMatch(/used before, or is older than a minute/)
    })

    it('works for a minute', async () => {
      const world = createWorld()
      const [first, second] = [await makeLink(world), await makeLink(world)]
      world.pass(LINK_LIFETIME_MS - 1)
      expect(await status(use(world, first))).toBe(200)
      world.pass(1)
      expect(await status(use(world, second))).toBe(401)
    })

    it('is not opened once its token is replaced', async () => {
      const world = createWorld()
      const link = await makeLink(world)
      world.services.tokens.rotate()
      expect(await status(use(world, link))).toBe(401)
    })

    it('lets ten wait, the newest', async () => {
      const world = createWorld()
      const links = []
      for (let count = 0; count < 11; count++) links.push(await makeLink(world))
      expect(await status(use(world, links[0]!))).toBe(401)
      expect(await status(use(world, links[1]!))).toBe(200)
    })

    it('is made for the scope admin alone, and guessed at no faster than a token', async () => {
      const world = createWorld({ limits: { ...DEFAULT_LIMITS, failedLogins: { perSecond: 1, burst: 1 } } })
      const { token } = world.services.tokens.create(['read', 'vdf', 'publish'])
      expect(await status(world.request('POST', '/api/login-links', { token }))).toBe(403)
      expect(await status(world.request('POST', '/api/login-links', {}))).toBe(401)
      expect(await status(use(world, 'guess'))).toBe(401)
      expect(await status(use(world, 'guess'))).toBe(429)
    })

    it('needs a link or a token', async () => {
      const response = await createWorld().request('POST', '/session', { body: {} })
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('Expected \\"token\\" or \\"link\\", a text')
    })
  })

  it.each([
    ['another port of this machine', { 'Sec-Fetch-Site': 'same-site' }],
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another origin', { Origin: 'http://localhost:9999' }],
    ['no origin at all', { Origin: 'null' }]
  ])('does not count for a page of %s', async (_page, headers: Record<string, string>) => {
    const world = createWorld()
    const cookie = await login(world)
    expect(await status(world.request('GET', '/api/config', withCookie(cookie, headers)))).toBe(401)
  })

  it('changes something only for a request with its own Origin', async () => {
    const world = createWorld()
    const cookie = await login(world)
    const change = (headers: Record<string, string>) =>
      status(world.request('POST', '/api/config', { body: { mode: 'light' }, ...withCookie(cookie, headers) }))
    expect(await change({})).toBe(403)
    expect(await change({ Origin: 'http://localhost:9999' })).toBe(403)
    expect(await change({ Origin: ORIGIN })).toBe(200)
  })

  it('ends with the log-out', async () => {
    const world = createWorld()
    const cookie = await login(world)
    const response = await world.request('DELETE', '/session', withCookie(cookie, { Origin: ORIGIN }))
    expect(response.status).toBe(204)
    expect(response.headers.get('Set-Cookie')).toMatch(/^chronym_session_7468=; Max-Age=0/)
    expect(await status(world.request('GET', '/api/config', withCookie(cookie)))).toBe(401)
  })

  it('ends when its token is replaced', async () => {
    const world = createWorld()
    const cookie = await login(world)
    world.services.tokens.rotate()
    expect(await status(world.request('GET', '/api/config', withCookie(cookie)))).toBe(401)
    expect(await status(world.request('GET', '/api/network-status', withCookie(cookie)))).toBe(200)
  })

  it('ends after twelve hours', async () => {
    const world = createWorld()
    const cookie = await login(world)
    world.pass(SESSION_LIFETIME_MS - 1)
    expect(await status(world.request('GET', '/api/config', withCookie(cookie)))).toBe(200)
    world.pass(1)
    expect(await status(world.request('GET', '/api/config', withCookie(cookie)))).toBe(401)
  })
})
