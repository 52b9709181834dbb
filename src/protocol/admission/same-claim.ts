/**
 * The rule for another record of the claim that a holder has. Pure. The record that it serves has no change that
 * waits: of those with one signature it keeps the newest beside it, as a notice.
 */
import { equalBytes } from '../encoding/bytes.ts'
import { relateChanges } from '../claim/changes.ts'
import { type Claim, compareRecords, noteEquivocation } from '../claim/claim.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import type { ProtocolTime } from '../time.ts'
import { type Entry, withLink, withRecord } from './entry.ts'
import { chooseChange, isPending, lacksFinalChange, sinceAmong, sinceOf } from './key-changes.ts'

type Facts = NonNullable<Parameters<typeof sinceAmong>[1]>

interface SameClaimFacts {
  readonly time: ProtocolTime
  /** Neighbours' records of the claim; absent until they are asked. They decide between changes, and date new ones. */
  readonly neighbours?: Facts
  /** Neighbours that only date new changes, where none decides. */
  readonly datedBy?: Facts
}

export type SameClaim =
  /** `changed` is false when it was held already. */
  | { readonly kind: 'store'; readonly entry: Entry; readonly changed: boolean }
  /** A newer record of the same kind is held: of the claim, or of its notice. */
  | { readonly kind: 'stale'; readonly entry: Entry; readonly newer: 'record' | 'notice' }
  /** The keys have changed in another way. */
  | { readonly kind: 'changed' }
  /** `age`: since when neighbours have a change that is new here. `branch`: which of two changes most of them have. */
  | { readonly kind: 'ask'; readonly about: 'age' | 'branch' }
  | { readonly kind: 'wait' }

/** The rule for a Valid record of the entry's claim. */
export function admitSameClaim(
  entry: Entry,
  claim: Claim,
  { time, neighbours, datedBy = neighbours }: SameClaimFacts,
  profile: NetworkProfile
): SameClaim {
  const latest = entry.notice ?? entry
  const isHeld = [entry, latest].some((each) => equalBytes(each.claim.recordHash, claim.recordHash))
  if (isHeld) return { kind: 'store', entry, changed: false }
  const relation = relateChanges(entry.claim.changes, claim.changes)
  if (typeof relation === 'number') {
    if (!time.fresh) return { kind: 'wait' }
    const choice = chooseChange(entry, claim, relation, time, profile, neighbours)
    if (choice !== 'offered') return notChosen(choice)
  }
  if (datedBy === undefined && claim.changes.some(({ consented }, at) => !consented && isNew(latest.claim, claim, at)))
    return { kind: 'ask', about: 'age' }
  const since = sinceOf(latest, claim, time, datedBy && sinceAmong(claim, datedBy, time, profile))
  const offered = { claim, since }
  // A store from before notices may have one as its only record.
  const isServed = entry.notice !== undefined || !isPending(entry, time, profile)
  if (isPending(offered, time, profile)) {
    // Nobody would serve what it follows.
    if (isServed && relation !== 'longer') return { kind: 'changed' }
    if (isServed) return admitNotice(entry, offered, { time, ...(neighbours && { neighbours }) }, profile)
  } else if (!isServed && relation === 'shorter' && !lacksFinalChange(entry, claim, time, profile))
    return store(withLink({ ...entry, ...offered, notice: { claim: entry.claim, since: entry.since } }, entry.claim))
  const equivocation = noteEquivocation(entry.equivocation, entry.claim, claim)
  const noted: Entry = equivocation === undefined ? entry : { ...entry, equivocation }
  if (typeof relation !== 'number' && compareRecords(claim, entry.claim) < 0) {
    // A former owner's renewals would keep the name from everybody once the lease of its new owner is over.
    const isOfFormerKey = lacksFinalChange(entry, claim, time, profile)
    return { kind: 'stale', entry: isOfFormerKey ? noted : withLink(noted, claim), newer: 'record' }
  }
  return isTimeNeeded(entry.claim, claim, time) ? { kind: 'wait' } : store(withRecord(noted, offered))
}

/** A change with one signature: beside the record that is served, whose owner has until it is final to object. */
function admitNotice(
  entry: Entry,
  offered: Pick<Entry, 'claim' | 'since'>,
  { time, neighbours }: SameClaimFacts,
  profile: NetworkProfile
): SameClaim {
  const { claim } = offered
  const { notice } = entry
  if (isTimeNeeded((notice ?? entry).claim, claim, time)) return { kind: 'wait' }
  const relation = notice && relateChanges(notice.claim.changes, claim.changes)
  if (typeof relation === 'number') {
    const choice = chooseChange(notice!, claim, relation, time, profile, neighbours)
    if (choice !== 'offered') return notChosen(choice)
  } else if (notice !== undefined && compareRecords(claim, notice.claim) < 0)
    return { kind: 'stale', entry: withLink(entry, claim), newer: 'notice' }
  return store(withLink({ ...entry, notice: offered }, claim))
}

function notChosen(choice: 'held' | 'ask'): SameClaim {
  return choice === 'held' ? { kind: 'changed' } : { kind: 'ask', about: 'branch' }
}

/** Whether what is known has other changes up to that one. Each hash covers those before it. */
function isNew({ changes: known }: Claim, { changes }: Claim, at: number): boolean {
  return known[at] === undefined || !equalBytes(known[at].hash, changes[at]!.hash)
}

/** Changes of keys and renewals wait for a fresh pulse. */
function isTimeNeeded(held: Claim, claim: Claim, { fresh }: ProtocolTime): boolean {
  return !fresh && (relateChanges(held.changes, claim.changes) !== 'same' || claim.newestRound !== held.newestRound)
}

function store(entry: Entry): SameClaim {
  return { kind: 'store', entry, changed: true }
}
