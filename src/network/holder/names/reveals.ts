/** Reveals offered to this node: cheap refusals first, then Valid, then admission, then the disk. */
import type { Urgency } from '../../../native/types.ts'
import { equalBytes, toHex } from '../../../protocol/encoding/bytes.ts'
import { admit, adopt, refuseEarly, reviseEntry, type Decision } from '../../../protocol/admission/admission.ts'
import { spendChange, nextChangeMs, type ChangeBudget } from '../../../protocol/admission/holder.ts'
import { type Claim, compareRecords, hasSameKeys } from '../../../protocol/claim/claim.ts'
import type { Origin } from '../../../protocol/neighbourhood/diversity.ts'
import { isRipe, ownSight, withSight, type Entry } from '../../../protocol/admission/entry.ts'
import { EncodingError } from '../../../protocol/errors.ts'
import {
  claimToAdopt,
  isAdoptionDecided,
  isRevisionDecided,
  longKnown,
  roundsOfAcquaintance,
  type Agreed,
  type NeighbourFacts
} from '../../../protocol/admission/neighbours.ts'
import { profileHash, type NetworkProfile } from '../../../protocol/profile/profile.ts'
import { recordKey, recordKeyPreimage } from '../../../protocol/neighbourhood/key-space.ts'
import { decodeVdfProof } from '../../../protocol/claim/proof.ts'
import { claimIdOf, decodeReveal, type Reveal } from '../../../protocol/claim/reveal.ts'
import { sinceAmong } from '../../../protocol/admission/key-changes.ts'
import { isWitnessed } from '../../../protocol/admission/witness.ts'
import { ASK_MS, type Budget, CHECK_MS, OURSELVES, WRITE_MS, type Work } from '../../budget/budget.ts'
import type { RoundClock } from '../../../time/clock.ts'
import type { Peers } from '../../peers.ts'
import { BUSY, refused } from '../../wire/answers.ts'
import type { PutAnswer } from '../../wire/records.ts'
import { FREE, type Verifier, verifyOffered, withBudget } from '../verifier.ts'
import type { Commitments } from '../commitments.ts'
import { type Entries, type Held, holdingRecord, isNoticeOf } from './entries.ts'
import { KeyedMutex } from '../../../util/concurrency.ts'
import type { Capacity } from '../capacity.ts'
import { askElsewhere, askNeighbours, recordOfClaim, type Neighbours } from './neighbours.ts'

/** Steps that one offer may cause: ask, adopt, offer again, twice. */
const MAX_STEPS = 6

/** Queued updates, one a name: 50 KiB each at most. */
const MAX_WAITING = 256

const STORED: PutAnswer = { type: 'stored' }
const FULL = refused('full', 'no room is left here for names')

/** Queued offers: charged on arrival. */
const WAITED: Origin = { peer: 'waited', prefix: 'waited' }

/** Requested records: this node chooses the peers and the amount. */
const ASKED_FOR: Origin = { peer: 'asked for', prefix: 'asked for' }

interface RevealHolderParts {
  readonly profile: NetworkProfile
  readonly clock: RoundClock
  readonly entries: Entries
  readonly commitments: Commitments
  readonly verifier: Verifier
  readonly budget: Budget
  readonly capacity: Capacity
  readonly peers: () => Peers | undefined
  readonly onStored: (name: string, state: string) => void
}

interface Offered {
  readonly claim: Claim
  readonly record: Uint8Array
  /** Its place in the order in which commitments and claims come to this node. */
  readonly arrival: number
}

interface Waiting {
  readonly record: Uint8Array
  readonly claim: Claim
  readonly prefix: string
}

export class RevealHolder {
  readonly #parts: RevealHolderParts
  readonly #hash: Uint8Array
  readonly #mutex = new KeyedMutex()
  readonly #changes = new Map<string, ChangeBudget>()
  readonly #waiting = new Map<string, Waiting>()

  constructor(parts: RevealHolderParts) {
    this.#parts = parts
    this.#hash = profileHash(parts.profile)
  }

  /** Whether this node should hold what belongs at a key. In a small network every node should. */
  isNear(key: Uint8Array): boolean {
    return this.#parts.peers()?.isNear(key) ?? true
  }

  /** Accepts a record or returns the refusal. Rejects only for local faults: no verdict, no disk. */
  async offer(record: Uint8Array, sender: Origin): Promise<PutAnswer> {
    const { profile, clock, entries, commitments } = this.#parts
    let reveal: Reveal
    let commitment: Uint8Array
    let id: Uint8Array
    try {
      reveal = decodeReveal(record)
      ;({ commitment, id } = claimIdOf(reveal, decodeVdfProof(reveal.vdf_proof), this.#hash))
    } catch (error) {
      if (error instanceof EncodingError) return refused('invalid', `canonical: ${error.detail}`)
      throw error
    }
    const key = recordKey('reveal', reveal.name, this.#hash)
    // Before the work begins: from then on its sender's friends may read the name in it, and commit.
    const arrival = commitments.arrive()
    const held = entries.load(key)
    const claimed = { id, pubkey: reveal.pubkey, newestRound: reveal.drand_pulse }
    const early = refuseEarly(held?.entry, claimed, { isNeighbour: this.isNear(key), time: clock.time() }, profile)
    if (early !== undefined) return refused(early.code, early.detail)
    const isHeld = [held?.record, held?.notice].some((each) => each !== undefined && equalBytes(each, record))
    if (isHeld && held!.entry.state !== 'provisional') return STORED

    const verify = async (urgency: Urgency, work: Work): Promise<PutAnswer> => {
      const verdict = await verifyOffered(this.#parts.verifier, reveal, urgency, work)
      if (!verdict.ok) return refused('invalid', `${verdict.rule}: ${verdict.detail}`)
      return this.#mutex.run(toHex(key), () =>
        this.#admit(key, { claim: verdict.claim, record, arrival }, sender, work)
      )
    }
    if (sender === WAITED) return verify('expected', FREE)
    const expected = commitments.isKnown(commitment) || (held !== undefined && equalBytes(held.entry.claim.id, id))
    const first = { expected, bytes: record.length, milliseconds: CHECK_MS.pulse }
    return withBudget(this.#parts.budget, sender, first, verify)
  }

  /**
   * Asks the neighbourhood about an unsettled entry and follows a majority that can show its claim. Before an entry
   * settles, looks its holders up: after a long sleep, or at the start, the routing table is nearly empty.
   */
  async revise(key: Uint8Array): Promise<void> {
    const { entries, clock, profile, peers } = this.#parts
    const before = entries.load(key)?.entry
    if (before === undefined) return
    const preimage = recordKeyPreimage('reveal', before.claim.name, this.#hash)
    // One time for question and consequence: an entry whose time comes meanwhile was not asked about widely enough.
    const time = clock.time()
    // Other offers need not wait for the look-up: the entry is checked again afterwards. After a contest every answer
    // may decide, so all are awaited.
    const rounds = roundsOfAcquaintance(time, undefined, profile)
    const isDecided = (soFar: NeighbourFacts, awaited: number): boolean =>
      before.contenders === undefined
        ? isRevisionDecided(before.claim.id, soFar, awaited, profile, ownSight(before)) &&
          (before.state !== 'provisional' || isAdoptionDecided(soFar, awaited, profile, rounds))
        : awaited === 0
    const answers = isRipe(before, time, profile)
      ? await askElsewhere(peers(), preimage, isDecided)
      : await askNeighbours(peers(), key, isDecided)
    await this.#mutex.run(toHex(key), async () => {
      for (let neighbours = answers; ;) {
        const held = entries.load(key)
        // For another claim, more answers might have been awaited.
        if (held === undefined || !equalBytes(held.entry.claim.id, before.claim.id)) return
        const revision = reviseEntry(held.entry, neighbours, time, profile)
        if (revision === undefined) return
        if (revision.kind === 'keep') {
          this.#save(key, { ...held, entry: revision.entry })
          return
        }
        if (await this.#adopt(key, revision.agreed, neighbours, held)) return
        neighbours = without(neighbours, revision.agreed)
      }
    })
  }

  /** Enters a claim of a name missing here, if enough of the neighbours that hold one agree. */
  async take(neighbours: Neighbours): Promise<void> {
    const { profile, clock, peers, verifier, commitments } = this.#parts
    const rounds = roundsOfAcquaintance(clock.time(), undefined, profile)
    const agreed = claimToAdopt(longKnown(neighbours, rounds, profile), profile)
    const found =
      agreed && (await recordOfClaim(agreed.claimId, neighbours, { peers: peers(), verifier, clock, profile }))
    if (found === undefined) return
    const { key } = neighbours
    const around = await this.#datedBy(found.claim, neighbours)
    const offer = { ...found, arrival: commitments.arrive() }
    await this.#mutex.run(toHex(key), () => this.#admit(key, offer, ASKED_FOR, FREE, around))
  }

  async applyWaiting(): Promise<void> {
    const { clock, profile } = this.#parts
    for (const [id, change] of [...this.#waiting]) {
      if (nextChangeMs(this.#changes.get(id), clock.nowMs(), profile) > clock.nowMs()) continue
      this.#waiting.delete(id)
      try {
        await this.offer(change.record, WAITED)
      } catch (error) {
        // A local fault: requeue it behind the others, unless a newer change has come.
        if (!this.#waiting.has(id)) this.#waiting.set(id, change)
        throw error
      }
    }
  }

  /**
   * Forgets full change budgets, and those that a clock set back has moved to the future: they would not refill until
   * then.
   */
  forgetChanges(): void {
    const { clock, profile } = this.#parts
    const refillMs = profile.changes.interval * profile.changes.burst * 1000
    for (const [id, { atMs }] of this.#changes) {
      if (Math.abs(clock.nowMs() - atMs) > refillMs) this.#changes.delete(id)
    }
  }

  async #admit(
    key: Uint8Array,
    { claim, record, arrival }: Offered,
    sender: Origin,
    work: Work,
    asked?: Neighbours
  ): Promise<PutAnswer> {
    const { entries, commitments, clock, profile } = this.#parts
    let neighbours = asked
    for (let step = 0; step < MAX_STEPS; step++) {
      const held = entries.load(key)
      const facts = {
        time: clock.time(),
        commitment: commitments.facts(claim.commitment),
        arrival,
        ...(neighbours !== undefined && { neighbours })
      }
      const decision = admit(held?.entry, claim, facts, profile)
      switch (decision.kind) {
        case 'ask':
          work.charge(ASK_MS)
          neighbours = await askNeighbours(this.#parts.peers(), key, (soFar, awaited) =>
            // Where keys have changed, the majority dates that and decides between two: all are awaited.
            claim.changes.length > 0
              ? awaited === 0
              : isAdoptionDecided(
                  soFar,
                  awaited,
                  profile,
                  roundsOfAcquaintance(facts.time, facts.commitment.seen, profile)
                )
          )
          continue
        case 'adopt':
          if (held === undefined && sender !== OURSELVES && !this.#parts.capacity.forEntry(decision.agreed.state))
            return FULL
          if (!(await this.#adopt(key, decision.agreed, neighbours!, held)))
            neighbours = without(neighbours!, decision.agreed)
          continue
        case 'wait':
          return refused('no-fresh-pulse', 'the newest pulse known here is too old; try again later')
        case 'store':
          if (held === undefined && sender !== OURSELVES && !this.#parts.capacity.forEntry(decision.entry.state))
            return FULL
          work.charge(WRITE_MS)
          return this.#store(key, decision, held, record, sender)
        case 'stale': {
          this.#save(key, { ...held, entry: decision.entry }, held)
          const newer = decision.newer === 'notice' ? held?.notice : held?.record
          return newer === undefined
            ? refused('stale', 'a newer record of this claim is known here, but not kept')
            : { type: 'stale', record: newer }
        }
        case 'refuse':
          if (decision.entry !== undefined) this.#save(key, { ...held, entry: decision.entry }, held)
          return refused(decision.code, decision.detail)
      }
    }
    return BUSY
  }

  /**
   * Charges an update of a held name to the name's budget; with an empty budget the newest update waits. A stub gets its
   * record back. A change of keys is free: a claim has 16 at most, and a thief of one key who spends all turns must not
   * keep the owner from it [a thief who uses up all turns]. So do the notice's updates, which have a budget of their own.
   */
  #store(
    key: Uint8Array,
    { entry, changed }: Extract<Decision, { kind: 'store' }>,
    held: Held | undefined,
    record: Uint8Array,
    sender: Origin
  ): PutAnswer {
    if (!changed && held?.record !== undefined) return STORED
    const { clock, profile } = this.#parts
    const isNotice = isNoticeOf(entry, record)
    const [claim, before] = isNotice
      ? [entry.notice!.claim, held?.entry.notice?.claim]
      : [entry.claim, held?.entry.claim]
    if (changed && before !== undefined && hasSameKeys(before, claim) && sender !== OURSELVES) {
      const id = isNotice ? `${toHex(key)} notice` : toHex(key)
      const spent = spendChange(this.#changes.get(id), clock.nowMs(), profile)
      if (spent === undefined) {
        this.#wait(id, { record, claim, prefix: sender.prefix })
        return BUSY
      }
      this.#changes.set(id, spent)
    }
    this.#save(key, holdingRecord(entry, record, held), held)
    return STORED
  }

  /** Queues the newest update of a name without budget: resending older ones displaces none. */
  #wait(id: string, update: Waiting): void {
    const known = this.#waiting.get(id)
    if (known === undefined ? !this.#hasRoom(update) : !isNewer(update.claim, known.claim)) return
    this.#waiting.set(id, update)
  }

  /** Makes room where another prefix fills the queue: the latest update of the fullest prefix is dropped. */
  #hasRoom({ prefix }: Waiting): boolean {
    if (this.#waiting.size < MAX_WAITING) return true
    const byPrefix = Map.groupBy(this.#waiting, ([, waiting]) => waiting.prefix)
    const fullest = [...byPrefix.values()].reduce((most, each) => (each.length > most.length ? each : most))
    if ((byPrefix.get(prefix)?.length ?? 0) + 1 >= fullest.length) return false
    return this.#waiting.delete(fullest.at(-1)![0])
  }

  /** Enters the neighbourhood's claim. False when no neighbour sends its record with a running lease. */
  async #adopt(key: Uint8Array, agreed: Agreed, neighbours: Neighbours, replaced: Held | undefined): Promise<boolean> {
    const { clock, verifier, peers, profile } = this.#parts
    const found = await recordOfClaim(agreed.claimId, neighbours, { peers: peers(), verifier, clock, profile })
    if (found === undefined) return false
    const since = sinceAmong(found.claim, await this.#datedBy(found.claim, neighbours), clock.time(), profile)
    this.#save(key, { entry: adopt(agreed, found.claim, clock.time(), replaced?.entry, since), record: found.record })
    return true
  }

  /**
   * Who dates changes of keys: all that are known around the name. Lists come from around this node, and answers that
   * decide on a claim are few.
   */
  async #datedBy({ changes }: Claim, neighbours: Neighbours): Promise<Neighbours> {
    if (changes.length === 0) return neighbours
    return askNeighbours(this.#parts.peers(), neighbours.key, (_soFar, awaited) => awaited === 0)
  }

  /** s of the entry's claim, where it alone makes the claim witnessed. */
  #sightOf({ claim }: Entry): number | undefined {
    const { commitments, clock, profile } = this.#parts
    const { seen } = commitments.facts(claim.commitment)
    return seen !== undefined && isWitnessed(claim, { seen }, clock.time(), profile) ? seen : undefined
  }

  #save(key: Uint8Array, next: Held, held?: Held): void {
    if (next.entry === held?.entry && next.record === held.record) return
    this.#parts.entries.save(key, { ...next, entry: withSight(next.entry, this.#sightOf(next.entry)) })
    this.#parts.onStored(next.entry.claim.name, next.entry.state)
  }
}

function isNewer(claim: Claim, known: Claim): boolean {
  return !equalBytes(claim.id, known.id) || compareRecords(claim, known) > 0
}

function without(neighbours: Neighbours, agreed: Agreed): Neighbours {
  return {
    ...neighbours,
    answers: neighbours.answers.filter(({ entry }) => entry === undefined || !equalBytes(entry.claimId, agreed.claimId))
  }
}
