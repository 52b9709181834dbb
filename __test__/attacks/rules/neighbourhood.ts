/**
 * Twenty holders of one name and the liars among them, in virtual rounds: the rules are real, and the questions come
 * when a node's would.
 */
import { admit, adopt, reviseEntry, type Decision } from '../../../src/protocol/admission/admission.ts'
import { equalBytes } from '../../../src/protocol/encoding/bytes.ts'
import type { Claim } from '../../../src/protocol/claim/claim.ts'
import { tickEntry, withSight, type Entry, type EntryState } from '../../../src/protocol/admission/entry.ts'
import type { NeighbourAnswer, NeighbourFacts } from '../../../src/protocol/admission/neighbours.ts'
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import { tally, type Tally } from '../../../src/protocol/resolution/quorum.ts'
import { isWitnessed, type CommitmentFacts } from '../../../src/protocol/admission/witness.ts'
import { timeAt } from '../../protocol/fixtures.ts'

/** As `src/network/upkeep/maintenance.ts` asks. */
const QUESTIONS_PER_SETTLING = 4

export interface Holder {
  readonly place: number
  /** What it knows of the commitment of each claim. */
  readonly facts: ReadonlyMap<Claim, CommitmentFacts>
  entry?: Entry
  /** Round of its next question. */
  due: number
}

interface NeighbourhoodParts {
  readonly profile: NetworkProfile
  readonly claims: readonly Claim[]
  /** 0 <= x < 1. */
  readonly random: () => number
  /** The last places of k. Each has its own prefix, as every holder. */
  readonly liars: number
  /** What a liar names to that holder; undefined: nothing. */
  readonly lie: (to: Holder, all: readonly Holder[]) => Claim | undefined
}

export class Neighbourhood {
  readonly holders: Holder[]
  readonly #parts: NeighbourhoodParts
  /** What each showed when several things came at once. */
  #shown: ReadonlyMap<Holder, Entry | undefined> | undefined

  constructor(parts: NeighbourhoodParts, facts: (place: number) => ReadonlyMap<Claim, CommitmentFacts>) {
    this.#parts = parts
    this.holders = Array.from({ length: parts.profile.k - parts.liars }, (_, place) => ({
      place,
      facts: facts(place),
      due: Infinity
    }))
  }

  /** Claims reach holders simultaneously: a holder asked meanwhile has not entered anything yet. */
  offerAtOnce(offers: readonly { readonly holder: Holder; readonly claim: Claim }[], round: number): void {
    this.#shown = new Map(this.holders.map((holder) => [holder, holder.entry]))
    for (const { holder, claim } of offers) this.offer(holder, claim, round)
    this.#shown = undefined
  }

  /** Offers a claim to a holder; every record is available. */
  offer(holder: Holder, claim: Claim, round: number): Decision {
    const { profile } = this.#parts
    const time = timeAt(round)
    let neighbours: NeighbourFacts | undefined
    for (;;) {
      const entry = this.#entryOf(holder, round)
      const decision = admit(
        entry,
        claim,
        { time, commitment: holder.facts.get(claim) ?? {}, ...(neighbours && { neighbours }) },
        profile
      )
      if (decision.kind === 'ask') {
        neighbours = this.#heard(holder, round)
        continue
      }
      if (decision.kind === 'adopt') {
        this.#enter(holder, adopt(decision.agreed, this.#claimOf(decision.agreed.claimId), time, entry), round)
        continue
      }
      if (decision.kind !== 'wait' && decision.entry !== undefined) this.#enter(holder, decision.entry, round)
      return decision
    }
  }

  /** Has questions asked from one round to another, each holder its own. */
  ask(from: number, until: number): void {
    const { profile } = this.#parts
    const interval = Math.ceil((profile.settle - profile.contest) / QUESTIONS_PER_SETTLING)
    for (const holder of this.holders) holder.due = from + Math.ceil(this.#parts.random() * interval)
    for (;;) {
      const next = this.holders
        .filter(({ entry }) => entry !== undefined && entry.state !== 'settled')
        .reduce<Holder | undefined>(
          (first, each) => (first === undefined || each.due < first.due ? each : first),
          undefined
        )
      if (next === undefined || next.due > until) return
      this.revise(next, next.due)
      next.due += interval
    }
  }

  /** One question of one holder, and what follows from it. */
  revise(holder: Holder, round: number): void {
    const entry = this.#entryOf(holder, round)
    if (entry === undefined) return
    const revision = reviseEntry(entry, this.#heard(holder, round), timeAt(round), this.#parts.profile)
    if (revision === undefined) return
    this.#enter(
      holder,
      revision.kind === 'keep'
        ? revision.entry
        : adopt(revision.agreed, this.#claimOf(revision.agreed.claimId), timeAt(round), entry),
      round
    )
  }

  /** What somebody sees who asks all, the liars naming that claim to him. */
  resolve(lie: Claim): Tally {
    const { liars, profile } = this.#parts
    const votes = [
      ...this.holders.map(({ place, entry }) => ({
        ...origin(place),
        ...(entry && { held: { claim: entry.claim, state: entry.state } })
      })),
      ...Array.from({ length: liars }, (_, index) => ({
        ...origin(this.holders.length + index),
        held: { claim: lie, state: 'settled' as const }
      }))
    ]
    return tally(votes, { asked: profile.k, done: true }, profile)
  }

  count(claim: Claim): number {
    return this.holders.filter(({ entry }) => entry !== undefined && equalBytes(entry.claim.id, claim.id)).length
  }

  #entryOf({ entry }: Holder, round: number): Entry | undefined {
    return entry && tickEntry(entry, timeAt(round), this.#parts.profile)
  }

  #enter(holder: Holder, entry: Entry, round: number): void {
    const { seen } = holder.facts.get(entry.claim) ?? {}
    holder.entry = withSight(
      entry,
      seen !== undefined && isWitnessed(entry.claim, { seen }, timeAt(round), this.#parts.profile) ? seen : undefined
    )
  }

  #heard(by: Holder, round: number): NeighbourFacts {
    const { liars, lie, profile } = this.#parts
    const honest = this.holders.flatMap((each): NeighbourAnswer[] => {
      if (each === by) return []
      const entry = this.#shown === undefined ? this.#entryOf(each, round) : this.#shown.get(each)
      return [
        { ...origin(each.place), met: 0, ...(entry && { entry: { claimId: entry.claim.id, state: entry.state } }) }
      ]
    })
    const told = lie(by, this.holders)
    const lies = Array.from({ length: liars }, (_, index): NeighbourAnswer => ({
      ...origin(this.holders.length + index),
      met: 0,
      ...(told && { entry: { claimId: told.id, state: 'settling' } })
    }))
    return { answers: [...lies, ...honest], known: profile.k }
  }

  #claimOf(id: Uint8Array): Claim {
    return this.#parts.claims.find((claim) => equalBytes(claim.id, id))!
  }
}

/** That many answers, each from a prefix of its own. */
export function answersOf(
  count: number,
  claim: Claim | undefined,
  state: EntryState = 'settled',
  from = 0
): NeighbourAnswer[] {
  return Array.from({ length: count }, (_, index) => ({
    ...origin(from + index),
    ...(claim !== undefined && { entry: { claimId: claim.id, state } })
  }))
}

function origin(place: number): { peer: string; prefix: string } {
  return { peer: `${place}`, prefix: `${place}` }
}
