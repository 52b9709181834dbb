/**
 * "Diverse" peers: at most a few in one prefix and wide prefix, so that one machine or provider has few votes. By IPv6
 * they fill only the places that IPv4 leaves: a rented machine has both, and would count twice [two families].
 */
import type { NetworkProfile } from '../profile/profile.ts'
import { ipv4Octets, ipv6Octets } from '../zone/presentation.ts'

/** A speaker and its address prefix (see `addressPrefix`), or `UNDIALLED`. */
export interface Origin {
  readonly peer: string
  readonly prefix: string
}

/** In place of a prefix: this node did not reach the peer in any, so it does not count [ids that nobody can dial]. */
export const UNDIALLED = 'undialled'

/** Answers that count; 0 is no limit. The profile's own two fields. */
export type DiversityLimits = Pick<NetworkProfile, 'answers_per_prefix' | 'answers_per_wide_prefix'>

/** Whether this node has known a peer at its prefix for `settle`. */
export type IsLongKnown = (origin: Origin) => boolean

const NOBODY: IsLongKnown = () => false

/**
 * One answer of each peer, within the limits of its prefixes, in the order given. Where a prefix is over its limit, the
 * long-known count first, then the closest [ids in the prefixes of honest nodes]. Those by IPv6 count as long as there
 * are fewer than k.
 */
export function diverse<T extends Origin>(
  answers: readonly T[],
  limits: DiversityLimits & Pick<NetworkProfile, 'k'>,
  isLongKnown = NOBODY
): T[] {
  return within(answers, limits.k, limits, isLongKnown)
}

/**
 * At most `count` diverse peers, in the order given: as far as the first of them reach, by the rule of `diverse`. No
 * long-known peer beyond takes the place of one among them. Reads no more than needed.
 */
export function nearestDiverse<T extends Origin>(
  peers: Iterable<T>,
  count: number,
  limits: DiversityLimits,
  isLongKnown = NOBODY
): T[] {
  return within(readUntil(peers, count, limits), count, limits, isLongKnown).slice(0, count)
}

/** As `nearestDiverse`; if there are fewer, the first others follow. */
export function diverseFirst<T extends Origin>(
  peers: Iterable<T>,
  count: number,
  limits: DiversityLimits,
  isLongKnown = NOBODY
): T[] {
  const read = readUntil(peers, count, limits)
  const counted = new Set(within(read, count, limits, isLongKnown))
  const others = counted.size < count ? read.filter((peer) => !counted.has(peer)) : []
  return [...counted, ...others].slice(0, count)
}

/** The first peers, up to the one with which `count` are diverse. */
function readUntil<T extends Origin>(peers: Iterable<T>, count: number, limits: DiversityLimits): T[] {
  const read: T[] = []
  countedIn(noted(peers, read), count, count, limits)
  return read
}

/** The diverse ones of all these. Limits are nested, so the order of taking changes who counts, never how many. */
function within<T extends Origin>(
  peers: readonly T[],
  fill: number,
  limits: DiversityLimits,
  isLongKnown: IsLongKnown
): T[] {
  const places = new DiversePlaces(limits)
  const ranked = peers.map((peer) => ({
    peer,
    isLong: isLongKnown(peer),
    isLater: limits.answers_per_prefix > 0 && isIPv6Prefix(peer.prefix)
  }))
  // A peer that is named by both versions counts by IPv4.
  const inTurn = [false, true].flatMap((later) =>
    [true, false].flatMap((long) => ranked.filter(({ isLater, isLong }) => isLater === later && isLong === long))
  )
  const taken = new Set(inTurn.filter(({ peer }) => places.take(peer)))
  const counted = ranked.filter((each) => taken.has(each))
  let left = fill - counted.filter(({ isLater }) => !isLater).length
  return counted.filter(({ isLater }) => !isLater || left-- > 0).map(({ peer }) => peer)
}

function* noted<T>(items: Iterable<T>, read: T[]): Generator<T> {
  for (const item of items) {
    read.push(item)
    yield item
  }
}

/** Whether `count` peers are diverse. Reads no more than needed. */
export function hasDiverse(peers: Iterable<Origin>, count: number, limits: DiversityLimits): boolean {
  return countedIn(peers, count, count, limits).size >= count
}

/** The indexes of those that count: `enough` by IPv4 at most, and by IPv6 while there are fewer than `fill` in all. */
function countedIn(peers: Iterable<Origin>, fill: number, enough: number, limits: DiversityLimits): Set<number> {
  const places = new DiversePlaces(limits)
  const counted = new Set<number>()
  const later: (readonly [number, Origin])[] = []
  let index = 0
  for (const { peer, prefix } of peers) {
    if (limits.answers_per_prefix > 0 && isIPv6Prefix(prefix)) later.push([index, { peer, prefix }])
    else if (places.take({ peer, prefix })) counted.add(index)
    index++
    if (counted.size >= enough) break
  }
  for (const [at, origin] of later) {
    if (counted.size >= fill) break
    if (places.take(origin)) counted.add(at)
  }
  return counted
}

/** The places within the limits: each peer takes one, also of its prefix and wide prefix. */
export class DiversePlaces {
  readonly #limits: DiversityLimits
  readonly #peers = new Set<string>()
  readonly #taken = new Map<string, number>()

  constructor(limits: DiversityLimits) {
    this.#limits = limits
  }

  /** False, and nothing taken, without a free place, for a repeated peer, and for one that was not dialled. */
  take({ peer, prefix }: Origin): boolean {
    if (prefix === UNDIALLED) return false
    const { answers_per_prefix: narrow, answers_per_wide_prefix: wide } = this.#limits
    const wanted = [
      { key: `narrow ${countedPrefix(prefix)}`, limit: narrow },
      { key: `wide ${countedWidePrefix(prefix)}`, limit: wide }
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

/** The /16 or /32 of an address prefix; any other text is its own wide prefix. */
export function widePrefix(prefix: string): string {
  const ipv4 = /^(\d+\.\d+)\.\d+\.0\/24$/.exec(prefix)
  if (ipv4 !== null) return `${ipv4[1]!}.0.0/16`
  const ipv6 = /^([0-9a-f]{8})[0-9a-f]{4}\/48$/.exec(prefix)
  return ipv6 === null ? prefix : `${ipv6[1]!}/32`
}

const IPV6 = /^([0-9a-f]{6})[0-9a-f]{6}\/48$/

export function isIPv6Prefix(prefix: string): boolean {
  return IPV6.test(prefix)
}

/** Where votes are counted: an IPv4 prefix itself; the /32 of an IPv6 one, since providers give a customer a /48. */
function countedPrefix(prefix: string): string {
  return isIPv6Prefix(prefix) ? widePrefix(prefix) : prefix
}

/** The /16 of an IPv4 prefix; the /24 of an IPv6 one, since registries give a provider a /29. */
function countedWidePrefix(prefix: string): string {
  const ipv6 = IPV6.exec(prefix)
  return ipv6 === null ? widePrefix(prefix) : `${ipv6[1]!}/24`
}

type Limits = DiversityLimits & Pick<NetworkProfile, 'k'>

/** The electorate: a majority is more than half of it. `found` peers were found. */
export function electorate(found: number, { answers_per_prefix, k }: Limits): number {
  return answers_per_prefix > 0 ? Math.max(found, k) : found
}

export function quorumOf(quorum: number, known: number, { answers_per_prefix }: DiversityLimits): number {
  return answers_per_prefix > 0 ? quorum : Math.min(quorum, known)
}

export interface Diversity {
  readonly peers: number
  /** The /24, and by IPv6 the /32, that all peers are in. */
  readonly prefixes: number
  /** The /16, and by IPv6 the /24, that all peers are in. */
  readonly widePrefixes: number
}

export interface Needed {
  /**
   * More than half of k: an answer that is not thin. A node's own store may count as one of them, but not about its own
   * names.
   */
  readonly answer: number
  /** Settling and repair. */
  readonly settle: number
  /** Adoption of a claim by a node that holds nothing. */
  readonly adopt: number
}

export function diversityOf(peers: readonly Origin[], limits: Limits): Diversity {
  return {
    peers: diverse(peers, limits).length,
    prefixes: new Set(peers.map(({ prefix }) => countedPrefix(prefix))).size,
    widePrefixes: new Set(peers.map(({ prefix }) => countedWidePrefix(prefix))).size
  }
}

/** Null where the profile limits no prefixes: there the known peers suffice. */
export function neededDiversity({
  answers_per_prefix,
  k,
  repair_quorum,
  witness_quorum
}: NetworkProfile): Needed | null {
  return answers_per_prefix === 0
    ? null
    : { answer: Math.floor(k / 2) + 1, settle: repair_quorum, adopt: witness_quorum }
}

/** The fewest additions that make `needed` peers diverse: peers, and the new prefixes of either width among them. */
export function missingDiversity(needed: number, peers: readonly Origin[], limits: Limits): Diversity {
  const { answers_per_prefix: narrow, answers_per_wide_prefix: wide } = limits
  const lacking = (room: number, perPrefix: number): number =>
    perPrefix === 0 ? 0 : Math.max(0, Math.ceil((needed - room) / perPrefix))
  // As many as could count if the present prefixes were full.
  const filled = [...new Set(peers.map(({ prefix }) => prefix))].flatMap((prefix) =>
    Array.from({ length: narrow }, (_, index) => ({ peer: `${prefix} ${index}`, prefix }))
  )
  const { widePrefixes } = diversityOf(peers, limits)
  return {
    peers: Math.max(0, needed - diverse(peers, limits).length),
    prefixes: lacking(diverse(filled, limits).length, narrow),
    widePrefixes: lacking(widePrefixes * wide, wide)
  }
}
