/** How diverse a set of peers is, and what it lacks for the profile's fixed quorums (electorate.ts). */
import { countedPrefix, countedWidePrefix, diverse, type DiversityLimits, type Origin } from './diversity.ts'
import type { NetworkProfile } from '../profile/profile.ts'

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

type Limits = DiversityLimits & Pick<NetworkProfile, 'k'>

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
