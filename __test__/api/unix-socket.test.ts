/** The UNIX socket of the interface: real sockets in a directory of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { serve, type ApiServer, type ServeOptions } from '../../src/api/serve.ts'
import { createWorld, INSTANCE, MAIN_TOKEN } from './helpers/world.ts'

let directory: string
let path: string
const servers: ApiServer[] = []

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'chronym-socket-'))
  path = join(directory, 'api.sock')
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
  rmSync(directory, { recursive: true, force: true })
})

async function start(socket = path, options: ServeOptions = {}): Promise<ApiServer> {
  const server = await serve(createWorld().services, { host: '127.0.0.1', port: 0, socket }, options)
  servers.push(server)
  return server
}

async function get(
  url: string,
  headers: Record<string, string> = {}
): Promise<{ status: number | undefined; body: string }> {
  const asking = request({ socketPath: path, path: url, headers: { connection: 'close', ...headers } }).end()
  const [answer] = (await once(asking, 'response')) as [Parameters<typeof text>[0] & { statusCode?: number }]
  return { status: answer.statusCode, body: await text(answer) }
}

it('answers the owner alone, with the rules of the interface, and is gone after a stop', async () => {
  const server = await start()
  expect(server).toMatchObject({ hasSocket: true, socketWarning: undefined })
  expect(lstatSync(path).mode & 0o777).toBe(0o600)
  expect((await get('/api/names')).status).toBe(401)
  expect((await get('/api/names', { authorization: `Bearer ${MAIN_TOKEN}` })).status).toBe(200)
  expect((await get('/healthz', { host: 'evil.example' })).status).toBe(403)
  await server.close()
  expect(lstatSync(path, { throwIfNoEntry: false })).toBeUndefined()
})

it('has places and limits of its own', async () => {
  const single = { perSecond: 0.001, burst: 1 }
  const server = await start(path, {
    maxConnections: 1,
    limits: { anonymous: single, known: { perSecond: 1, burst: 9 }, failedLogins: single }
  })
  const headers = { authorization: `Bearer ${MAIN_TOKEN}` }
  // Who holds the main token keeps every place of the port.
  const held = await fetch(`${server.url}/api/events`, { headers })
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
  expect((await get('/api/names', headers)).status).toBe(200)
  expect((await get('/api/network-status')).status).toBe(200)
  await held.body?.cancel()
  await expect
    .poll(() =>
      fetch(`${server.url}/api/network-status`).then(
        ({ status }) => status,
        () => 0
      )
    )
    .toBe(200)
  expect((await get('/api/network-status')).status).toBe(429)
})

it('proves itself as `unix`, which no port does', async () => {
  const { url } = await start()
  const challenge = `/api/challenge?nonce=${'ab'.repeat(32)}&address=`
  expect(JSON.parse((await get(`${challenge}unix`)).body)).toMatchObject({ instance: INSTANCE })
  expect((await fetch(`${url}${challenge}unix`)).status).toBe(421)
  expect((await get(challenge + encodeURIComponent(new URL(url).host))).status).toBe(421)
})

it('takes the place of a socket that a killed process left', async () => {
  const program = `require('node:net').createServer().listen(process.argv[1], () => console.log('up'))`
  const killed = spawn(process.execPath, ['-e', program, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(killed.stdout, 'data')
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  expect(lstatSync(path).isSocket()).toBe(true)
  expect(await start()).toMatchObject({ hasSocket: true })
  expect((await get('/healthz')).status).toBe(200)
})

it.each([
  ['a link', 'is not a socket', () => symlinkSync(join(directory, 'target'), path)],
  ['a link to a socket', 'is not a socket', () => symlinkSync(join(directory, 'other.sock'), path)],
  ['a file', 'is not a socket', () => writeFileSync(path, 'mine')],
  ['a directory', 'is not a socket', () => mkdirSync(path)]
])('leaves %s in its place as it is, and serves by TCP', async (_what, reason, put) => {
  const other = createServer().listen(join(directory, 'other.sock'))
  await once(other, 'listening')
  put()
  const before = lstatSync(path)
  const { url, hasSocket, socketWarning } = await start()
  expect(hasSocket).toBe(false)
  expect(socketWarning).toContain(`the API has no UNIX socket: ${path} is there, and ${reason}`)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect(lstatSync(path)).toMatchObject({ ino: before.ino, mode: before.mode })
  expect(lstatSync(join(directory, 'target'), { throwIfNoEntry: false })).toBeUndefined()
  if (before.isFile()) expect(readFileSync(path, 'utf8')).toBe('mine')
  other.close()
})

it('takes no socket from a program that answers there', async () => {
  const other = createServer((socket) => socket.on('error', () => undefined).end('mine')).listen(path)
  await once(other, 'listening')
  expect((await start()).socketWarning).toContain(`another program listens at ${path}`)
  expect(await text(connect({ path }))).toBe('mine')
  other.close()
})

it.each([
  [
    'whose path is too long',
    () => `${path}${'x'.repeat(100)}`,
    /has \d+ bytes, and a socket at most 10[37]\. Choose a data directory/
  ],
  ['in a missing directory', () => join(directory, 'missing', 'api.sock'), /ENOENT/]
])('says why there is none %s', async (_what, socket, reason) => {
  const { hasSocket, socketWarning } = await start(socket())
  expect([hasSocket, socketWarning]).toEqual([false, expect.stringMatching(reason)])
})

it('says why there is none in a directory that others may enter', async () => {
  chmodSync(directory, 0o711)
  expect((await start()).socketWarning).toMatch(/others may enter .* \(mode 711\)\. .*chmod 700/)
  expect(lstatSync(path, { throwIfNoEntry: false })).toBeUndefined()
})
