/**
 * DNS messages for comparisons, apart from the server's own code: a query of any shape as bytes, and a strict reader of
 * replies (RFC 1035, 6891). It throws on whatever is not well-formed.
 */
import { encodeName, readName, typeName, TYPES } from './name.ts'
import { present } from './rdata.ts'

const RCODES = 'NOERROR FORMERR SERVFAIL NXDOMAIN NOTIMP REFUSED YXDOMAIN YXRRSET NXRRSET NOTAUTH NOTZONE'.split(' ')
const BADVERS = 16
const FLAGS = { aa: 0x400, tc: 0x200, rd: 0x100, ra: 0x80, ad: 0x20, cd: 0x10 } as const
type Flag = keyof typeof FLAGS
const CLASSES = new Map([
  [1, 'IN'],
  [3, 'CH']
])

export interface Asked {
  readonly name: string
  readonly type: string
  readonly class?: number
  readonly opcode?: number
  readonly flags?: readonly Flag[]
  readonly edns?: {
    readonly size?: number
    readonly dnssecOk?: boolean
    readonly version?: number
    readonly options?: readonly (readonly [code: number, data: Uint8Array])[]
  }
}

export function encodeQuery(id: number, asked: Asked): Buffer {
  const header = Buffer.alloc(12)
  const flags = (asked.flags ?? []).reduce((bits, flag) => bits | FLAGS[flag], (asked.opcode ?? 0) << 11)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(flags, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(asked.edns === undefined ? 0 : 1, 10)
  const end = Buffer.alloc(4)
  end.writeUInt16BE(TYPES[asked.type] ?? Number(asked.type.slice(4)), 0)
  end.writeUInt16BE(asked.class ?? 1, 2)
  return Buffer.concat([header, encodeName(asked.name), end, ...(asked.edns ? [encodeOpt(asked.edns)] : [])])
}

export function encodeOpt({ size = 1232, dnssecOk = false, version = 0, options = [] }: Asked['edns'] & {}): Buffer {
  const data = Buffer.concat(options.map(([code, bytes]) => Buffer.concat([uint16(code), uint16(bytes.length), bytes])))
  const fixed = Buffer.from([0, 0, TYPES['OPT']!, size >> 8, size & 255, 0, version, dnssecOk ? 0x80 : 0, 0])
  return Buffer.concat([fixed, uint16(data.length), data])
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255])
}

export interface Rr {
  /** As received, with its case; absolute. */
  readonly owner: string
  readonly type: string
  readonly class: number
  readonly ttl: number
  /** With names uncompressed. */
  readonly rdata: Buffer
  readonly text: string
}

export interface Reply {
  readonly id: number
  readonly opcode: number
  readonly rcode: string
  readonly flags: readonly Flag[]
  readonly question: readonly string[]
  readonly answer: readonly Rr[]
  readonly authority: readonly Rr[]
  readonly additional: readonly Rr[]
  readonly opt?: {
    readonly size: number
    readonly version: number
    readonly dnssecOk: boolean
    readonly options: ReadonlyMap<number, Buffer>
  }
  readonly length: number
}

/** Throws on trailing bytes, pointers that do not point back, a second OPT and rdata of another length. */
export function decodeReply(message: Buffer): Reply {
  const bits = message.readUInt16BE(2)
  if ((bits & 0x8000) === 0) throw new Error('a reply without QR')
  const counts = [4, 6, 8, 10].map((at) => message.readUInt16BE(at)) as [number, number, number, number]
  let at = 12
  const question = Array.from({ length: counts[0] }, () => {
    const { name, next } = readName(message, at)
    at = next + 4
    const code = message.readUInt16BE(next + 2)
    return `${name} ${CLASSES.get(code) ?? code} ${typeName(message.readUInt16BE(next))}`
  })
  let opt: Reply['opt']
  let high = 0
  const section = (count: number): Rr[] =>
    Array.from({ length: count }, () => {
      const { name: owner, next } = readName(message, at)
      const type = typeName(message.readUInt16BE(next))
      const length = message.readUInt16BE(next + 8)
      const [start, end] = [next + 10, next + 10 + length]
      if (end > message.length) throw new Error('rdata beyond the message')
      at = end
      const rr = { owner, type, class: message.readUInt16BE(next + 2), ttl: message.readUInt32BE(next + 4) }
      if (type !== 'OPT') return { ...rr, ...present(message, type, start, end) }
      if (opt !== undefined || owner !== '.') throw new Error('a second OPT, or one with an owner')
      high = rr.ttl >>> 24
      opt = {
        size: rr.class,
        version: (rr.ttl >> 16) & 255,
        dnssecOk: (rr.ttl & 0x8000) !== 0,
        options: readOptions(message.subarray(start, end))
      }
      return { ...rr, rdata: message.subarray(start, end), text: '' }
    }).filter(({ type }) => type !== 'OPT')
  const [answer, authority, additional] = [section(counts[1]), section(counts[2]), section(counts[3])]
  if (at !== message.length) throw new Error(`${message.length - at} bytes after the message`)
  const rcode = (high << 4) | (bits & 15)
  return {
    id: message.readUInt16BE(0),
    opcode: (bits >> 11) & 15,
    rcode: rcode === BADVERS ? 'BADVERS' : (RCODES[rcode] ?? `RCODE${rcode}`),
    flags: (Object.keys(FLAGS) as Flag[]).filter((flag) => (bits & FLAGS[flag]) !== 0),
    question,
    answer,
    authority,
    additional,
    ...(opt && { opt }),
    length: message.length
  }
}

function readOptions(data: Buffer): Map<number, Buffer> {
  const options = new Map<number, Buffer>()
  for (let at = 0; at < data.length;) {
    const end = at + 4 + data.readUInt16BE(at + 2)
    if (end > data.length) throw new Error('an option beyond OPT')
    options.set(data.readUInt16BE(at), data.subarray(at + 4, end))
    at = end
  }
  return options
}
