import { describe, expect, it } from 'vitest'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

const status = async (response: Promise<Response>) => (await response).status

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
        detail: expect.stringContaining('Use a bearer token') as string
      })
    }
    expect(world.calls).toEqual([])
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
