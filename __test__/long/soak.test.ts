/**
 * What a daemon keeps of each request: nothing. Fails by the slope of its heap, not by a size, so that it does not
 * depend on what else the daemon holds. SOAK_LOOKUPS (10^6) and SOAK_REQUESTS (10^5 for each endpoint, with and without
 * a token) make it shorter.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { encodeQuery } from '../../scripts/dns/message.ts'
import { didOfGenesis } from '../../src/protocol/identity/did.ts'
import { local } from '../../src/protocol/profile/built-in.ts'
import { forEachConcurrently } from '../../src/util/concurrency.ts'
import type { DnsView } from '../../src/views/dns.ts'

const LOOKUPS = Number(process.env['SOAK_LOOKUPS'] ?? 1_000_000)
const REQUESTS = Number(process.env['SOAK_REQUESTS'] ?? 100_000)
const TIMEOUT_MS = 4 * 3_600_000
const UNDER_WAY = 16
/** A lost datagram, or a look-up that takes longer than any does. */
const PATIENCE_MS = 20_000

/** The heap is read after each; the first ones fill caches and let V8 compile. */
const WINDOWS = 16
const WARM_UP = 6
/** The least that a leak keeps of a request: an entry of a Map with a closure. A listener on a signal keeps 4 KiB. */
const LEAST_LEAK_BYTES = 64
/** A collected heap wanders by as much, whatever comes: compiled code, buffers of connections, pulses. */
const WANDER_BYTES = 600_000

/** In 6,000 names every cache of names has been full: the largest holds 2,000. */
const FILL_NAMES = 6_000

/** Streams have no end. */
const LEFT_OUT = /\/events$/
const OWN_NAME = 'soak.chronym'

let directory: string
let daemon: ChildProcess
let url: string
let token: string
let names = 0
const agent = new Agent({ keepAlive: true, maxSockets: UNDER_WAY })

/** Never asked before: every other name is one, since a daemon may keep something by name. */
const nextName = (): string => (names++ % 2 === 0 ? OWN_NAME : `n${names}.chronym`)

async function get(path: string, headers: Record<string, string>): Promise<{ status: number; body: string }> {
  const sent = request(`${url}${path}`, { agent, headers })
  sent.end()
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode!, body: Buffer.concat(chunks).toString() }
}

async function heldBytes(): Promise<number> {
  daemon.send('measure')
  return ((await once(daemon, 'message')) as [number])[0]
}

/** Bytes that each request left, by least squares over the windows after the warm-up. */
async function keptByEach(count: number, ask: () => Promise<void>): Promise<number> {
  const each = Math.max(1, Math.round(count / WINDOWS))
  const points: { asked: number; bytes: number }[] = []
  for (let window = 1; window <= WINDOWS; window++) {
    await forEachConcurrently(Array.from({ length: each }), UNDER_WAY, ask)
    const bytes = await heldBytes()
    if (window > WARM_UP) points.push({ asked: window * each, bytes })
  }
  const mean = (of: (point: (typeof points)[number]) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [asked, bytes] = [mean((point) => point.asked), mean((point) => point.bytes)]
  return mean((point) => (point.asked - asked) * (point.bytes - bytes)) / mean((point) => (point.asked - asked) ** 2)
}

const allowedOf = (count: number): number => LEAST_LEAK_BYTES + (WANDER_BYTES / count) * (WINDOWS / (WINDOWS - WARM_UP))

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'chronym-soak-'))
  daemon = fork(join(import.meta.dirname, 'soaked-daemon.ts'), ['--data-dir', directory], {
    execArgv: ['--expose-gc']
  })
  const [started] = (await once(daemon, 'message')) as [{ url: string; tokenFile: string }]
  url = started.url
  token = readFileSync(started.tokenFile, 'utf8').trim()
})

afterAll(async () => {
  agent.destroy()
  const ended = once(daemon, 'exit')
  daemon.disconnect()
  await ended
  rmSync(directory, { recursive: true })
})

/** Look-ups over one socket, told apart by their ids. */
function asker(socket: Socket): (name: string) => Promise<void> {
  const waiting = new Map<number, () => void>()
  let last = 0
  socket.on('message', (message) => waiting.get(message.readUInt16BE(0))?.())
  return (name) =>
    new Promise((resolve, reject) => {
      const id = (last = (last + 1) & 0xffff)
      const late = setTimeout(() => reject(new Error(`no answer for ${name}`)), PATIENCE_MS)
      waiting.set(id, () => {
        clearTimeout(late)
        waiting.delete(id)
        resolve()
      })
      socket.send(encodeQuery(id, { name, type: 'A' }))
    })
}

it(`keeps nothing of ${LOOKUPS} DNS look-ups, half of them of names asked once`, { timeout: TIMEOUT_MS }, async () => {
  const { body } = await get('/api/dns', { authorization: `Bearer ${token}` })
  const { address, port } = (JSON.parse(body) as DnsView).listen[0]!
  const socket = createSocket('udp4')
  socket.connect(port, address)
  await once(socket, 'connect')
  const ask = asker(socket)
  try {
    await forEachConcurrently(Array.from({ length: 2 * FILL_NAMES }), UNDER_WAY, () => ask(nextName()))
    const kept = await keptByEach(LOOKUPS, () => ask(nextName()))
    process.stdout.write(`DNS: ${kept.toFixed(1)} bytes a look-up\n`)
    expect(kept).toBeLessThan(allowedOf(LOOKUPS))
  } finally {
    socket.close()
  }
})

/** A value for each parameter of a path; one that is missing here is a new endpoint's. */
const VALUES: Readonly<Record<string, () => string>> = {
  name: nextName,
  did: () => didOfGenesis(Buffer.from(nextName()), local),
  task_id: () => `00000000-0000-4000-8000-${String(names++).padStart(12, '0')}`,
  code: () => 'SVC-NAM-001'
}
/** Queries without which an endpoint would only refuse. */
const QUERIES: Readonly<Record<string, () => string>> = {
  '/dns-query': () => `?dns=${encodeQuery(0, { name: nextName(), type: 'A' }).toString('base64url')}`,
  '/api/challenge': () => `?nonce=${String(names++).padStart(64, '0')}&address=${new URL(url).host}`
}

it(
  `keeps nothing of ${REQUESTS} reads of each endpoint, with and without a token`,
  { timeout: TIMEOUT_MS },
  async () => {
    const { body } = await get('/openapi.json', {})
    const { paths } = JSON.parse(body) as { paths: Record<string, { get?: unknown }> }
    const reads = Object.keys(paths).filter((path) => paths[path]!.get !== undefined && !LEFT_OUT.test(path))
    expect(reads.length).toBeGreaterThan(20)
    const kept: Record<string, number> = {}
    const statuses: Record<string, number> = {}
    for (const path of reads) {
      for (const headers of [{ authorization: `Bearer ${token}` }, {}] as Record<string, string>[]) {
        const what = `${path} ${'authorization' in headers ? 'with' : 'without'} a token`
        const ask = async (): Promise<void> => {
          const filled = path.replace(/\{(\w+)\}/g, (_, parameter: string) => VALUES[parameter]!())
          statuses[what] = (await get(`${filled}${QUERIES[path]?.() ?? ''}`, headers)).status
        }
        if (path.includes('{')) await forEachConcurrently(Array.from({ length: 2 * FILL_NAMES }), UNDER_WAY, ask)
        kept[what] = await keptByEach(REQUESTS, ask)
        process.stdout.write(`${what}: ${statuses[what]}, ${kept[what].toFixed(1)} bytes a request\n`)
      }
    }
    expect(Object.entries(statuses).filter(([, status]) => status >= 500 && status !== 503)).toEqual([])
    expect(Object.entries(kept).filter(([, bytes]) => bytes > allowedOf(REQUESTS))).toEqual([])
  }
)
