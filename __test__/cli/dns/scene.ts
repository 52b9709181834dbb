/** A daemon's answer about DNS, trees of files that pass for machines, and name servers on loopback. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server as TcpServer } from 'node:net'
import { dirname, join } from 'node:path'
import type { DnsView } from '../../../src/views/dns.ts'
import type { Route } from '../../../src/cli/dns/route.ts'
import { createHost, type Command, type CommandResult, type Host } from '../../../src/cli/dns/setup/host.ts'
import { temporary } from '../../temporary.ts'

const PUBLIC_KEY = Buffer.alloc(64, 7).toString('base64')
export const ROUTE: Route = {
  tld: 'chronym',
  servers: [
    { address: '127.0.0.1', port: 7453 },
    { address: '::1', port: 7453 }
  ],
  anchor: { keyTag: 4711, algorithm: 13, digestType: 2, digest: 'AB'.repeat(32), flags: 257, publicKey: PUBLIC_KEY }
}
export const ON_PORT_53: Route = { ...ROUTE, servers: [{ address: '127.0.0.1', port: 53 }] }

export const DNS_BODY: DnsView = {
  enabled: true,
  zone: 'chronym.',
  listen: [
    { transport: 'udp', address: '127.0.0.1', port: 7453 },
    { transport: 'tcp', address: '127.0.0.1', port: 7453 },
    { transport: 'udp', address: '::1', port: 7453 }
  ],
  forwarding: false,
  https: null,
  anchor: {
    ds: `chronym. IN DS 4711 13 2 ${'AB'.repeat(32)}`,
    dnskey: `chronym. IN DNSKEY 257 3 13 ${PUBLIC_KEY}`,
    key_tag: 4711,
    algorithm: 13
  },
  stats: {
    names: 2,
    cache_bytes: 4096,
    queries: { udp: 1234, tcp: 0 },
    answers: { noerror: 1200, nxdomain: 34 },
    cache: { hit: 1000 },
    waiting: 0,
    connections: 1
  }
}

/** What a test made, ended in reverse. */
export class DnsScene {
  readonly #cleanups: (() => unknown)[] = []

  onEnd(cleanup: () => unknown): void {
    this.#cleanups.push(cleanup)
  }

  async end(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) await cleanup()
  }

  /** A tree of files; `runs` are programs at work on it. */
  tree(files: Readonly<Record<string, string>>, runs: readonly string[] = []): string {
    const root = temporary()
    const processes = runs.map((name, index) => [`/proc/${100 + index}/comm`, `${name.slice(0, 15)}\n`] as const)
    for (const [path, text] of [...Object.entries(files), ...processes]) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    return root
  }

  /** Answers `reply` makes of a question, over UDP and TCP on one port. Returns the port. */
  async nameServer(
    reply: (query: Buffer, transport: 'udp' | 'tcp') => Buffer | undefined,
    host = '127.0.0.1'
  ): Promise<number> {
    const tcp: TcpServer = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (bytes) => {
        const answer = reply(Buffer.from(bytes).subarray(2), 'tcp')
        if (answer === undefined) return socket.destroy()
        const length = Buffer.alloc(2)
        length.writeUInt16BE(answer.length)
        return socket.end(Buffer.concat([length, answer]))
      })
    })
    const udp = await onOnePort(tcp, host)
    udp.on('message', (bytes, peer) => {
      const answer = reply(bytes, 'udp')
      if (answer !== undefined) udp.send(answer, peer.port, peer.address)
    })
    this.onEnd(() =>
      Promise.all([new Promise((done) => tcp.close(done)), new Promise<void>((done) => udp.close(done))])
    )
    return udp.address().port
  }
}

/** A socket for datagrams on the port that the server then listens on. A port that is free for one may be taken. */
async function onOnePort(tcp: TcpServer, host: string): Promise<Socket> {
  for (let tries = 100; ; tries--) {
    const udp = createSocket('udp4')
    udp.bind(0, host)
    await once(udp, 'listening')
    try {
      tcp.listen(udp.address().port, host)
      await once(tcp, 'listening')
      return udp
    } catch (error) {
      udp.close()
      if (tries === 0) throw error
    }
  }
}

export const read = (root: string, path: string): string => readFileSync(join(root, path), 'utf8')

/** The tree as a machine on which commands run: `answers` has what they say, all others succeed. */
export function hostOf(
  root: string,
  answers: Readonly<Record<string, Partial<CommandResult>>> = {},
  platform: NodeJS.Platform = 'linux'
): Host & { readonly ran: Command[] } {
  const ran: Command[] = []
  return {
    ...createHost(root, platform),
    ran,
    run: (command) => {
      ran.push(command)
      return { code: 0, output: '', ...answers[command.join(' ')] }
    }
  }
}

export interface Said {
  readonly rcode?: number
  readonly ad?: boolean
  readonly tc?: boolean
  /** Data of answers of the question's type. */
  readonly data?: readonly Buffer[]
  readonly error?: { readonly code: number; readonly text: string }
}

/** The data of the zone's DNSKEY record. */
export const DNSKEY_DATA = Buffer.concat([Buffer.from([1, 1, 3, 13]), Buffer.from(PUBLIC_KEY, 'base64')])

export const nameOf = (query: Buffer): string => {
  const labels: string[] = []
  for (let at = 12; query[at] !== 0; at += 1 + query[at]!)
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!))
  return labels.join('.')
}
export const typeOf = (query: Buffer): number => query.readUInt16BE(questionEnd(query) - 4)

function questionEnd(query: Buffer): number {
  let at = 12
  while (query[at] !== 0) at += 1 + query[at]!
  return at + 5
}

/** A reply to the query: owners point at the question. */
export function say(query: Buffer, { rcode = 0, ad = false, tc = false, data = [], error }: Said): Buffer {
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | (ad ? 0x20 : 0) | (tc ? 0x200 : 0) | rcode, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(data.length, 6)
  header.writeUInt16BE(1, 10)
  const question = query.subarray(12, questionEnd(query))
  const records = data.map((each) => {
    const fixed = Buffer.alloc(12)
    fixed.writeUInt16BE(0xc00c, 0)
    fixed.writeUInt16BE(typeOf(query), 2)
    fixed.writeUInt16BE(1, 4)
    fixed.writeUInt32BE(60, 6)
    fixed.writeUInt16BE(each.length, 10)
    return Buffer.concat([fixed, each])
  })
  const text = Buffer.from(error?.text ?? '')
  const option = Buffer.alloc(error === undefined ? 0 : 6)
  if (error !== undefined) {
    option.writeUInt16BE(15, 0)
    option.writeUInt16BE(2 + text.length, 2)
    option.writeUInt16BE(error.code, 4)
  }
  const opt = Buffer.alloc(11)
  opt.writeUInt16BE(41, 1)
  opt.writeUInt16BE(1232, 3)
  opt.writeUInt16BE(option.length + text.length, 9)
  return Buffer.concat([header, question, ...records, opt, option, text])
}
