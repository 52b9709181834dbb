import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { connect, constants, type ClientHttp2Session } from 'node:http2'
import { request } from 'node:https'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { serveDoh, type DohOptions, type DohServer } from '../../src/api/doh.ts'
import { createWorld, type World } from './helpers/world.ts'

const pem = (file: string): Buffer => readFileSync(join(import.meta.dirname, '../dns/tls', file))
const [certificate, key] = [pem('cert.pem'), pem('key.pem')]
const HERE = { host: '127.0.0.1', port: 0 }
const QUERY = '/dns-query?dns=q80BAAABAAAAAAAA'
const POST = { ':method': 'POST', ':path': '/dns-query', 'content-type': 'application/dns-message' }

let world: World
let server: DohServer
let session: ClientHttp2Session

interface Answer {
  readonly headers: Record<string, unknown>
  readonly body: Buffer
}

async function start(options: Partial<DohOptions> = {}): Promise<void> {
  world = createWorld()
  server = await serveDoh(world.services, HERE, { certificate, key, isPublic: false, ...options })
  session = connect(`https://localhost:${server.port}`, { ca: certificate })
  await once(session, 'connect')
}

async function ask(headers: Record<string, string>, body?: Uint8Array): Promise<Answer> {
  const stream = session.request(headers)
  stream.end(body)
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = once(stream, 'end')
  const [answered] = (await once(stream, 'response')) as [Record<string, unknown>]
  await ended
  return { headers: answered, body: Buffer.concat(chunks) }
}

/** Key and certificate in one PEM. */
function rsaPair(): Pick<Parameters<typeof serveDoh>[2], 'certificate' | 'key'> {
  needPackages(['openssl'])
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', '-', '-subj', '/CN=localhost']
  const { stdout } = spawnSync(programOf('openssl'), args)
  return { certificate: stdout, key: stdout }
}

const page = { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' }

beforeEach(() => start())
afterEach(async () => {
  session.destroy()
  await server.close()
})

describe('DNS over HTTPS', () => {
  it('answers over HTTP/2', async () => {
    const get = await ask({ ':path': QUERY })
    expect(get.headers).toMatchObject({
      ':status': 200,
      'content-type': 'application/dns-message',
      'cache-control': 'max-age=42'
    })
    expect([...get.body]).toEqual([0xab, 0xcd])
    const post = await ask(POST, Uint8Array.of(1, 2, 3))
    expect([...post.body]).toEqual([1, 2])
    expect(world.dns.queries.map(({ client }) => client)).toEqual(['127.0.0.1', '127.0.0.1'])
  })

  it('answers over HTTP/1.1', async () => {
    const asking = request({ host: 'localhost', port: server.port, path: QUERY, ca: certificate, agent: false })
    asking.end()
    const [response] = (await once(asking, 'response')) as [import('node:http').IncomingMessage]
    expect(response.statusCode).toBe(200)
    response.resume()
    await once(response, 'close')
  })

  it('serves nothing else of the interface', async () => {
    for (const path of ['/', '/api/dns', '/api/network-status', '/metrics', '/healthz']) {
      const { headers, body } = await ask({ ':path': path })
      expect(headers[':status']).toBe(404)
      expect(JSON.parse(String(body))).toMatchObject({ code: 'SVC-REQ-004' })
    }
    const { headers } = await ask({ ':path': '/dns-query', ':method': 'DELETE' })
    expect(headers).toMatchObject({ ':status': 405, allow: 'GET, HEAD, POST' })
  })

  it('refuses what is not a query, as the interface does', async () => {
    expect((await ask({ ':path': '/dns-query' })).headers[':status']).toBe(400)
    expect((await ask({ ...POST, 'content-type': 'application/json' }, Uint8Array.of(1))).headers[':status']).toBe(415)
    expect((await ask(POST, new Uint8Array(5_000))).headers[':status']).toBe(413)
  })

  it('on this machine alone is refused to pages, which could read what was looked up lately', async () => {
    const { headers } = await ask({ ':path': QUERY, ...page })
    expect(headers[':status']).toBe(403)
    expect(headers).not.toHaveProperty('access-control-allow-origin')
    expect(world.dns.queries).toEqual([])
  })

  it('for many may be asked by any page', async () => {
    await server.close()
    await start({ isPublic: true })
    const { headers } = await ask({ ':path': QUERY, ...page })
    expect(headers).toMatchObject({ ':status': 200, 'access-control-allow-origin': '*' })
    const preflight = await ask({
      ':path': '/dns-query',
      ':method': 'OPTIONS',
      ...page,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type'
    })
    expect(preflight.headers).toMatchObject({ ':status': 204, 'access-control-allow-headers': 'Content-Type' })
  })

  it('leaves limits to the DNS server, which counts all transports', async () => {
    // The interface takes 400 at once from an address.
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask({ ':path': QUERY })))
      expect(answers.every(({ headers }) => headers[':status'] === 200)).toBe(true)
    }
    expect(world.dns.queries).toHaveLength(500)
  })

  describe.each(['ec', 'rsa'])('with a certificate of kind %s', (kind) => {
    beforeEach(async () => {
      if (kind === 'ec') return
      await server.close()
      session.destroy()
      server = await serveDoh(world.services, HERE, { ...rsaPair(), isPublic: false })
    })

    it.each([
      ['ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256', true],
      ['ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES256-GCM-SHA384', true],
      ['ECDHE-RSA-CHACHA20-POLY1305:ECDHE-ECDSA-CHACHA20-POLY1305', true],
      ['AES128-GCM-SHA256:AES256-GCM-SHA384', false],
      ['AES128-SHA:AES256-SHA256', false],
      ['ECDHE-RSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA256', false],
      ['ECDHE-RSA-AES256-SHA:ECDHE-ECDSA-AES256-SHA', false]
    ])('takes %s under TLS 1.2: %s', async (ciphers, isTaken) => {
      const offered = { port: server.port, host: 'localhost', ciphers, maxVersion: 'TLSv1.2' } as const
      const socket = connectTls({ ...offered, ALPNProtocols: ['h2'], rejectUnauthorized: false })
      const taken = once(socket, 'secureConnect').then(
        () => true,
        () => false
      )
      expect(await taken).toBe(isTaken)
      socket.destroy()
    })
  })

  it('ends a connection that opens and resets streams, or pings, without end', async () => {
    const closed = () => new Promise((resolve) => session.once('close', resolve))
    const resets = closed()
    session.on('error', () => undefined)
    for (let count = 0; count < 200; count++) {
      const stream = session.request({ ':path': QUERY })
      stream.on('error', () => undefined)
      stream.close(constants.NGHTTP2_CANCEL)
    }
    await resets
    expect(world.dns.queries.length).toBeLessThan(200)

    session = connect(`https://localhost:${server.port}`, { ca: certificate })
    session.on('error', () => undefined)
    await once(session, 'connect')
    const pings = closed()
    for (let count = 0; count <= 100 && !session.destroyed; count++)
      await Promise.race([pings, new Promise((resolve) => session.ping(resolve))])
    await pings
  })

  it('names the address on which it cannot listen: SVC-DNS-002', async () => {
    const again = serveDoh(world.services, { ...HERE, port: server.port }, { certificate, key, isPublic: false })
    await expect(again).rejects.toMatchObject({
      code: 'SVC-DNS-002',
      message: expect.stringContaining(`127.0.0.1 port ${server.port}`) as string
    })
  })

  it('ends though a connection is open', async () => {
    await ask({ ':path': QUERY })
    const closed = once(session, 'close')
    await server.close()
    await closed
  })
})
