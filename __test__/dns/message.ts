/** As much of DNS messages as the tests read and write. */

export const TYPE = { A: 1, NS: 2, SOA: 6, TXT: 16, AAAA: 28, OPT: 41, RRSIG: 46, DNSKEY: 48 } as const
export const RCODE = { noerror: 0, servfail: 2, nxdomain: 3, refused: 5 } as const

const OPTION_EDE = 15

export interface Message {
  readonly id: number
  readonly rcode: number
  readonly aa: boolean
  readonly tc: boolean
  readonly ad: boolean
  readonly answers: readonly { readonly type: number; readonly ttl: number; readonly data: Uint8Array }[]
  readonly authorityTypes: readonly number[]
  readonly ede: { readonly code: number; readonly text: string } | undefined
}

/** Programs know no escapes: a backslash is an octet like any other. */
function nameAsTyped(name: string): Uint8Array {
  const labels = name === '' ? [] : name.split('.').map((label) => Buffer.from(label))
  return Buffer.concat([...labels.flatMap((label) => [Buffer.of(label.length), label]), Buffer.of(0)])
}

/** RD, AD and an OPT record of 1232 bytes; `dnssec` sets DO. */
export function query(name: string, type: number, { id = 7, dnssec = false } = {}): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(id, 0)
  head.writeUInt16BE(0x0120, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(1, 10)
  const question = Buffer.alloc(4)
  question.writeUInt16BE(type, 0)
  question.writeUInt16BE(1, 2)
  const opt = Buffer.from([0, 0, TYPE.OPT, 0x04, 0xd0, 0, 0, dnssec ? 0x80 : 0, 0, 0, 0])
  return new Uint8Array(Buffer.concat([head, nameAsTyped(name), question, opt]))
}

export function read(message: Uint8Array): Message {
  const bytes = Buffer.from(message)
  const flags = bytes.readUInt16BE(2)
  let at = 12
  const skipName = (): void => {
    while (bytes[at] !== 0 && bytes[at]! < 0xc0) at += 1 + bytes[at]!
    at += bytes[at] === 0 ? 1 : 2
  }
  for (let index = bytes.readUInt16BE(4); index > 0; index--) {
    skipName()
    at += 4
  }
  const section = (count: number) =>
    Array.from({ length: count }, () => {
      skipName()
      const [type, ttl, length] = [bytes.readUInt16BE(at), bytes.readUInt32BE(at + 4), bytes.readUInt16BE(at + 8)]
      at += 10 + length
      return { type, ttl, data: new Uint8Array(bytes.subarray(at - length, at)) }
    })
  const [answers, authority, additional] = [6, 8, 10].map((offset) => section(bytes.readUInt16BE(offset)))
  return {
    id: bytes.readUInt16BE(0),
    rcode: flags & 0x0f,
    aa: (flags & 0x0400) !== 0,
    tc: (flags & 0x0200) !== 0,
    ad: (flags & 0x0020) !== 0,
    answers: answers!,
    authorityTypes: authority!.map(({ type }) => type),
    ede: edeOf(additional!.find(({ type }) => type === TYPE.OPT)?.data)
  }
}

function edeOf(options: Uint8Array | undefined): Message['ede'] {
  const bytes = Buffer.from(options ?? [])
  for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt16BE(at + 2)) {
    const end = at + 4 + bytes.readUInt16BE(at + 2)
    if (bytes.readUInt16BE(at) === OPTION_EDE)
      return { code: bytes.readUInt16BE(at + 4), text: bytes.toString('utf8', at + 6, end) }
  }
  return undefined
}
