import { spawn } from 'node:child_process'
import { get } from 'node:http'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiListenError, serve, type ApiServer, type ServeOptions } from '../../src/api/serve.ts'
import { createWorld, MAIN_TOKEN } from './helpers/world.ts'

const servers: ApiServer[] = []

async function start(world = createWorld(), options: ServeOptions = {}, port = 0): Promise<ApiServer> {
  const server = await serve(world.services, { host: '127.0.0.1', port }, options)
  servers.push(server)
  return server
}

afterEach(async () => {
  vi.useRealTimers()
  for (const server of servers.splice(0)) await server.close()
})

/** Sends bytes and reads what comes until the server closes or `until` has come. */
function raw(port: number, bytes: string, until: string, host = '127.0.0.1'): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(bytes))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (text.includes(until)) socket.destroy()
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}

const OWNER = { Authorization: `Bearer ${MAIN_TOKEN}` }
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n'
const CODED = 'PATCH /config HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: '

/** An open connection on which nothing is sent. */
async function idle(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  return socket.resume()
}

/** Answered on a connection that stays open. */
async function ask(socket: Socket, token = MAIN_TOKEN): Promise<string> {
  const answer = once(socket, 'data')
  socket.write(`GET /session HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  return String(await answer)
}

describe('the server', () => {
  it('says where it listens', async () => {
    const { url, port } = await start()
    expect(url).toBe(`http://127.0.0.1:${port}`)
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok', version: '1.2.3' })
  })

  it.each(['/healthz', '/docs', '/', '/api/nothing'])(
    'says for HEAD %s how long the answer to GET is',
    async (path) => {
      const { port } = await start()
      const answer = (method: string) =>
        raw(port, `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`, '\0')
      const [head, got] = [await answer('HEAD'), await answer('GET')]
      const body = got.slice(got.indexOf('\r\n\r\n') + 4)
      // The problem document of an error has an id of its own, of the same length.
      expect(head).toMatch(new RegExp(`\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`, 'iu'))
      expect(head.endsWith('\r\n\r\n')).toBe(true)
    }
  )

  it('answers HEAD of an event stream at once, without a length', async () => {
    const world = createWorld()
    world.scriptTask()
    const { url } = await start(world)
    const answer = await fetch(`${url}/api/vdf/status/task-1/events`, { method: 'HEAD', headers: OWNER })
    expect(answer.status).toBe(200)
    expect(answer.headers.has('Content-Length')).toBe(false)
  })

  it('names cause and cure when the port is taken', async () => {
    const { port } = await start()
    const failure = await start(createWorld(), {}, port).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ApiListenError)
    const { message } = failure as Error
    expect(message).toMatch(
      new RegExp(`^127\\.0\\.0\\.1:${port} is in use: .* listens there\\. Stop it, or choose`, 'u')
    )
    // Elsewhere the system does not tell.
    if (process.platform === 'linux') expect(message).toContain(`process ${process.pid} (`)
  })

  it.runIf(process.platform === 'linux')('names the process that holds the port, without its secrets', async () => {
    const program =
      "require('node:net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })"
    const holder = spawn(process.execPath, ['-e', program, 'daemon', 'nats://user:hunter2@host'])
    try {
      const [line] = (await once(holder.stdout, 'data')) as [Buffer]
      const failure = await start(createWorld(), {}, Number(line.toString())).catch((error: unknown) => error as Error)
      const { message } = failure as Error
      expect(message).toContain(`process ${holder.pid} (`)
      expect(message).toMatch(/ daemon .*\) listens there/u)
      expect(message).not.toContain('hunter2')
      expect(message).toContain('--port 0 takes a free one')
    } finally {
      holder.kill()
      await once(holder, 'exit')
    }
  })

  it('names cause and cure when the host is none of this machine', async () => {
    await expect(serve(createWorld().services, { host: '192.0.2.1', port: 0 })).rejects.toThrow(
      '192.0.2.1:0 is not an address of this machine. Correct --host (api.host).'
    )
  })

  it('ends event streams and closes without waiting', async () => {
    const world = createWorld()
    world.scriptTask()
    const server = await start(world)
    const response = await fetch(`${server.url}/api/vdf/status/task-1/events`, { headers: OWNER })
    const text = response.text()
    await expect.poll(world.openStreams).toBe(1)
    // No timer ends what is under way: a close that waited for one would never end.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    await server.close()
    expect(await text).toBe('retry: 2000\n\n')
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
  })

  it('lets a request under way finish before it closes', async () => {
    const world = createWorld()
    const gate = Promise.withResolvers<undefined>()
    const asked = Promise.withResolvers<undefined>()
    world.answers.estimate = async (name) => {
      asked.resolve(undefined)
      await gate.promise
      return world.node.registry.estimate(name)
    }
    const server = await start(world)
    const answer = fetch(`${server.url}/api/vdf/estimate`, {
      method: 'POST',
      headers: { ...OWNER, 'Content-Type': 'application/json' },
      body: '{"name":"alice.chronym"}'
    })
    await asked.promise
    const closed = server.close()
    gate.resolve(undefined)
    expect((await answer).status).toBe(200)
    await closed
  })

  it('lets go of the source when a client hangs up', async () => {
    const world = createWorld()
    world.scriptTask()
    const { url } = await start(world)
    const closed = new AbortController()
    await fetch(`${url}/api/vdf/status/task-1/events`, {
      headers: OWNER,
      signal: closed.signal
    })
    await expect.poll(world.openStreams).toBe(1)
    closed.abort()
    await expect.poll(world.openStreams).toBe(0)
  })

  it('aborts a lookup when its client hangs up, and logs no error for it', async () => {
    const world = createWorld()
    const asked = Promise.withResolvers<AbortSignal | undefined>()
    world.answers.resolve = async (_name: string, signal?: AbortSignal) => {
      asked.resolve(signal)
      return new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
      )
    }
    const { url } = await start(world)
    const closed = new AbortController()
    const answer = fetch(`${url}/api/resolve/alice.chronym`, { signal: closed.signal })
    const signal = await asked.promise
    closed.abort()
    await expect(answer).rejects.toThrow()
    await expect.poll(() => signal?.aborted).toBe(true)
    expect(world.logged.filter(({ level }) => Number(level) >= 40)).toEqual([])
  })

  it('serves on IPv6, to clients of HTTP/1.0 too', async () => {
    const server = await serve(createWorld().services, { host: '::1', port: 0 })
    servers.push(server)
    expect(server.url).toBe(`http://[::1]:${server.port}`)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    expect(await raw(server.port, 'GET /healthz HTTP/1.0\r\n\r\n', '}', '::1')).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('answers a request line or Host that is none with a problem', async () => {
    const world = createWorld()
    const { port } = await start(world)
    const text = await raw(port, 'GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n', '}')
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(text).toContain(`X-Request-Id: ${String(world.logged[0]?.['request_id'])}`)
    expect(text).toContain('application/problem+json')
    expect(text).toContain('SVC-REQ-001')
  })

  it.each([
    ['a request without Host', 'GET /healthz HTTP/1.1\r\n\r\n', 'no Host header'],
    ['headers that are too long', `${HEALTH}X: ${'a'.repeat(20_000)}\r\n\r\n`, '16 KiB'],
    ['what is not HTTP', 'EHLO example.org\r\n\r\n', 'not HTTP'],
    ['a header that goes on in the next line', `${HEALTH} :80\r\n\r\n`, 'not HTTP'],
    ['a body of two codings', `${CODED}gzip, chunked\r\n\r\n0\r\n\r\n`, '"gzip, chunked" is not understood'],
    ['a body that has no end', `${CODED}gzip\r\n\r\n0\r\n\r\n`, '"gzip" is not understood'],
    [
      'a refused request, and not what follows it,',
      `${CODED}gzip, chunked\r\n\r\n0\r\n\r\n${HEALTH}\r\n`,
      '"gzip, chunked" is not understood'
    ],
    [
      'two codings in two headers',
      `${CODED}gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      '"gzip, chunked" is not understood'
    ]
  ])('answers %s with a problem, logs its id, and closes', async (_what, bytes, detail) => {
    const world = createWorld()
    const { port } = await start(world)
    const text = await raw(port, bytes, 'never')
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) as Record<string, unknown>
    expect(body).toMatchObject({ code: 'SVC-REQ-001', status: 400, detail: expect.stringContaining(detail) as string })
    expect(text).toContain(`X-Request-Id: ${String(body['request_id'])}`)
    expect(world.logged).toEqual([
      expect.objectContaining({ level: 30, request_id: body['request_id'], code: 'SVC-REQ-001' })
    ])
  })

  it.each([
    ['http://evil.example', 'localhost', 403],
    ['http://localhost', 'evil.example', 200],
    ['HTTP://LOCALHOST', 'localhost', 200],
    ['http://user@localhost', 'localhost', 400],
    ['http://', 'localhost', 400],
    ['', 'evil.example', 403],
    ['', 'user@127.0.0.1', 400],
    ['', 'localhost\r\nHost: localhost', 400],
    ['', '', 400]
  ])('judges the authority of "%s" with Host %j: %i', async (authority, host, status) => {
    const { port } = await start()
    const text = await raw(port, `GET ${authority}/healthz?a=b HTTP/1.1\r\nHost: ${host}\r\n\r\n`, '}')
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  it.each([
    ['sends nothing', ''],
    ['never ends its head', `${HEALTH}X-Slow: `]
  ])(
    'closes a connection that %s',
    async (_what, bytes) => {
      const server = await start(createWorld(), { headersTimeoutMs: 50 })
      expect(await raw(server.port, bytes, 'never')).toContain('its headers within 10.')
      // By itself Node looks every 30 s.
    },
    20_000
  )

  it("answers the owner at once beside as many idle connections as there may be, and keeps the owner's stream", async () => {
    const world = createWorld()
    world.scriptTask()
    // Silent ones are closed after a while too, which would show the newest closed on a busy machine.
    const { url, port } = await start(world, { maxConnections: 100, headersTimeoutMs: 30_000 })
    const stream = await fetch(`${url}/api/vdf/status/task-1/events`, { headers: OWNER })
    const flood: Socket[] = []
    const names =
      'GET /api/names HTTP/1.1\r\nHost: localhost\r\n' +
      `Authorization: Bearer ${MAIN_TOKEN}\r\nConnection: close\r\n\r\n`
    for (let wave = 0; wave < 2; wave++) {
      flood.push(...(await Promise.all(Array.from({ length: 100 }, () => idle(port)))))
      expect(await raw(port, names, 'never')).toMatch(/^HTTP\/1\.1 200 /)
    }
    expect(world.openStreams()).toBe(1)
    // The oldest have gone, the newest have not.
    await expect.poll(() => flood.filter(({ closed }) => closed).length).toBeGreaterThan(100)
    expect(flood.slice(-90).some(({ closed }) => closed)).toBe(false)
    for (const socket of flood) socket.destroy()
    await stream.body?.cancel()
  })

  it('closes a new connection where all places are held by who is known, and serves those', async () => {
    const server = await start(createWorld(), { maxConnections: 2 })
    const open = [await idle(server.port), await idle(server.port)]
    for (const socket of open) expect(await ask(socket)).toMatch(/^HTTP\/1\.1 200 /)
    await new Promise((resolve) =>
      connect(server.port, '127.0.0.1')
        .on('error', () => undefined)
        .on('close', resolve)
    )
    for (const socket of open) {
      expect(await ask(socket)).toMatch(/^HTTP\/1\.1 200 /)
      socket.destroy()
    }
  })

  it('takes places from the narrower token that has most, and from one that was revoked before', async () => {
    const world = createWorld()
    const server = await start(world, { maxConnections: 5 })
    const tokens = world.services.tokens
    const [many, few, gone] = [tokens.create(['vdf']), tokens.create(['read']), tokens.create(['read'])]
    const held: Socket[] = []
    for (const token of [MAIN_TOKEN, few.token, many.token, many.token, gone.token]) {
      const socket = await idle(server.port)
      held.push(socket)
      expect(await ask(socket, token)).toMatch(/^HTTP\/1\.1 200 /)
    }
    tokens.revoke(gone.id)
    const owners: Socket[] = []
    for (const gaveWay of [[4], [2, 4]]) {
      const owner = await idle(server.port)
      owners.push(owner)
      expect(await ask(owner)).toMatch(/^HTTP\/1\.1 200 /)
      await expect.poll(() => held.flatMap(({ closed }, index) => (closed ? [index] : []))).toEqual(gaveWay)
    }
    for (const socket of owners) socket.destroy()
    for (const socket of held) socket.destroy()
  })

  it('gives the place of a connection that has closed to the next, and closes none for it', async () => {
    const server = await start(createWorld(), { maxConnections: 2 })
    const stays = await idle(server.port)
    for (let turn = 0; turn < 3; turn++)
      expect(await raw(server.port, `${HEALTH}Connection: close\r\n\r\n`, 'never')).toMatch(/^HTTP\/1\.1 200 /)
    expect(stays.closed).toBe(false)
    stays.destroy()
  })

  it('counts all of this machine as one client, whichever of its addresses it takes', async () => {
    const once = { perSecond: 0.001, burst: 1 }
    const limits = { anonymous: once, known: once, failedLogins: once }
    const server = await start(createWorld(), { limits })
    const ask = (localAddress: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        get(`${server.url}/api/network-status`, { localAddress }, (response) =>
          resolve(response.resume().statusCode)
        ).on('error', reject)
      })
    expect(await ask('127.0.0.1')).toBe(200)
    // Only Linux has all of 127/8 without being told.
    expect(await ask(process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1')).toBe(429)
  })

  it('refuses a chunked body when it has grown too large', async () => {
    const { port } = await start()
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`
    const head =
      'POST /api/vdf/estimate HTTP/1.1\r\nHost: localhost\r\n' +
      `Authorization: Bearer ${MAIN_TOKEN}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const text = await raw(port, head + chunk.repeat(17), '}')
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
    expect(text).toContain('SVC-REQ-002')
  })
})
