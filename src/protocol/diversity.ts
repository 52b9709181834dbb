/** "Diverse" peers: at most so many of them in one /24 or /48, so that one machine or provider is not a crowd. */
import { ipv4Octets, ipv6Octets } from './zone-records/ip.ts'

/** Who said something, and the address prefix it said it from (see `addressPrefix`). */
export interface Origin {
  readonly peer: string
  readonly prefix: string
}

/** The first answer of each peer, at most `perPrefix` of one prefix (0: no limit), in the order given: closest first. */
export function diverse<T extends Origin>(answers: readonly T[], perPrefix: number): T[] {
  const peers = new Set<string>()
  const used = new Map<string, number>()
  return answers.filter(({ peer, prefix }) => {
    const count = used.get(prefix) ?? 0
    if (peers.has(peer) || (perPrefix > 0 && count >= perPrefix)) return false
    peers.add(peer)
    used.set(prefix, count + 1)
    return true
  })
}

/** The /24 of an IPv4 address, the /48 of an IPv6 one; an IPv4 address inside IPv6 counts as IPv4. Throws Error for other text. */
export function addressPrefix(address: string): string {
  if (!address.includes(':')) return `${ipv4Octets(address).subarray(0, 3).join('.')}.0/24`
  const bytes = ipv6Octets(address)
  const mapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  if (mapped) return `${bytes.subarray(12, 15).join('.')}.0/24`
  return `${Buffer.from(bytes.subarray(0, 6)).toString('hex')}/48`
}
