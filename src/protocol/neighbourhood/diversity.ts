/**
 * "Diverse" peers: at most a few of them in one /24 or /48, and in one /16 or /32, so that one machine or provider is
 * not a crowd.
 */
import type { NetworkProfile } from '../profile/profile.ts'
import { ipv4Octets, ipv6Octets } from '../zone/records/ip.ts'

/** Who said something, and the address prefix it said it from (see `addressPrefix`). */
export interface Origin {
  readonly peer: string
  readonly prefix: string
}

/** How many answers count: 0 is no limit. The profile's own two fields. */
export type DiversityLimits = Pick<NetworkProfile, 'answers_per_prefix' | 'answers_per_wide_prefix'>

/**
 * The first answer of each peer, as many of one /24 or /48 and of one /16 or /32 as the limits allow, in the order
 * given: closest first.
 */
export function diverse<T extends Origin>(answers: readonly T[], limits: DiversityLimits): T[] {
  const places = new DiversePlaces(limits)
  return answers.filter((answer) => places.take(answer))
}

/**
 * The first `count` in the order given of those that are diverse; where these are fewer, the first of the others follow
 * them.
 */
export function diverseFirst<T extends Origin>(peers: readonly T[], count: number, limits: DiversityLimits): T[] {
  const places = new DiversePlaces(limits)
  const [counted, others]: [T[], T[]] = [[], []]
  for (const peer of peers) {
    if (counted.length === count) break
    if (places.take(peer)) counted.push(peer)
    else others.push(peer)
  }
  return [...counted, ...others].slice(0, count)
}

/**
 * Whether that many are diverse. Looks at no more than it needs; the order does not matter, since prefixes lie
 * within wide prefixes.
 */
export function hasDiverse(peers: Iterable<Origin>, count: number, limits: DiversityLimits): boolean {
  const places = new DiversePlaces(limits)
  let taken = 0
  for (const peer of peers) {
    if (taken === count) break
    if (places.take(peer)) taken++
  }
  return taken === count
}

/** The places that the limits leave: each peer takes one, and with it one of its prefix and of its wide prefix. */
class DiversePlaces {
  readonly #limits: DiversityLimits
  readonly #peers = new Set<string>()
  readonly #taken = new Map<string, number>()

  constructor(limits: DiversityLimits) {
    this.#limits = limits
  }

  /** False, and nothing taken, where there is no place left or the peer has one. */
  take({ peer, prefix }: Origin): boolean {
    const { answers_per_prefix: narrow, answers_per_wide_prefix: wide } = this.#limits
    const wanted = [
      { key: `narrow ${prefix}`, limit: narrow },
      { key: `wide ${widePrefix(prefix)}`, limit: wide }
    ].filter(({ limit }) => limit > 0)
    if (this.#peers.has(peer) || wanted.some(({ key, limit }) => (this.#taken.get(key) ?? 0) >= limit)) return false
    this.#peers.add(peer)
    for (const { key } of wanted) this.#taken.set(key, (this.#taken.get(key) ?? 0) + 1)
    return true
  }
}

/**
 * The /24 of an IPv4 address, the /48 of an IPv6 one; an IPv4 address inside IPv6 counts as IPv4. Throws Error for
 * other text.
 */
export function addressPrefix(address: string): string {
  if (!address.includes(':')) return `${ipv4Octets(address).subarray(0, 3).join('.')}.0/24`
  const bytes = ipv6Octets(address)
  const mapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  if (mapped) return `${bytes.subarray(12, 15).join('.')}.0/24`
  return `${Buffer.from(bytes.subarray(0, 6)).toString('hex')}/48`
}

/** The /16 or /32 that an address prefix lies in; what is no address prefix lies in itself. */
export function widePrefix(prefix: string): string {
  const ipv4 = /^(\d+\.\d+)\.\d+\.0\/24$/.exec(prefix)
  if (ipv4 !== null) return `${ipv4[1]!}.0.0/16`
  const ipv6 = /^([0-9a-f]{8})[0-9a-f]{4}\/48$/.exec(prefix)
  return ipv6 === null ? prefix : `${ipv6[1]!}/32`
}
