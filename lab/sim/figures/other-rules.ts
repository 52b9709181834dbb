/**
 * Rules of other registries, for the same answers: each takes the records that the k nearest nodes show, without
 * counting prefixes, and names an owner. All records are Valid, which is more than most of those registries ask for.
 */
import { type Claim, compareContest, compareRecords } from '../../../src/protocol/claim/claim.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import { decodeReveal } from '../../../src/protocol/claim/reveal.ts'
import { AskError } from '../../../src/network/wire/exchange.ts'
import type { SimNode } from '../world/sim-node.ts'
import type { World } from '../world/world.ts'

export type OtherRule = 'last-write' | 'lowest-pulse' | 'oldest-claim' | 'majority-of-all'

export const OTHER_RULES: readonly OtherRule[] = ['last-write', 'lowest-pulse', 'oldest-claim', 'majority-of-all']

/** The claims that the k nearest show, one for each node that shows any. */
export async function shownClaims(world: World, asker: SimNode, key: Uint8Array): Promise<Claim[]> {
  const nearest = world.topology.near(key).slice(0, world.profile.k)
  const shown = await Promise.all(
    nearest.map(async (node) => {
      try {
        const answer = await world.transport.ask(asker, node, { type: 'get', kind: 'reveal', key })
        if (answer.type !== 'entry' || answer.record === undefined) return []
        const verdict = await world.verdicts.of(decodeReveal(answer.record))
        return verdict.ok ? [verdict.claim] : []
      } catch (error) {
        if (error instanceof AskError) return []
        throw error
      }
    })
  )
  return shown.flat()
}

/** The owner that a rule names, in hex; undefined for none. */
export function ownerBy(rule: OtherRule, claims: readonly Claim[]): string | undefined {
  const first = claims[0]
  if (first === undefined) return undefined
  const best = (isBetter: (left: Claim, right: Claim) => boolean): string =>
    toHex(claims.reduce((former, next) => (isBetter(next, former) ? next : former), first).pubkey)
  switch (rule) {
    case 'last-write':
      return best((left, right) => compareRecords(left, right) > 0)
    case 'lowest-pulse':
      return best((left, right) => compareContest(left, right) < 0)
    case 'oldest-claim':
      // Age by what the record says of itself: p of its first link, then of its newest.
      return best(
        (left, right) =>
          left.firstRound < right.firstRound ||
          (left.firstRound === right.firstRound && left.newestRound < right.newestRound)
      )
    case 'majority-of-all': {
      const votes = new Map<string, number>()
      for (const { pubkey } of claims) votes.set(toHex(pubkey), (votes.get(toHex(pubkey)) ?? 0) + 1)
      return [...votes].find(([, count]) => count * 2 > claims.length)?.[0]
    }
  }
}
