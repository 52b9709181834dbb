/** Record data of replies as text, to be compared and read; names in it uncompressed. */
import { readName, typeName } from './name.ts'

interface Presented {
  readonly rdata: Buffer
  readonly text: string
}

/** What comes before the names in the data, octets, and how many names follow (RFC 1035; SRV's is not compressed). */
const WITH_NAMES: Readonly<Record<string, readonly [before: number, names: number]>> = {
  NS: [0, 1],
  CNAME: [0, 1],
  PTR: [0, 1],
  SOA: [0, 2],
  MX: [2, 1],
  SRV: [6, 1]
}

/** Throws where the data ends elsewhere than its length says. */
export function present(message: Buffer, type: string, start: number, end: number): Presented {
  const rdata = message.subarray(start, end)
  const shape = WITH_NAMES[type]
  if (shape === undefined) return { rdata, text: PRESENTERS[type]?.(rdata) ?? rdata.toString('hex') }
  const [before, count] = shape
  const parts = [message.subarray(start, start + before)]
  const texts = numbers(parts[0]!, 2)
  let at = start + before
  for (let index = 0; index < count; index++) {
    const { name, wire, next } = readName(message, at)
    parts.push(wire)
    texts.push(name)
    at = next
  }
  const rest = message.subarray(at, end)
  if (at > end || (type !== 'SOA' && rest.length > 0)) throw new Error(`data of ${type} ends elsewhere`)
  return { rdata: Buffer.concat([...parts, rest]), text: [...texts, ...numbers(rest, 4)].join(' ') }
}

function numbers(bytes: Buffer, width: number): string[] {
  return Array.from({ length: bytes.length / width }, (_, index) => String(bytes.readUIntBE(index * width, width)))
}

const PRESENTERS: Readonly<Record<string, (rdata: Buffer) => string>> = {
  A: (rdata) => rdata.join('.'),
  AAAA: (rdata) => rdata.toString('hex').match(/.{4}/g)!.join(':'),
  TXT(rdata) {
    const strings: string[] = []
    for (let at = 0; at < rdata.length; at += 1 + rdata[at]!)
      strings.push(JSON.stringify(rdata.subarray(at + 1, at + 1 + rdata[at]!).toString('latin1')))
    return strings.join(' ')
  },
  // When it was made and its bytes differ from server to server; validators judge these.
  RRSIG(rdata) {
    const signer = readName(rdata, 18)
    const [covered, labels] = [typeName(rdata.readUInt16BE(0)), rdata[3]!]
    return `${covered} ${rdata[2]!} ${labels} ${rdata.readUInt32BE(4)} ${signer.name} tag ${rdata.readUInt16BE(16)}`
  },
  NSEC(rdata) {
    const { name, next } = readName(rdata, 0)
    return [name, ...typesOf(rdata.subarray(next))].join(' ')
  }
}

/** RFC 4034, 4.1.2. */
function typesOf(bitmap: Buffer): string[] {
  const types: string[] = []
  for (let at = 0; at < bitmap.length; at += 2 + bitmap[at + 1]!)
    for (let bit = 0; bit < 8 * bitmap[at + 1]!; bit++)
      if ((bitmap[at + 2 + (bit >> 3)]! & (0x80 >> (bit & 7))) !== 0) types.push(typeName(256 * bitmap[at]! + bit))
  return types
}
