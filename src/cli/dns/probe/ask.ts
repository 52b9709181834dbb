/** Asks one server one question, over UDP and then, where the reply is cut, over TCP. */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIP } from 'node:net'
import { messageOf } from '../../failures/failure.ts'
import type { Server } from '../route.ts'

/** A server that gave no reply that can be read. */
export interface Silence {
  readonly reason: string
}

export type Ask = (server: Server, question: Question) => Promise<Reply | Silence>

/** Above the 5 s that the daemon looks for a name. */
const TIMEOUT_MS = 6_000

export const isSilent = (answer: Reply | Silence): answer is Silence => 'reason' in answer

/** Never rejects. */
export async function ask(server: Server, question: Question, timeoutMs = TIMEOUT_MS): Promise<Reply | Silence> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const reply = await overUdp(server, question, signal)
    return reply.truncated ? await overTcp(server, question, signal) : reply
  } catch (error) {
    if (signal.aborted) return { reason: `no reply within ${timeoutMs / 1000} s` }
    return { reason: reasonOf(error as NodeJS.ErrnoException) }
  }
}

const NO_ROUTE = 'this machine has no route there'
const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the server ended the connection',
  ENETUNREACH: NO_ROUTE,
  EHOSTUNREACH: NO_ROUTE,
  EADDRNOTAVAIL: NO_ROUTE,
  EAFNOSUPPORT: 'this machine does not speak that version of IP',
  EACCES: 'this machine forbids to ask it',
  EPERM: 'a firewall of this machine forbids to ask it'
}

/** A sentence with the system's code. */
export function reasonOf(error: NodeJS.ErrnoException): string {
  const cause = CAUSES[error.code ?? '']
  return cause === undefined ? messageOf(error) : `${cause} (${error.code})`
}

/** A reply to another question is dropped, as a forger may send one. */
function overUdp({ address, port }: Server, question: Question, signal: AbortSignal): Promise<Reply> {
  const id = randomInt(0x1_0000)
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4')
  const done = new Promise<Reply>((resolve, reject) => {
    const fail = (error: unknown): void => reject(error instanceof Error ? error : new Error(String(error)))
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
    socket.on('error', fail)
    socket.on('message', (bytes) => {
      try {
        const reply = decodeReply(bytes, id)
        if (reply !== undefined) resolve(reply)
      } catch (error) {
        fail(error)
      }
    })
    // Connected: the system drops datagrams of others and reports a closed port. A callback would get the errors too.
    socket.once('connect', () => socket.send(encodeQuery(id, question)))
    socket.connect(port, address)
  })
  return done.finally(() => socket.close())
}

function overTcp({ address, port }: Server, question: Question, signal: AbortSignal): Promise<Reply> {
  const id = randomInt(0x1_0000)
  const query = encodeQuery(id, question)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(query.length)
  const socket = connect({ port, host: address })
  const done = new Promise<Reply>((resolve, reject) => {
    let received = Buffer.alloc(0)
    const fail = (error: unknown): void => reject(error instanceof Error ? error : new Error(String(error)))
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('the connection was closed before the reply')))
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return
      try {
        const reply = decodeReply(received.subarray(2, 2 + received.readUInt16BE(0)), id)
        if (reply === undefined) fail(new Error('a reply to another question'))
        else resolve(reply)
      } catch (error) {
        fail(error)
      }
    })
    socket.write(Buffer.concat([length, query]))
  })
  return done.finally(() => socket.destroy())
}

/**
 * One question as a DNS message, and what a test needs of the reply (RFC 1035, 4; EDNS0: RFC 6891; extended errors:
 * RFC 8914). Node's own resolver shows no flags, and the AD bit is what is asked about. Pure.
 */
export const TYPE = { A: 1, AAAA: 28, OPT: 41, DNSKEY: 48 } as const

interface Question {
  readonly name: string
  readonly type: number
}

export interface Reply {
  readonly rcode: number
  /** Whether the reply was cut; ask over TCP. */
  readonly truncated: boolean
  /** Authoritative. */
  readonly aa: boolean
  /** Authenticated data. */
  readonly ad: boolean
  /** The data of the answer section's records, as bytes. */
  readonly answers: readonly { readonly type: number; readonly data: Uint8Array }[]
  readonly extendedErrors: readonly { readonly code: number; readonly text: string }[]
}

const HEADER_BYTES = 12
const FLAG = { qr: 0x8000, aa: 0x0400, tc: 0x0200, rd: 0x0100, ad: 0x0020 } as const
const CLASS_IN = 1
/** The size that fits every path (DNS flag day 2020). */
const PAYLOAD_BYTES = 1232
const EXTENDED_ERROR = 15

function nameBytes(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '')
  return Buffer.concat([...labels.map((label) => Buffer.from([label.length, ...Buffer.from(label)])), Buffer.from([0])])
}

/** Asks for recursion and for the AD bit (RFC 6840, 5.7), not for signatures. `name` is ASCII, labels up to 63. */
export function encodeQuery(id: number, { name, type }: Question): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(FLAG.rd | FLAG.ad, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(1, 10)
  const question = Buffer.alloc(4)
  question.writeUInt16BE(type, 0)
  question.writeUInt16BE(CLASS_IN, 2)
  const opt = Buffer.alloc(11)
  opt.writeUInt16BE(TYPE.OPT, 1)
  opt.writeUInt16BE(PAYLOAD_BYTES, 3)
  return Buffer.concat([header, nameBytes(name), question, opt])
}

/** The position after a name; a pointer ends it. */
function skipName(message: Buffer, start: number): number {
  let at = start
  for (;;) {
    const length = message.readUInt8(at)
    if (length >= 0xc0) return at + 2
    if (length === 0) return at + 1
    at += 1 + length
  }
}

interface RecordAt {
  readonly type: number
  readonly ttl: number
  readonly data: Buffer
  readonly end: number
}

function recordAt(message: Buffer, start: number): RecordAt {
  const at = skipName(message, start)
  const dataAt = at + 10
  const end = dataAt + message.readUInt16BE(at + 8)
  if (end > message.length) throw new RangeError('a record beyond the end')
  return {
    type: message.readUInt16BE(at),
    ttl: message.readUInt32BE(at + 4),
    data: message.subarray(dataAt, end),
    end
  }
}

function extendedErrors(options: Buffer): Reply['extendedErrors'] {
  const found: { code: number; text: string }[] = []
  for (let at = 0; at + 4 <= options.length;) {
    const end = at + 4 + options.readUInt16BE(at + 2)
    if (options.readUInt16BE(at) === EXTENDED_ERROR && end <= options.length && end >= at + 6)
      found.push({ code: options.readUInt16BE(at + 4), text: options.toString('latin1', at + 6, end) })
    at = end
  }
  return found
}

/** Undefined: no reply to the question with this id. Throws RangeError for one that is cut or malformed. */
export function decodeReply(message: Buffer, id: number): Reply | undefined {
  if (message.length < HEADER_BYTES || message.readUInt16BE(0) !== id) return undefined
  const flags = message.readUInt16BE(2)
  if ((flags & FLAG.qr) === 0) return undefined
  const [questions, answers, authorities, additional] = [4, 6, 8, 10].map((at) => message.readUInt16BE(at))
  let at = HEADER_BYTES
  for (let left = questions!; left > 0; left--) at = skipName(message, at) + 4
  let rcode = flags & 0xf
  const data: { type: number; data: Uint8Array }[] = []
  let errors: Reply['extendedErrors'] = []
  for (let index = 0; index < answers! + authorities! + additional!; index++) {
    const record = recordAt(message, at)
    if (index < answers!) data.push({ type: record.type, data: Uint8Array.from(record.data) })
    if (record.type === TYPE.OPT) {
      rcode |= (record.ttl >>> 24) << 4
      errors = extendedErrors(record.data)
    }
    at = record.end
  }
  return {
    rcode,
    truncated: (flags & FLAG.tc) !== 0,
    aa: (flags & FLAG.aa) !== 0,
    ad: (flags & FLAG.ad) !== 0,
    answers: data,
    extendedErrors: errors
  }
}

const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED']

export function rcodeName(rcode: number): string {
  return RCODES[rcode] ?? `RCODE ${rcode}`
}
