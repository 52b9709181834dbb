import { describe, expect, it } from 'vitest'
import { clientAt } from '../../../src/api/http/client-address.ts'
import { serve } from '../../../src/api/serve.ts'
import { SESSION_LIFETIME_MS } from '../../../src/api/access/sessions.ts'
import type { TokenScope } from '../../../src/api/services.ts'
import { createWorld, MAIN_TOKEN, type World } from '../helpers/world.ts'

const status = async (response: Promise<Response>) => (await response).status

const HOST = 'localhost:7468'
const ORIGIN = 'http://localhost:7468'

/** The Set-Cookie header, and behind a bar the secret of the page. */
async function login(world: World, token = MAIN_TOKEN): Promise<string> {
  const response = await world.request('POST', '/session', { body: { token }, headers: { Host: HOST, Origin: ORIGIN } })
  expect(response.status).toBe(200)
  const { secret } = (await response.json()) as { secret: string }
  return `${response.headers.get('Set-Cookie')!}|${secret}`
}

const withCookie = (cookie: string, more: Record<string, string> = {}) => ({
  headers: { Host: HOST, Cookie: cookie.split(';')[0]!, 'X-Session-Secret': cookie.split('|')[1]!, ...more }
})

describe('the Host guard', () => {
  it.each([
    'localhost',
    'localhost:7468',
    'LOCALHOST',
    'localhost.',
    'chronym.localhost',
    '127.0.0.1:7468',
    '127.8.9.10',
    '[::1]',
    '[::1]:7468'
  ])('lets %s pass', async (host) => {
    expect(await status(createWorld().request('GET', '/healthz', { headers: { Host: host } }))).toBe(200)
  })

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '0.0.0.0',
    '192.168.1.5',
    '127.0.0.256',
    '[::2]',
    'a b',
    'localhost:x',
    ''
  ])('refuses "%s"', async (host) => {
    const response = await createWorld().request('GET', '/healthz', { headers: { Host: host } })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'SVC-AUT-002' })
  })

  it.each([
    ['names.example', 'names.example:8080', 200],
    ['Names.Example', 'names.example', 200],
    ['names.example:8080', 'names.example:8080', 200],
    ['names.example:8080', 'names.example:9090', 403],
    ['192.168.1.5', '192.168.1.5:7468', 200],
    ['::2', '[::2]:7468', 200]
  ])('with %s allowed answers Host %s with %i', async (allowed, host, expected) => {
    const world = createWorld()
    world.state.allowedHosts = [allowed]
    expect(await status(world.request('GET', '/healthz', { headers: { Host: host } }))).toBe(expected)
  })
})

describe('the address listened on', () => {
  it.each([
    ['192.168.1.5', '192.168.1.5:7468'],
    ['fd00::5', '[fd00::5]:7468']
  ])('%s is a Host that is answered: %s', async (host, header) => {
    expect(await status(createWorld({ host }).request('GET', '/healthz', { headers: { Host: header } }))).toBe(200)
    expect(await status(createWorld({ host }).request('GET', '/healthz', { headers: { Host: 'evil.example' } }))).toBe(
      403
    )
  })

  it('remembers of earlier requests no Host that the configuration allows no more', async () => {
    const world = createWorld()
    const answers = async (...hosts: string[]) =>
      Promise.all(hosts.map((host) => status(world.request('GET', '/healthz', { headers: { Host: host } }))))
    world.state.allowedHosts = ['box.example']
    expect(await answers('localhost', 'localhost', 'evil.example', 'evil.example', 'box.example')).toEqual([
      200, 200, 403, 403, 200
    ])
    world.state.allowedHosts = []
    expect(await answers('box.example', 'localhost')).toEqual([403, 200])
  })
})

describe('other origins', () => {
  const PREFLIGHT = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization' }

  it('get no CORS header', async () => {
    const response = await createWorld().request('GET', '/api/network-status', {
      headers: { Origin: 'https://evil.example' }
    })
    expect(response.status).toBe(200)
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  const LOOK_UPS = [
    '/api/resolve/alice.chronym',
    '/api/explain/alice.chronym',
    '/api/zone/alice.chronym',
    '/api/resolve-kid/did:chronym:z',
    '/api/resolve-kid/did:chronym:z/log'
  ]
  const FOREIGN: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' }
  ]

  it.each(LOOK_UPS)('may not look up %s without a token', async (path) => {
    const world = createWorld()
    for (const headers of FOREIGN) {
      const response = await world.request('GET', path, { headers })
      expect(response.status).toBe(403)
      expect(await response.json()).toMatchObject({
        code: 'SVC-AUT-002',
        detail: expect.stringContaining('Ask with a bearer token') as string
      })
    }
    expect(world.registry.calls).toEqual([])
    for (const headers of FOREIGN)
      expect(await status(world.request('GET', path, { headers, token: MAIN_TOKEN }))).not.toBe(403)
    for (const site of ['same-origin', 'none'])
      expect(await status(world.request('GET', path, { headers: { 'Sec-Fetch-Site': site } }))).not.toBe(403)
    world.state.allowedOrigins = ['https://app.example']
    expect(
      await status(
        world.request('GET', path, { headers: { Origin: 'https://app.example', 'Sec-Fetch-Site': 'cross-site' } })
      )
    ).not.toBe(403)
  })

  it.each(['POST', 'DELETE', 'OPTIONS'])('may not %s, token or not', async (method) => {
    const response = await createWorld().request(method, '/session', {
      token: MAIN_TOKEN,
      headers: { Origin: 'https://evil.example', ...PREFLIGHT }
    })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'SVC-AUT-002' })
  })

  it('that are allowed pass the preflight and get headers for themselves alone', async () => {
    const world = createWorld()
    world.state.allowedOrigins = ['https://app.example']
    const preflight = await world.request('OPTIONS', '/api/commit', {
      headers: { Origin: 'https://app.example', ...PREFLIGHT }
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe('https://app.example')
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('Authorization')
    expect(preflight.headers.has('Access-Control-Allow-Credentials')).toBe(false)
    const answer = await world.request('GET', '/api/owned-names', {
      token: MAIN_TOKEN,
      headers: { Origin: 'https://app.example' }
    })
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('https://app.example')
    expect(answer.headers.get('Access-Control-Expose-Headers')).toContain('ETag')
    expect(answer.headers.get('Vary')).toContain('Origin')
  })

  it('that are allowed can read errors too', async () => {
    const world = createWorld()
    world.state.allowedOrigins = ['https://app.example']
    const response = await world.request('GET', '/api/owned-names', { headers: { Origin: 'https://app.example' } })
    expect(response.status).toBe(401)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('https://app.example')
  })

  it.each(['null', 'https://app.example.evil.example', 'http://app.example'])(
    '%s is not https://app.example',
    async (origin) => {
      const world = createWorld()
      world.state.allowedOrigins = ['https://app.example']
      expect(
        (await world.request('GET', '/healthz', { headers: { Origin: origin } })).headers.has(
          'Access-Control-Allow-Origin'
        )
      ).toBe(false)
    }
  )
})

describe('the Authorization header', () => {
  it.each([
    'Bearer wrong',
    'Bearer',
    'Basic dXNlcjpwYXNz',
    `Bearer ${MAIN_TOKEN}x`,
    `Token ${MAIN_TOKEN}`,
    `Bearer ${MAIN_TOKEN}, Bearer x`
  ])('%s is refused on a public path too', async (header) => {
    const response = await createWorld().request('GET', '/api/network-status', { headers: { Authorization: header } })
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer realm="chronym"')
  })

  it.each([`Bearer ${MAIN_TOKEN}`, `bearer  ${MAIN_TOKEN}`])('%s is accepted', async (header) => {
    expect(await status(createWorld().request('GET', '/api/config', { headers: { Authorization: header } }))).toBe(200)
  })
})

describe('an explanation', () => {
  it('has what concerns this daemon itself only for those who may read', async () => {
    const world = createWorld()
    const own = async (token?: string): Promise<unknown> => {
      const response = await world.request(
        'GET',
        '/api/explain/alice.chronym',
        token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }
      )
      expect(response.headers.get('Vary')).toContain('Authorization')
      return ((await response.json()) as { own: unknown }).own
    }
    expect(await own()).toBeNull()
    expect(await own(world.services.tokens.create(['publish']).token)).toBeNull()
    expect(await own(world.services.tokens.create(['read']).token)).not.toBeNull()
    expect(await own(MAIN_TOKEN)).not.toBeNull()
  })
})

describe('scopes', () => {
  const calls: [string, string, unknown, TokenScope[]][] = [
    ['GET', '/api/config', undefined, ['read']],
    ['GET', '/api/owned-names', undefined, ['read']],
    ['GET', '/api/tokens', undefined, ['read']],
    ['GET', '/api/pins', undefined, ['read']],
    ['GET', '/api/wanted', undefined, ['read']],
    ['GET', '/api/seed', undefined, ['read']],
    ['POST', '/api/seed/unlock', {}, ['admin']],
    ['POST', '/api/seed/lock', undefined, ['admin']],
    ['POST', '/api/wanted', {}, ['publish']],
    ['DELETE', '/api/wanted/none.chronym', undefined, ['publish']],
    ['GET', '/metrics', undefined, ['read']],
    ['GET', '/api/vdf/tasks', undefined, ['read', 'vdf']],
    ['GET', '/api/vdf/status/none', undefined, ['read', 'vdf']],
    ['POST', '/api/vdf/register', {}, ['vdf']],
    ['POST', '/api/vdf/renew', {}, ['vdf']],
    ['POST', '/api/vdf/estimate', {}, ['read', 'vdf']],
    ['DELETE', '/api/vdf/status/none', undefined, ['vdf']],
    ['POST', '/api/vdf/tasks/none/pause', undefined, ['vdf']],
    ['POST', '/api/commit', {}, ['publish']],
    ['POST', '/api/publish', {}, ['publish']],
    ['POST', '/api/publish-kid', {}, ['publish']],
    ['POST', '/api/publish-manifest', {}, ['publish']],
    ['POST', '/api/zone/alice.chronym', {}, ['publish']],
    ['POST', '/api/zone/alice.chronym/publish', undefined, ['publish']],
    ['POST', '/api/config', {}, []],
    ['POST', '/api/tokens', {}, []],
    ['POST', '/api/tokens/rotate', undefined, []],
    ['DELETE', '/api/tokens/none', undefined, []],
    ['DELETE', '/api/pins/none.chronym', undefined, []]
  ]
  const everyScope: TokenScope[] = ['read', 'vdf', 'publish', 'admin']

  it.each(calls)('%s %s is open to those that name it, and to admin', async (method, path, body, scopes) => {
    const world = createWorld()
    for (const scope of everyScope) {
      const { token } = world.services.tokens.create([scope])
      const response = await world.request(method, path, { token, body })
      const forbidden = response.status === 403 && ((await response.json()) as { code: string }).code === 'SVC-AUT-002'
      expect([scope, forbidden]).toEqual([scope, scope !== 'admin' && !scopes.includes(scope)])
    }
  })
})

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
    world.clock.now += SESSION_LIFETIME_MS - 1
    expect(await status(world.request('GET', '/api/config', withCookie(cookie)))).toBe(200)
    world.clock.now += 1
    expect(await status(world.request('GET', '/api/config', withCookie(cookie)))).toBe(401)
  })
})

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
    world.clock.now += 1000
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
    expect(await status(world.request('GET', '/assets/main.js'))).toBe(200)
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
    world.clock.now -= 3_600_000
    expect(await ask()).toBe(429)
  })
})

describe('every answer', () => {
  it.each(['/', '/docs', '/errors/SVC-INT-001', '/api/network-status', '/nothing'])(
    'of %s forbids sniffing, caching and referrers',
    async (path) => {
      const { headers } = await createWorld().request('GET', path)
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(headers.get('Cache-Control')).toBe('no-store')
      expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    }
  )
  it.each(['/', '/docs', '/api/network-status', '/nothing'])(
    'says so over a socket too, on %s to a page of an allowed origin as well',
    async (path) => {
      const world = createWorld()
      world.state.allowedOrigins = ['https://page.example']
      const server = await serve(world.services, { host: '127.0.0.1', port: 0 })
      try {
        for (const given of [{}, { Origin: 'https://page.example' }]) {
          const { headers } = await fetch(server.url + path, { headers: { ...given, 'X-Request-Id': 'mine' } })
          expect(Object.fromEntries(headers)).toMatchObject({
            'x-content-type-options': 'nosniff',
            'cache-control': 'no-store',
            'referrer-policy': 'no-referrer',
            'x-request-id': 'mine'
          })
          expect(headers.get('Access-Control-Allow-Origin')).toBe('Origin' in given ? given.Origin : null)
        }
      } finally {
        await server.close()
      }
    }
  )

  it('of a route that knows it at once is given without a turn of promises', () => {
    expect(createWorld().app.request('http://localhost/api/network-status')).toBeInstanceOf(Response)
  })
})
