/** A change of keys that has one signature and waits, as resolvers tell it. Pure. */
import { equalBytes, toHex } from '../encoding/bytes.ts'
import { relateChanges } from '../claim/changes.ts'
import { type Claim, compareRecords } from '../claim/claim.ts'

/** One peer's word. */
interface ToldNotice {
  readonly claim: Claim
  /** The round after which the change is final there. */
  readonly final: number
}

export interface NoticeSeen extends ToldNotice {
  /** Peers that hold it. */
  readonly votes: number
}

/**
 * The notice that more than half of the claim's votes hold beside the record that is served, with the round after which
 * it is final for as many. Fewer may lie, or have missed that its owner objected.
 *
 * @param told one for each peer that holds one
 * @param votes peers that hold the claim
 */
export function noticeAmong(served: Claim, told: readonly ToldNotice[], votes: number): NoticeSeen | undefined {
  const following = told.filter(
    ({ claim }) => equalBytes(claim.id, served.id) && relateChanges(served.changes, claim.changes) === 'longer'
  )
  const byHead = Map.groupBy(following, ({ claim }) => toHex(claim.changes.at(-1)!.hash))
  const most = [...byHead.values()].find((same) => same.length * 2 > votes)
  if (most === undefined) return undefined
  const finals = most.map(({ final }) => final).sort((left, right) => left - right)
  const { claim } = most.reduce((best, each) => (compareRecords(each.claim, best.claim) > 0 ? each : best))
  return { claim, final: finals[Math.floor(votes / 2)]!, votes: most.length }
}
