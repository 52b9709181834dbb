/**
 * Changes of keys at a holder of the name: when one is final, and which of two after the same one stays. Pure. A holder
 * dates each change by its own first sight of it, as it dates a claim by its entry.
 */
import { compareBytes, equalBytes } from '../encoding/bytes.ts'
import { type ChangeMark, relateChanges } from '../claim/changes.ts'
import type { Claim } from '../claim/claim.ts'
import { type Origin, diverse, electorate, quorumOf } from '../neighbourhood/diversity.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import type { ProtocolTime } from '../time.ts'

/** Rounds for which another change may take the place of this one by a rule. */
type Window = Pick<NetworkProfile, 'contest' | 'grace' | 'settle'>

/**
 * Rounds until a change is final. With both signatures: until neither the contest nor the repair by most neighbours can
 * turn it [a sale that is turned after it was final]. With that of the change key alone twice `grace`: the owner, who may
 * be away for as long as the grace, has that time again to object.
 */
export function roundsToFinal(
  { consented }: Pick<ChangeMark, 'consented'>,
  { contest, settle, grace }: Window
): number {
  return consented ? Math.max(contest, settle) : 2 * grace
}

/** Whether a record of the claim lacks a change that is final here. The former keys that signed it count no longer. */
export function lacksFinalChange(
  { claim: held, since }: HeldChanges,
  { changes }: Pick<Claim, 'changes'>,
  { verified }: Pick<ProtocolTime, 'verified'>,
  profile: Window
): boolean {
  const lacked = held.changes[changes.length]
  return lacked !== undefined && verified - since[changes.length]! > roundsToFinal(lacked, profile)
}

/**
 * Whether a change with one signature waits in this record. Such a record is a notice: the one before it is served, or a
 * thief of one secret would have the name at once [a thief of the change words].
 */
export function isPending(
  { claim, since }: HeldChanges,
  { verified }: Pick<ProtocolTime, 'verified'>,
  profile: Window
): boolean {
  return claim.changes.some(
    (change, index) => !change.consented && verified - since[index]! <= roundsToFinal(change, profile)
  )
}

/**
 * Rounds of first sight for the changes of `offered`: those shared with `held` keep theirs.
 *
 * @param among what neighbours say of the others (`sinceAmong`), where they were asked
 */
export function sinceOf(
  { claim: held, since }: HeldChanges,
  offered: Pick<Claim, 'changes'>,
  { verified }: Pick<ProtocolTime, 'verified'>,
  among?: readonly number[]
): number[] {
  const relation = relateChanges(held.changes, offered.changes)
  const parted = typeof relation === 'number' ? relation : undefined
  return offered.changes.map((change, index) => {
    const isOfEqualRank = parted === index && held.changes[index]!.consented === change.consented
    // A better change of equal rank leaves the window as it is, or each one would open it again.
    const isShared = parted === undefined || index < parted || isOfEqualRank
    return (isShared ? since[index] : undefined) ?? among?.[index] ?? verified
  })
}

/** The last change of a record, and the round from which all its changes are final at the peer that says so. */
export interface ChangesHeld {
  readonly head: Uint8Array
  readonly final: number
}

/** What a holder tells of the changes of its record; undefined without any. */
export function changesHeld({ claim, since }: HeldChanges, profile: Window): ChangesHeld | undefined {
  const last = claim.changes.at(-1)
  if (last === undefined) return undefined
  return {
    head: last.hash,
    final: Math.max(...claim.changes.map((change, index) => since[index]! + roundsToFinal(change, profile)))
  }
}

export interface HeldChanges {
  readonly claim: Pick<Claim, 'changes'>
  readonly since: readonly number[]
}

/** The entries of neighbours; `changes` of the record that each serves, and those of the notice beside it. */
interface Facts {
  readonly answers: readonly (Origin & {
    readonly entry?: {
      readonly claimId: Uint8Array
      readonly changes?: ChangesHeld | undefined
      readonly notice?: ChangesHeld | undefined
    }
  })[]
  /** Known diverse neighbours, silent ones included. */
  readonly known: number
}

/**
 * Rounds of first sight for a record that neighbours show to a node that lacks it: each change is as old as half
 * of those that should hold it say. Silence counts as later, so fewer than half make no change older than it is.
 * Otherwise a change would grow no older while its holders come and go.
 */
export function sinceAmong(
  claim: Pick<Claim, 'id' | 'changes'>,
  facts: Facts | undefined,
  { verified }: Pick<ProtocolTime, 'verified'>,
  profile: NetworkProfile
): number[] {
  return claim.changes.map((change, at) => {
    const final = facts === undefined ? Infinity : finalAmong(claim, at, facts, profile)
    return Math.max(0, Math.min(verified, final - roundsToFinal(change, profile)))
  })
}

/** The round by which half of those that should hold it call the changes to that index final; Infinity if fewer do. */
function finalAmong(claim: Pick<Claim, 'id' | 'changes'>, at: number, facts: Facts, profile: NetworkProfile): number {
  const answers = diverse(facts.answers, profile).length
  if (answers < quorumOf(profile.repair_quorum, facts.known, profile)) return Infinity
  const said = holdersOf(claim, at, facts, profile).map(({ final }) => final)
  return said.sort((left, right) => left - right)[Math.ceil(electorate(answers, profile) / 2) - 1] ?? Infinity
}

/**
 * Counts the neighbours that hold this claim, and those that serve another record: with a last change that this one
 * lacks, or without the last change of this one that has one signature.
 */
export function otherAmong(
  { id, changes }: Pick<Claim, 'id' | 'changes'>,
  { answers }: Pick<Facts, 'answers'>,
  profile: NetworkProfile
): { readonly other: number; readonly of: number } {
  const served = diverse(answers, profile).flatMap(({ entry }) =>
    entry !== undefined && equalBytes(entry.claimId, id) ? [entry.changes?.head] : []
  )
  const alone = changes.findLastIndex(({ consented }) => !consented)
  const isOther = (head: Uint8Array | undefined): boolean => {
    if (head === undefined) return alone !== -1
    const at = changes.findIndex(({ hash }) => equalBytes(hash, head))
    return at === -1 || at < alone
  }
  return { other: served.filter(isOther).length, of: served.length }
}

/**
 * Whether a node that lacks the claim may enter this record of it. It may not where most neighbours serve another last
 * change: a seller would send each newcomer the second sale, or the record before a change; a thief of the change words
 * a notice.
 */
export function isBacked(
  claim: Pick<Claim, 'id' | 'changes'>,
  facts: Pick<Facts, 'answers'>,
  profile: NetworkProfile
): boolean {
  const { other, of } = otherAmong(claim, facts, profile)
  return other * 2 <= of
}

/** The words of diverse neighbours that serve this claim or its notice, with its changes to that index or beyond. */
function holdersOf(
  { id, changes }: Pick<Claim, 'id' | 'changes'>,
  from: number,
  facts: Facts,
  profile: NetworkProfile,
  isServed = false
): ChangesHeld[] {
  return diverse(facts.answers, profile).flatMap(({ entry }) => {
    if (entry === undefined || !equalBytes(entry.claimId, id)) return []
    const held = [entry.changes, isServed ? undefined : entry.notice].find(
      (each) => each !== undefined && changes.some(({ hash }, at) => at >= from && equalBytes(hash, each.head))
    )
    return held === undefined ? [] : [held]
  })
}

/**
 * Which of two changes after the same one stays at this holder; `parted` is their index. `ask`: what most neighbours
 * hold decides.
 *
 * 1. One with both signatures takes the place of one with the change key's alone, while that is not final.
 * 2. Of two of equal rank the lower hash, within `contest` of the first sight.
 * 3. After that the held one, unless more than half of the neighbours hold the other, within `settle`.
 */
export function chooseChange(
  { claim: held, since }: HeldChanges,
  offered: Pick<Claim, 'id' | 'changes'>,
  parted: number,
  time: Pick<ProtocolTime, 'verified'>,
  profile: NetworkProfile,
  neighbours?: Facts
): 'held' | 'offered' | 'ask' {
  const ours = held.changes[parted]!
  const theirs = offered.changes[parted]!
  const age = time.verified - since[parted]!
  if (ours.consented !== theirs.consented) {
    // Notices have no vote against both signatures: most neighbours must have served the other as final.
    if (ours.consented) return age > profile.settle ? 'held' : byMajority(offered, parted, profile, neighbours, true)
    return age <= roundsToFinal(ours, profile) ? 'offered' : 'held'
  }
  if (age <= profile.contest) return compareBytes(theirs.hash, ours.hash) < 0 ? 'offered' : 'held'
  return age > profile.settle ? 'held' : byMajority(offered, parted, profile, neighbours)
}

function byMajority(
  offered: Pick<Claim, 'id' | 'changes'>,
  parted: number,
  profile: NetworkProfile,
  facts: Facts | undefined,
  isServed = false
): 'held' | 'offered' | 'ask' {
  if (facts === undefined) return 'ask'
  const answers = diverse(facts.answers, profile).length
  if (answers < Math.max(1, quorumOf(profile.repair_quorum, facts.known, profile))) return 'held'
  const holders = holdersOf(offered, parted, facts, profile, isServed)
  return holders.length * 2 > electorate(answers, profile) ? 'offered' : 'held'
}
