/** Octets of IP addresses. The functions that read them throw Error for other text. */
import { concatBytes } from '../../encoding/bytes.ts'

const OCTET = /^(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])$/
const GROUP = /^[0-9a-fA-F]{1,4}$/

/** Four decimal octets without leading zeros. As Node's `isIPv4`, which a browser lacks. */
export function isIPv4(text: string): boolean {
  const octets = text.split('.')
  return octets.length === 4 && octets.every((octet) => OCTET.test(octet))
}

/** RFC 4291 text without a zone index. Apart from those, as Node's `isIPv6`, which a browser lacks. */
export function isIPv6(text: string): boolean {
  const halves = text.split('::')
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')))
  const all = groups.flat()
  const last = all.at(-1)
  const isDotted = last !== undefined && groups.at(-1)!.length > 0 && isIPv4(last)
  const plain = isDotted ? all.slice(0, -1) : all
  if (!plain.every((group) => GROUP.test(group))) return false
  const count = plain.length + (isDotted ? 2 : 0)
  return halves.length === 1 ? count === 8 : halves.length === 2 && count <= 7
}

export function ipv4Octets(address: string): Uint8Array {
  if (!isIPv4(address)) throw new Error(`${JSON.stringify(address)} is no IPv4 address`)
  return Uint8Array.from(address.split('.'), Number)
}

/** Sixteen octets of an RFC 4291 text without a zone index. */
export function ipv6Octets(address: string): Uint8Array {
  if (!isIPv6(address)) throw new Error(`${JSON.stringify(address)} is no IPv6 address`)
  const [head = '', tail] = address.split('::')
  const before = groupsOf(head)
  if (tail === undefined) return before
  const after = groupsOf(tail)
  return concatBytes(before, new Uint8Array(16 - before.length - after.length), after)
}

/** Groups of four hex digits, the last of which may be a dotted IPv4 address. */
function groupsOf(text: string): Uint8Array {
  if (text === '') return new Uint8Array(0)
  return concatBytes(
    ...text.split(':').map((group) => (group.includes('.') ? ipv4Octets(group) : u16(parseInt(group, 16))))
  )
}

export function u16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value & 0xff)
}
