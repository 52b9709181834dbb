/** What a server may send to daemons and workers of a farm, over real sockets. */
import { afterEach, describe, expect, it } from 'vitest'
import { MAX_LINE_BYTES, MAX_MESSAGE_BYTES, ServerBounds } from '../../src/farm/bounded-transport.ts'
import { Farm } from '../../src/farm/farm.ts'
import { FARM_TIMES } from '../../src/farm/link.ts'
import { silentLog } from '../registry/claims/fakes.ts'
import { waitFor } from '../wait-for.ts'
import { flood, HostileServer } from './hostile-server.ts'

const MIB = 2 ** 20
const ends: (() => Promise<unknown>)[] = []
const text = (line: string): Uint8Array => Buffer.from(line, 'latin1')

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A daemon whose server does that, until it has said why it left. */
async function meets(attack: Parameters<typeof HostileServer.started>[0], answers = true) {
  const server = await HostileServer.started(attack, answers)
  ends.push(() => server.close())
  const reasons: string[] = []
  const warn = (fields: object): void => {
    const { reason } = fields as { reason?: string }
    if (reason !== undefined) reasons.push(reason)
  }
  const pool = { verifyProof: () => Promise.resolve(false) }
  const address = { url: server.url, credentials: '', ca: '', network: 'hostile' }
  const farm = new Farm({ address, pool, log: { ...silentLog, warn }, times: FARM_TIMES })
  ends.push(() => farm.close())
  const before = process.memoryUsage().rss
  void farm.start()
  await waitFor(() => expect(reasons.length).toBeGreaterThan(0))
  return { server, reason: reasons[0], grownBytes: process.memoryUsage().rss - before }
}

describe('a server', () => {
  it.each([
    ['a message of 4 GB', 'MSG a 1 4294967295\r\n', 'a message has 4294967295 bytes'],
    [
      'a message of 64 MB, which the client alone would take',
      `MSG a 1 ${64 * MIB}\r\n`,
      'a message has 67108864 bytes'
    ],
    ['headers of 4 GB', 'HMSG a 1 20 4294967295\r\n', 'a message has 4294967295 bytes'],
    ['another language', 'HTTP/1.1 200 OK\r\n', 'a line is none of the protocol'],
    ['a second greeting that is none', 'INFO {"a":\r\n', 'what it says of itself is not JSON'],
    ['a message of no length', 'MSG a 1\r\n', 'a message does not say its length'],
    ['headers longer than their message', 'HMSG a 1 20 10\r\n', 'a message does not say its length'],
    ['a message whose length is none', 'MSG a 1 1e9x\r\n', 'a message does not say its length'],
    ['a line without end', '-ERR ', `a line is longer than ${MAX_LINE_BYTES} bytes`],
    ['a message longer than it says', 'MSG a 1 3\r\nabcMSG a 1 4294967295\r\n', 'a message is longer than it says']
  ])('that sends %s is left, and takes no memory', async (_what, line, reason) => {
    const {
      server,
      reason: said,
      grownBytes
    } = await meets(async (_socket, send) => {
      await send(text(line))
      await flood(send)
    })
    expect(said).toContain(reason)
    expect(server.sent).toBeLessThan(64 * MIB)
    expect(grownBytes).toBeLessThan(100 * MIB)
  })

  it('that begins with a line without end is left', async () => {
    const { reason, server } = await meets(async (_socket, send) => flood(send), false)
    expect(reason).toContain('its first line is longer')
    expect(server.sent).toBeLessThan(64 * MIB)
  })

  it('that pings without end is left', async () => {
    const { reason } = await meets(async (_socket, send) => flood(send, Buffer.from('PING\r\n'.repeat(1000))))
    expect(reason).toBe('it pings without end')
  })
})

describe('the bounds of a server', () => {
  const whole = Buffer.concat([
    text('INFO {"a":1}\r\nPONG\r\n+OK\r\nMSG a.b 1 3\r\nabc\r\nMSG a 1  0\r\n\r\nMSG a 1 _INBOX.1 0\r\n\r\n'),
    text('HMSG a 2 12 14\r\nNATS/1.0\r\n\r\nxy\r\n'),
    text('MSG a 1 5000\r\n'),
    Buffer.alloc(5000, 'MSG a 1 9999999999\r\n'),
    text("\r\nPING\r\n-ERR 'x'\r\n")
  ])

  it.each([1, 2, 3, 7, 4096, whole.length])('let what servers send pass in pieces of %i bytes', (size) => {
    const bounds = new ServerBounds(() => 0)
    for (let at = 0; at < whole.length; at += size)
      expect(bounds.faultOf(whole.subarray(at, at + size))).toBeUndefined()
  })

  it('let the longest message pass', () => {
    const bounds = new ServerBounds(() => 0)
    expect(bounds.faultOf(text(`MSG a 1 ${MAX_MESSAGE_BYTES}\r\n`))).toBeUndefined()
    expect(bounds.faultOf(new Uint8Array(MAX_MESSAGE_BYTES))).toBeUndefined()
    expect(bounds.faultOf(text('\r\nPING\r\n'))).toBeUndefined()
  })

  it.each([1, 2, 5, 1000])('find a message that is too long in pieces of %i bytes', (size) => {
    const bounds = new ServerBounds(() => 0)
    const bytes = text(`MSG a 1 2\r\nhi\r\nMSG a 1 ${MAX_MESSAGE_BYTES + 1}\r\n`)
    const faults: (string | undefined)[] = []
    for (let at = 0; at < bytes.length; at += size) faults.push(bounds.faultOf(bytes.subarray(at, at + size)))
    expect(faults.at(-1)).toContain(`a message has ${MAX_MESSAGE_BYTES + 1} bytes`)
    expect(faults.slice(0, -1).every((fault) => fault === undefined)).toBe(true)
  })

  it('let a server ping as often as the clock allows', () => {
    let nowMs = 0
    const bounds = new ServerBounds(() => nowMs)
    for (let pings = 0; pings < 10_000; pings++) {
      expect(bounds.faultOf(text('PING\r\n'))).toBeUndefined()
      nowMs += 1000
    }
  })
})
