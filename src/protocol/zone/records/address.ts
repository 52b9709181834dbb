import { isIPv4, isIPv6 } from './ip.ts'

export function parseA(value: string): { address: string } {
  if (!isIPv4(value)) throw new Error(`${JSON.stringify(value)} is no IPv4 address`)
  return { address: value }
}

/** RFC 4291 text without a zone index, which is local to a host. */
export function parseAaaa(value: string): { address: string } {
  if (!isIPv6(value)) throw new Error(`${JSON.stringify(value)} is no IPv6 address`)
  return { address: value }
}
