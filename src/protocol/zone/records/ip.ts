/** Octets of IP addresses. Both functions throw Error for other text. */
import { isIPv4, isIPv6 } from 'node:net'
import { concatBytes } from '../../encoding/bytes.ts'

export function ipv4Octets(address: string): Uint8Array {
  if (!isIPv4(address)) throw new Error(`${JSON.stringify(address)} is no IPv4 address`)
  return Uint8Array.from(address.split('.'), Number)
}

/** Sixteen octets of an RFC 4291 text without a zone index. */
export function ipv6Octets(address: string): Uint8Array {
  if (!isIPv6(address) || address.includes('%')) throw new Error(`${JSON.stringify(address)} is no IPv6 address`)
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
