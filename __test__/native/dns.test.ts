import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startDnsServer } from '../../src/native/addon.ts'
import type { DnsQuestion, DnsServer, DnsServerOptions } from '../../src/native/dns.ts'
import { waitFor } from '../wait-for.ts'

const NATIVE = resolve(import.meta.dirname, '../../src/native')
const HOUR = 3_600_000
const SECURE = { secure: true, reason: '' }

function options(changes: Partial<DnsServerOptions> = {}): DnsServerOptions {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    tld: 'chronym',
    key: privateKey.export({ type: 'pkcs8', format: 'der' }),
    serial: 1,
    listen: [
      { transport: 'udp', address: '127.0.0.1', port: 0 },
      { transport: 'tcp', address: '127.0.0.1', port: 0 }
    ],
    tls: null,
    forward: [],
    isPublic: false,
    cacheBytes: 1 << 20,
    ...changes
  }
}

function wireName(text: string): Buffer {
  return Buffer.concat([
    ...text.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]),
    Buffer.from([0])
  ])
}

function words(...values: number[]): Buffer {
  return Buffer.from(values.flatMap((value) => [value >> 8, value & 255]))
}

/** An A record. */
function address(owner: string): Buffer {
  return Buffer.concat([wireName(owner), words(1, 1, 0, 300, 4), Buffer.from([192, 0, 2, 1])])
}

function query(name: string): Buffer {
  return Buffer.concat([words(7, 0x0100, 1, 0, 0, 0), wireName(name), words(1, 1)])
}

const rcode = (reply: Uint8Array) => reply[3]! & 15
const answers = (reply: Uint8Array) => reply[7]!

const servers: DnsServer[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

function start(onQuestion: (question: DnsQuestion) => void = () => undefined) {
  const server = startDnsServer(options(), onQuestion)
  servers.push(server)
  return server
}

async function askUdp(server: DnsServer, packet: Buffer): Promise<Buffer> {
  const socket = createSocket('udp4')
  try {
    socket.send(packet, server.addresses()[0]!.port, '127.0.0.1')
    const [reply] = (await once(socket, 'message')) as [Buffer]
    return reply
  } finally {
    socket.close()
  }
}

/** Queries in one write; the replies in the order in which they come. */
async function askTcp(server: DnsServer, packets: readonly Buffer[]): Promise<Buffer[]> {
  const socket = createConnection(server.addresses()[1]!.port, '127.0.0.1')
  socket.write(Buffer.concat(packets.flatMap((packet) => [words(packet.length), packet])))
  const replies: Buffer[] = []
  let read = Buffer.alloc(0)
  for await (const chunk of socket) {
    read = Buffer.concat([read, chunk as Buffer])
    while (read.length >= 2 && read.length >= 2 + read.readUInt16BE()) {
      const end = 2 + read.readUInt16BE()
      replies.push(read.subarray(2, end))
      read = read.subarray(end)
    }
    if (replies.length === packets.length) break
  }
  return replies
}

describe('the DNS server', () => {
  it('answers a name that it was told over UDP, TCP and for HTTPS', async () => {
    const server = start()
    server.setZone('alice.chronym', address('alice.chronym'), SECURE, HOUR, HOUR)
    const [first, ...others] = [
      await askUdp(server, query('alice.chronym')),
      ...(await askTcp(server, [query('alice.chronym')])),
      Buffer.from(await server.query(query('alice.chronym'), '127.0.0.1'))
    ]
    expect([rcode(first), answers(first), first.subarray(-4)]).toEqual([0, 1, Buffer.from([192, 0, 2, 1])])
    expect(others).toEqual([first, first])
    expect(server.stats()).toMatchObject({
      names: 1,
      queries: { udp: 1, tcp: 1, tls: 0, https: 1 },
      answers: { noerror: 3, nxdomain: 0 },
      cache: { hit: 3, miss: 0, composed: 1, packed: 2 },
      waiting: 0
    })
  })

  it('asks once for a name that many wait for, and answers all of them', async () => {
    const asked: DnsQuestion[] = []
    const server = start((question) => {
      asked.push(question)
    })
    const waiting = [
      askUdp(server, query('alice.chronym')),
      askTcp(server, [query('alice.chronym'), query('bob.chronym')]),
      server.query(query('www.alice.chronym'), '::1')
    ]
    await waitFor(() => expect(server.stats().waiting).toBe(4))
    server.setZone('alice.chronym', address('alice.chronym'), SECURE, HOUR, HOUR)
    server.setAbsent('bob.chronym', HOUR, HOUR)
    const replies = (await Promise.all(waiting)).flat()
    expect(replies.map(rcode).sort()).toEqual([0, 0, 3, 3])
    expect(asked.sort((one, other) => (one.name < other.name ? -1 : 1))).toEqual([
      { name: 'alice.chronym', reason: 'miss' },
      { name: 'bob.chronym', reason: 'miss' }
    ])
  })

  it('tells of a failure, forgets names, and asks again', async () => {
    const asked: string[] = []
    const server = start(({ name }) => {
      asked.push(name)
      server.setFailed(name, 22, 'no peer answers', HOUR)
    })
    expect(rcode(await askUdp(server, query('alice.chronym')))).toBe(2)
    expect(rcode(await askUdp(server, query('alice.chronym')))).toBe(2)
    expect(asked).toEqual(['alice.chronym'])
    server.setAbsent('bob.chronym', HOUR, HOUR)
    expect([server.flush('alice.chronym'), server.flush('alice.chronym'), server.flush(null)]).toEqual([1, 0, 1])
    await askUdp(server, query('alice.chronym'))
    expect(asked).toEqual(['alice.chronym', 'alice.chronym'])
  })

  it('takes one free port for UDP and TCP', () => {
    const [udp, tcp] = start().addresses()
    expect(udp!.port).toBeGreaterThan(0)
    expect(tcp).toEqual({ transport: 'tcp', address: '127.0.0.1', port: udp!.port })
  })

  it('says what validators need', () => {
    const { ds, dnskey, keyTag, algorithm } = start().anchor()
    expect(algorithm).toBe(13)
    expect(ds).toContain(`IN DS ${keyTag} 13 2 `)
    expect(dnskey).toContain('IN DNSKEY 257 3 13 ')
  })

  it('fails with LISTEN_FAILED and says where, why and what helps', () => {
    const port = start().addresses()[0]!.port
    const taken = { listen: [{ transport: 'udp', address: '127.0.0.1', port }] } as const
    expect(() => startDnsServer(options(taken), () => undefined)).toThrow(
      expect.objectContaining({
        name: 'NativeError',
        code: 'LISTEN_FAILED',
        message: expect.stringMatching(`cannot listen on 127.0.0.1:${port} over UDP.*choose another port`) as string
      }) as Error
    )
  })

  it.each<[string, Partial<DnsServerOptions>, RegExp]>([
    ['a key', { key: Buffer.from('no key') }, /key/],
    ['a zone', { tld: 'a b' }, /not a domain name/],
    ['a serial number', { serial: 2 ** 32 }, /32 bits/],
    ['an address', { listen: [{ transport: 'udp', address: 'localhost', port: 1 }] }, /must be an IP address/],
    ['a port', { listen: [{ transport: 'udp', address: '::1', port: 65_536 }] }, /0 to 65535/],
    ['a transport', { listen: [{ transport: 'quic' as 'udp', address: '::1', port: 1 }] }, /must be udp, tcp or tls/],
    ['an upstream', { forward: ['192.0.2.1'] }, /addresses with a port/],
    ['no certificate', { listen: [{ transport: 'tls', address: '::1', port: 0 }] }, /needs a certificate/],
    ['a bad certificate', { tls: { certificate: Buffer.from('x'), key: Buffer.from('x') } }, /no CERTIFICATE/]
  ])('refuses %s that it cannot use', (_, changes, message) => {
    const failure = expect.objectContaining({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(message) as string
    })
    expect(() => startDnsServer(options(changes), () => undefined)).toThrow(failure as Error)
  })

  it('refuses names, records and times that make no sense', () => {
    const server = start()
    const invalid = expect.objectContaining({ code: 'INVALID_ARGUMENT' }) as Error
    for (const name of ['chronym', 'www.alice.chronym', 'alice.example', '', 'a b.chronym']) {
      expect(() => server.setAbsent(name, 1, 1)).toThrow(invalid)
    }
    expect(() => server.setZone('alice.chronym', Buffer.from([1, 2]), SECURE, 1, 1)).toThrow(invalid)
    expect(() => server.setZone('alice.chronym', address('bob.chronym'), SECURE, 1, 1)).toThrow(invalid)
    expect(() => server.setAbsent('alice.chronym', 2, 1)).toThrow(invalid)
    expect(() => server.setAbsent('alice.chronym', -1, 1)).toThrow(invalid)
    expect(() => server.query(query('alice.chronym'), 'nowhere')).toThrow(invalid)
  })

  it('rejects what is not a query', async () => {
    await expect(start().query(Buffer.from([1, 2, 3]), '::1')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('rejects queries that wait when it closes, and later ones; closes twice', async () => {
    const server = start()
    const waiting = server.query(query('alice.chronym'), '127.0.0.1')
    const refused = expect(waiting).rejects.toMatchObject({ code: 'SERVER_CLOSED' })
    await server.close()
    await refused
    await expect(server.query(query('alice.chronym'), '127.0.0.1')).rejects.toMatchObject({ code: 'SERVER_CLOSED' })
    await server.close()
  })

  const preamble = `
    import { startDnsServer } from '${NATIVE}/addon.ts'
    import { generateKeyPairSync } from 'node:crypto'
    import { createSocket } from 'node:dgram'
    import { Worker, isMainThread, parentPort } from 'node:worker_threads'
    const start = (onQuestion) => {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const key = privateKey.export({ type: 'pkcs8', format: 'der' })
      const listen = ['udp', 'tcp'].map((transport) => ({ transport, address: '127.0.0.1', port: 0 }))
      const none = { tls: null, forward: [], isPublic: false, cacheBytes: 1048576 }
      return startDnsServer({ tld: 'chronym', key, serial: 1, listen, ...none }, onQuestion).addresses()[0].port
    }
    const query = Buffer.from('${query('alice.chronym').toString('hex')}', 'hex')
    const socket = createSocket('udp4')
    const send = (port) => new Promise((done) => socket.send(query, port, '127.0.0.1', done))
  `

  it.each([
    ['does not keep the process alive', `await send(start(() => undefined)); socket.close(); console.log('done')`],
    ['lets a question end the process', `await send(start(() => { console.log('done'); process.exit(0) }))`],
    [
      'asks nobody once the thread is gone that it would ask',
      // The worker's last question may be under way while it ends.
      `if (isMainThread) {
        const worker = new Worker(process.argv[1])
        worker.once('message', async (port) => {
          await send(port)
          const ended = worker.terminate()
          for (let i = 0; i < 100; i++) await send(port)
          await ended
          for (let i = 0; i < 100; i++) await send(port)
          socket.close()
          console.log('done')
        })
      } else {
        socket.close()
        parentPort.postMessage(start(() => undefined))
        setInterval(() => undefined, 1000)
      }`
    ]
  ])('%s', (_, body) => {
    const folder = mkdtempSync(join(tmpdir(), 'chronym-dns-'))
    try {
      const file = join(folder, 'script.mjs')
      writeFileSync(file, preamble + body)
      const { stdout, stderr, status } = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: 60_000 })
      expect({ stdout, stderr, status }).toEqual({ stdout: 'done\n', stderr: '', status: 0 })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
