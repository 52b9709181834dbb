/** Names and types of DNS, on the wire and as text. */

export const TYPES: Readonly<Record<string, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  HINFO: 13,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  OPT: 41,
  DS: 43,
  SSHFP: 44,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  TLSA: 52,
  SVCB: 64,
  HTTPS: 65,
  AXFR: 252,
  IXFR: 251,
  ANY: 255,
  URI: 256,
  CAA: 257
}
const NAMES = new Map(Object.entries(TYPES).map(([name, code]) => [code, name]))
export const typeName = (code: number): string => NAMES.get(code) ?? `TYPE${code}`

/** Presentation to wire; labels may hold any character but a dot. */
export function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '')
  return Buffer.concat([...labels.map((label) => Buffer.from([label.length, ...Buffer.from(label)])), Buffer.of(0)])
}

/** With escapes (RFC 1035, 5.1); follows pointers that point back only. */
export function readName(message: Buffer, start: number): { name: string; wire: Buffer; next: number } {
  const labels: Buffer[] = []
  let at = start
  let next: number | undefined
  let bound = start
  for (;;) {
    const length = message.readUInt8(at)
    if (length >= 0xc0) {
      const to = message.readUInt16BE(at) & 0x3fff
      if (to >= bound) throw new Error('a pointer that does not point back')
      next ??= at + 2
      at = bound = to
    } else if (length > 63) throw new Error('a label of another kind')
    else {
      const end = at + 1 + length
      if (end > message.length) throw new Error('a label beyond the message')
      if (length === 0) {
        const name = labels.map((label) => `${escaped(label)}.`).join('')
        const wire = Buffer.concat([...labels.flatMap((label) => [Buffer.of(label.length), label]), Buffer.of(0)])
        if (wire.length > 255) throw new Error('a name of more than 255 octets')
        return { name: name === '' ? '.' : name, wire, next: next ?? end }
      }
      labels.push(message.subarray(at + 1, end))
      at = end
    }
  }
}

function escaped(label: Buffer): string {
  return [...label]
    .map((byte) => {
      const text = String.fromCharCode(byte)
      if (byte <= 32 || byte >= 127) return `\\${String(byte).padStart(3, '0')}`
      return '."\\;()@$'.includes(text) ? `\\${text}` : text
    })
    .join('')
}
