/**
 * Reveals held at the place of their check code. Nothing is decided here: no witness, no contest, no majority. A record
 * enters once it is verified whole, so filling a place takes a VDF with its output by chance for each try.
 */
import { equalBytes, toHex } from '../../../protocol/encoding/bytes.ts'
import { type Entry, newEntry } from '../../../protocol/admission/entry.ts'
import { isBacked, otherAmong, sinceAmong } from '../../../protocol/admission/key-changes.ts'
import { admitSameClaim } from '../../../protocol/admission/same-claim.ts'
import { spendChange, type ChangeBudget } from '../../../protocol/admission/holder.ts'
import { checkCode, codedId } from '../../../protocol/claim/check-code.ts'
import { claimOf, type Claim, hasSameKeys, isAhead } from '../../../protocol/claim/claim.ts'
import { recordKey, recordKeyPreimage } from '../../../protocol/neighbourhood/key-space.ts'
import { decodeReveal, linksOf, type Reveal } from '../../../protocol/claim/reveal.ts'
import { proofOutput } from '../../../protocol/claim/proof.ts'
import { EncodingError, NameError } from '../../../protocol/errors.ts'
import { leaseState } from '../../../protocol/time.ts'
import { parseName } from '../../../protocol/name/names.ts'
import type { Origin } from '../../../protocol/neighbourhood/diversity.ts'
import { profileHash, type NetworkProfile } from '../../../protocol/profile/profile.ts'
import type { RoundClock } from '../../../time/clock.ts'
import { BoundedMap } from '../../../util/bounded-map.ts'
import { KeyedMutex } from '../../../util/concurrency.ts'
import { ASK_MS, type Budget, CHECK_MS, OURSELVES, WRITE_MS, type Work } from '../../budget/budget.ts'
import { BUSY, refused } from '../../wire/answers.ts'
import type { Peers } from '../../peers.ts'
import type { PutAnswer } from '../../wire/records.ts'
import type { Capacity } from '../capacity.ts'
import { type Verifier, verifyOffered, withBudget } from '../verifier.ts'
import { type Entries, holdingRecord } from './entries.ts'
import { askElsewhere, askNeighbours, type Neighbours, recordOfClaim } from './neighbours.ts'

const STORED: PutAnswer = { type: 'stored' }

/** How long the answers of a name's holders count, and of how many names they are kept. */
const ASKED_MS = 30_000
const MAX_ASKED = 256

/** Names whose changes are counted. */
const MAX_BUDGETS = 4_096

interface CodedHolderParts {
  readonly profile: NetworkProfile
  readonly clock: RoundClock
  /** All `settled`, by the key of name and code. */
  readonly entries: Entries
  readonly verifier: Verifier
  readonly budget: Budget
  readonly capacity: Capacity
  readonly isNear: (key: Uint8Array) => boolean
  readonly peers: () => Peers | undefined
  readonly onStored: (name: string) => void
}

/** What the neighbours say of a record with more changes of keys than this node knows. */
interface Around {
  readonly neighbours?: Neighbours | undefined
  readonly shown?: { readonly claim: Claim; readonly record: Uint8Array } | undefined
}

interface Offer {
  readonly sender: Origin
  readonly work: Work
  readonly around?: Around | undefined
  readonly ofName?: Neighbours | undefined
}

export class CodedHolder {
  readonly #parts: CodedHolderParts
  readonly #hash: Uint8Array
  readonly #mutex = new KeyedMutex()
  readonly #changes = new BoundedMap<string, ChangeBudget>(MAX_BUDGETS)
  readonly #asked = new BoundedMap<string, { readonly atMs: number; readonly neighbours: Promise<Neighbours> }>(
    MAX_ASKED
  )

  constructor(parts: CodedHolderParts) {
    this.#parts = parts
    this.#hash = profileHash(parts.profile)
  }

  get entries(): Entries {
    return this.#parts.entries
  }

  /**
   * Keeps a record, or the newer one of its claim. Of two claims with the same six characters the first one stays: a
   * second takes its maker 2^30 evaluations, or 2^15 where one owner makes both. Rejects only for local faults.
   */
  async offer(record: Uint8Array, sender: Origin): Promise<PutAnswer> {
    const { profile, clock, budget, isNear } = this.#parts
    let reveal: Reveal
    let claim: Claim
    let key: Uint8Array
    try {
      reveal = decodeReveal(record)
      const links = linksOf(reveal)
      claim = claimOf(reveal, parseName(reveal.name, profile), profile)
      const code = checkCode(reveal.name, proofOutput(links[0]!.proof), this.#hash)
      key = recordKey('coded', codedId(reveal.name, code), this.#hash)
    } catch (error) {
      if (error instanceof EncodingError) return refused('invalid', `canonical: ${error.detail}`)
      if (error instanceof NameError) return refused('invalid', `name: ${error.message}`)
      throw error
    }
    if (sender !== OURSELVES && !isNear(key)) return refused('not-neighbour', 'this node is not near that code')
    if (leaseState(claim.newestRound, clock.time().lapse, profile).state === 'dead')
      return refused('dead', 'the lease of that claim is over')
    if (isAhead(claim, clock.time(), profile)) return refused('ahead', `serial ${claim.serial} is ahead of time`)
    const early = this.#against(key, claim)
    if (early !== undefined && early !== 'ask' && 'type' in early) return early
    const isExpected = this.entries.load(key) !== undefined
    const first = { expected: isExpected, bytes: record.length, milliseconds: CHECK_MS.pulse }
    return withBudget(budget, sender, first, async (urgency, work) => {
      const verdict = await verifyOffered(this.#parts.verifier, reveal, urgency, work)
      if (!verdict.ok) return refused('invalid', `${verdict.rule}: ${verdict.detail}`)
      const { claim } = verdict
      const held = this.entries.load(key)?.entry
      const known = (held?.notice ?? held)?.claim.changes.length ?? 0
      const now = this.#against(key, claim)
      const isNew = claim.changes.length > known || (held !== undefined && now === undefined)
      const around = isNew ? await this.#around(key, claim, work) : undefined
      const ofName = now === 'ask' ? await this.#ofName(claim, work) : undefined
      return this.#mutex.run(toHex(key), () =>
        Promise.resolve(this.#store(key, claim, record, { sender, work, around, ofName }))
      )
    })
  }

  /**
   * Why what is held answers for the record that is offered; otherwise the entry with it. Undefined for a first record,
   * and until neighbours date a change. `ask`: the holders of the name decide between two changes.
   */
  #against(
    key: Uint8Array,
    claim: Claim,
    {
      neighbours,
      ofName
    }: { readonly neighbours?: Neighbours | undefined; readonly ofName?: Neighbours | undefined } = {}
  ): PutAnswer | 'ask' | { readonly entry: Entry } | undefined {
    const held = this.entries.load(key)
    if (held?.record === undefined) return undefined
    if (!equalBytes(held.entry.claim.id, claim.id)) return refused('taken', 'another claim with that code is held here')
    const { clock, profile } = this.#parts
    // As a first record does, a change or a renewal enters here without a fresh pulse.
    const time = { ...clock.time(), fresh: true }
    const facts = { time, ...(ofName && { neighbours: ofName }), ...(neighbours && { datedBy: neighbours }) }
    const decision = admitSameClaim(held.entry, claim, facts, profile)
    switch (decision.kind) {
      case 'store':
        return decision.changed ? decision : STORED
      case 'stale': {
        const newer = decision.newer === 'notice' ? held.notice : held.record
        return newer === undefined ? refused('stale', 'a newer notice is known here') : { type: 'stale', record: newer }
      }
      case 'wait':
        return refused('no-fresh-pulse', 'the newest pulse known here is too old; try again later')
      case 'ask':
        return decision.about === 'age' ? undefined : 'ask'
      case 'changed':
        return refused('changed', 'another change of the keys of this claim is held here')
    }
  }

  /**
   * What the neighbours hold of a claim whose changes are new here, and the record of it that most of them show: a seller
   * would send each newcomer the second sale, or the record from before the sale and then the second sale [a name sold
   * twice]. Liars keep no record out: another one takes the change key. A notice comes in beside what most serve.
   */
  async #around(key: Uint8Array, claim: Claim, work: Work): Promise<Around> {
    const { peers, verifier, clock, profile } = this.#parts
    work.charge(ASK_MS)
    const neighbours = await askNeighbours(peers(), key, (_soFar, awaited) => awaited === 0, 'coded')
    if (isBacked(claim, neighbours, profile)) return { neighbours }
    const shown = await recordOfClaim(claim.id, neighbours, { peers: peers(), verifier, clock, profile })
    const others = (record: Claim): number => otherAmong(record, neighbours, profile).other
    return { neighbours, shown: shown && others(shown.claim) < others(claim) ? shown : undefined }
  }

  /**
   * The answers of the name's holders. They decide between two changes, as nobody votes at a code: a seller would send
   * its holders alone a second sale [a name sold twice]. One look-up in half a minute for a name, whatever is offered.
   */
  #ofName({ name }: Claim, work: Work): Promise<Neighbours> {
    const { clock, peers } = this.#parts
    const known = this.#asked.get(name)
    if (known !== undefined && Math.abs(clock.nowMs() - known.atMs) < ASKED_MS) return known.neighbours
    work.charge(ASK_MS)
    const preimage = recordKeyPreimage('reveal', name, this.#hash)
    const neighbours = askElsewhere(peers(), preimage, (_soFar, awaited) => awaited === 0)
    this.#asked.set(name, { atMs: clock.nowMs(), neighbours })
    return neighbours
  }

  #store(key: Uint8Array, claim: Claim, record: Uint8Array, { sender, work, around, ofName }: Offer): PutAnswer {
    const { clock, profile, capacity } = this.#parts
    const { neighbours, shown } = around ?? {}
    if (shown !== undefined)
      this.#store(key, shown.claim, shown.record, { sender, work, around: { neighbours }, ofName })
    // Another record may have come meanwhile.
    const late = this.#against(key, claim, { neighbours, ofName })
    if (late === 'ask') return BUSY
    if (late !== undefined && 'type' in late) return late
    const held = this.entries.load(key)
    const isNew = held === undefined
    if (!isNew && late === undefined) return BUSY
    if (sender !== OURSELVES) {
      if (isNew && !capacity.forEntry('settled')) return refused('full', 'no room is left here for names')
      const before = [held?.entry.claim, held?.entry.notice?.claim]
      const at = before.findIndex((each) => each !== undefined && hasSameKeys(each, claim))
      const id = at === 1 ? `${toHex(key)} notice` : toHex(key)
      // A change of keys is free, as at the name's own place [a thief who uses up all turns].
      if (at !== -1) {
        const spent = spendChange(this.#changes.get(id), clock.nowMs(), profile)
        if (spent === undefined) return BUSY
        this.#changes.set(id, spent)
      }
    }
    work.charge(WRITE_MS)
    const time = clock.time()
    const since = neighbours && sinceAmong(claim, neighbours, time, profile)
    const entry = late?.entry ?? newEntry(claim, 'settled', time, since)
    this.entries.save(key, holdingRecord(entry, record, held))
    this.#parts.onStored(claim.name)
    return STORED
  }
}
