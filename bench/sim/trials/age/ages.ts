/** Which chains count for an age, and how. */
import { ageOf, type Shown } from './chain.ts'
import type { RunChain } from './operators.ts'

/**
 * `anybody`: the oldest evidence in any chain. `named`: the oldest in a chain that the profile names. `most`: what more
 * than half of the named chains agree to, with each renewal in a tick while its lease or grace ran. `direct`: as `most`,
 * and the resolver asks the operators for the name too, who show what they hold.
 */
export const SOURCES = ['anybody', 'named', 'most', 'direct'] as const
export type Source = (typeof SOURCES)[number]

/** A claim with the leaf of each link, the oldest first. */
export interface ShownClaim {
  readonly links: readonly Uint8Array[]
}

export interface Dates {
  readonly today: number
  /** Days from a link to the last on which its renewal may be in a tick: lease and grace. */
  readonly leaseAndGrace: number
}

export function ageBy(
  source: Source,
  { links }: ShownClaim,
  chains: readonly RunChain[],
  named: ReadonlySet<string>,
  dates: Dates
): number {
  const oldest = (of: readonly RunChain[]): number =>
    Math.max(0, ...of.map((chain) => ageOfLink(links[0]!, chain, dates.today)))
  if (source === 'anybody') return oldest(chains)
  const counted = chains.filter(({ view, isSigned }) => named.has(idOf(view)) && isSigned)
  if (source === 'named') return oldest(counted)
  const ages = counted.map((chain) => ageOfRenewed(links, chain, dates))
  const all = [...ages, ...Array.from({ length: named.size - ages.length }, () => 0)].sort((a, b) => b - a)
  return all[Math.floor(named.size / 2)] ?? 0
}

export const idOf = ({ id }: Pick<Shown, 'id'>): string => Buffer.from(id).toString('hex')

function ageOfLink(leaf: Uint8Array, { chain, view, since }: RunChain, today: number): number {
  const evidence = chain.evidence(leaf)
  return evidence === undefined ? 0 : ageOf(leaf, evidence, view, today, since)
}

/**
 * Since the first link behind which each later one came into the chain in time. The newest may still be missing, as long
 * as the lease and grace of the one before run.
 */
function ageOfRenewed(links: readonly Uint8Array[], chain: RunChain, { today, leaseAndGrace }: Dates): number {
  const ages = links.map((leaf) => ageOfLink(leaf, chain, today))
  let age = ages.at(-1) ?? 0
  for (let index = ages.length - 2; index >= 0; index--) {
    const before = ages[index]!
    if (before === 0 || before - age > leaseAndGrace) break
    age = before
  }
  return age
}
