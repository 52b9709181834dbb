import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

const MEDIA = 'application/dns-message'
const QUERY = Uint8Array.of(0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xff, 0xfe)
const GET = `/dns-query?dns=${Buffer.from(QUERY).toString('base64url')}`

describe('DNS over HTTP', () => {
  it('answers a query of a GET, for as long as its TTLs say', async () => {
    const world = createWorld()
    const response = await world.request('GET', GET)
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe(MEDIA)
    expect(response.headers.get('Cache-Control')).toBe('max-age=42')
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0xab, 0xcd])
    expect(world.dns.queries).toEqual([{ message: QUERY, client: '127.0.0.1', isHere: true }])
  })

  it('answers a query of a POST', async () => {
    const world = createWorld()
    for (const type of [MEDIA, 'Application/DNS-Message; charset=binary']) {
      const response = await world.request('POST', '/dns-query', { raw: QUERY, headers: { 'Content-Type': type } })
      expect(response.status).toBe(200)
    }
    expect(world.dns.queries.map(({ message }) => message)).toEqual([QUERY, QUERY])
  })

  it.each(['Forwarded', 'X-Forwarded-For', 'Via'])(
    'takes a query with %s for one of another machine',
    async (header) => {
      const world = createWorld()
      await world.request('GET', GET, { headers: { [header]: '192.0.2.1' } })
      expect(world.dns.queries).toMatchObject([{ isHere: false }])
    }
  )

  it.each(['/dns-query', '/dns-query?dns=', '/dns-query?dns=a', '/dns-query?dns=%20', `${GET}!`])(
    'refuses %s',
    async (path) => {
      const response = await createWorld().request('GET', path)
      expect(await response.json()).toMatchObject({ code: 'SVC-REQ-001', errors: [{ path: 'dns' }] })
    }
  )

  it('refuses what is longer than any query', async () => {
    const long = Buffer.alloc(4_097)
    const get = await createWorld().request('GET', `/dns-query?dns=${long.toString('base64url')}`)
    expect(get.status).toBe(400)
    const post = await createWorld().request('POST', '/dns-query', {
      raw: new Uint8Array(long),
      headers: { 'Content-Type': MEDIA }
    })
    expect(post.status).toBe(413)
    expect(await post.json()).toMatchObject({ code: 'SVC-REQ-002', detail: 'The body is larger than 4 KiB.' })
  })

  it('refuses a body of another kind', async () => {
    for (const headers of [{}, { 'Content-Type': 'application/json' }] as Record<string, string>[]) {
      const response = await createWorld().request('POST', '/dns-query', { raw: QUERY, headers })
      expect(response.status).toBe(415)
    }
  })

  it('is refused to a page of another origin, which could read what was looked up lately', async () => {
    const world = createWorld()
    const page = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://other.example' }
    expect((await world.request('GET', GET, { headers: page })).status).toBe(403)
    const post = { raw: QUERY, headers: { ...page, 'Content-Type': MEDIA } }
    expect((await world.request('POST', '/dns-query', post)).status).toBe(403)
    expect(world.dns.queries).toEqual([])
    world.state.allowedOrigins = ['https://other.example']
    const allowed = await world.request('GET', GET, { headers: page })
    expect(allowed.status).toBe(200)
    expect(allowed.headers.get('Access-Control-Allow-Origin')).toBe('https://other.example')
  })
})

describe('flushing', () => {
  it('takes a name, or none for all', async () => {
    const world = createWorld()
    const token = MAIN_TOKEN
    for (const body of [{ name: 'alice.chronym' }, {}]) {
      const response = await world.request('POST', '/api/dns/flush', { token, body })
      expect(await response.json()).toEqual({ success: true, flushed: 1 })
    }
    expect(world.dns.flushed).toEqual(['alice.chronym', undefined])
  })
})

describe('the proxy auto-configuration', () => {
  const proxyFor = async (https: { address: string; port: number; ready: boolean } | null, host: string) => {
    const world = createWorld()
    world.dns.https = https
    const response = await world.request('GET', '/proxy.pac')
    expect(response.headers.get('Content-Type')).toBe('application/x-ns-proxy-autoconfig')
    const script = `${await response.text()}; FindProxyForURL('https://' + host + '/', host)`
    return runInNewContext(script, { host }) as string
  }

  it('sends names of the zone to the proxy, and all others where they went', async () => {
    const https = { address: '::1', port: 7443, ready: true }
    expect(await proxyFor({ ...https, address: '127.0.0.1' }, 'www.alice.chronym')).toBe('PROXY 127.0.0.1:7443')
    for (const host of ['alice.chronym', 'alice.chronym.', 'Alice.CHRONYM'])
      expect(await proxyFor(https, host)).toBe('PROXY [::1]:7443')
    for (const host of ['example.com', 'evilchronym', 'chronym', 'alice.chronym.example.com'])
      expect(await proxyFor(https, host)).toBe('DIRECT')
  })

  it('sends nothing to a proxy that is off', async () => {
    expect(await proxyFor(null, 'alice.chronym')).toBe('DIRECT')
  })
})
