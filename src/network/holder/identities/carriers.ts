/** What makes a node keep an identity: a live name that it is bound to, or a stamp that is renewed. */
import type { Claim } from '../../../protocol/claim/claim.ts'
import { ProtocolError } from '../../../protocol/errors.ts'
import {
  type IdentityBinding,
  verifyIdentityBinding,
  documentStampSubject,
  isKept
} from '../../../protocol/identity/record.ts'
import type { Did } from '../../../protocol/identity/did.ts'
import { type NetworkProfile, profileHash } from '../../../protocol/profile/profile.ts'
import { stampWork } from '../../../protocol/crypto/domain.ts'
import { ASK_MS, type Work } from '../../budget/budget.ts'
import type { RoundClock } from '../../../time/clock.ts'
import { type ClaimedIdentity, claimedIdentity, readable } from './claimed-document.ts'
import type { Stamped } from './held-documents.ts'
import {
  type NeighbourFacts,
  claimToAdopt,
  isAdoptionDecided,
  isAnswered
} from '../../../protocol/admission/neighbours.ts'
import { recordKey, recordKeyPreimage } from '../../../protocol/neighbourhood/key-space.ts'
import type { Peers } from '../../peers.ts'
import type { Verifier } from '../verifier.ts'
import type { Entries } from '../names/entries.ts'
import { askElsewhere, recordOfClaim } from '../names/neighbours.ts'
import { BoundedMap } from '../../../util/bounded-map.ts'

/** Records of one DID whose carrying name is checked elsewhere: every lying holder has another one. */
const MAX_ASKED = 4

interface CarriersParts {
  readonly profile: NetworkProfile
  readonly clock: RoundClock
  readonly owners: Owners
}

export class Carriers {
  readonly #parts: CarriersParts
  readonly #hash: Uint8Array
  readonly #owners: Remembered<Claim | 'unknown' | undefined>

  constructor(parts: CarriersParts) {
    this.#parts = parts
    this.#owners = new Remembered(parts.clock)
    this.#hash = profileHash(parts.profile)
  }

  /** The carried records of a DID, those known here first. Their logs are not verified. */
  async *carried(
    did: Did,
    records: readonly Uint8Array[],
    work?: Work
  ): AsyncGenerator<{ record: Uint8Array; name: string | undefined }> {
    const { here, elsewhere } = this.#sorted(did, records)
    for (const { record, claimed } of here) yield { record, name: this.of(claimed).name }
    for (const { record, claimed } of elsewhere.slice(0, MAX_ASKED)) {
      if (await this.isCarried(claimed, work)) yield { record, name: claimed.binding?.name }
    }
  }

  /** Whether certainly nothing carries any record of a DID. False if there are more records than may be checked. */
  async areForsaken(did: Did, records: readonly Uint8Array[]): Promise<boolean> {
    const { here, elsewhere } = this.#sorted(did, records)
    if (here.length > 0 || elsewhere.length > MAX_ASKED) return false
    for (const { claimed } of elsewhere) {
      if (!(await this.isForsaken(claimed))) return false
    }
    return true
  }

  /** Records that are carried by local knowledge, and records whose carrier only other nodes may know. */
  #sorted(
    did: Did,
    records: readonly Uint8Array[]
  ): Record<'here' | 'elsewhere', { record: Uint8Array; claimed: ClaimedIdentity }[]> {
    const [here, elsewhere]: { record: Uint8Array; claimed: ClaimedIdentity }[][] = [[], []]
    for (const record of records) {
      const claimed = readable(() => claimedIdentity(record, this.#parts.profile))
      if (claimed instanceof ProtocolError || claimed.log.did !== did) continue
      if (this.isKnownElsewhere(claimed)) elsewhere!.push({ record, claimed })
      else if (this.#stampOf(claimed) !== undefined || this.isBoundHere(claimed)) here!.push({ record, claimed })
    }
    return { here: here!, elsewhere: elsewhere! }
  }

  /** Whether a stamp or a live name may carry it, without a question. */
  mayBeCarried(claimed: ClaimedIdentity): boolean {
    return this.#stampOf(claimed) !== undefined || this.isBoundHere(claimed) || this.isKnownElsewhere(claimed)
  }

  /**
   * Whether a stamp or a live name carries it; the owner of a remote name is asked for in its neighbourhood.
   *
   * @param work of who offers a document for it. The owner is then asked for once in half a minute, whatever is offered
   */
  async isCarried(claimed: ClaimedIdentity, work?: Work): Promise<boolean> {
    return (await this.#isCarried(claimed, work)) === true
  }

  /** Whether certainly nothing carries it. Without an answer from its name's holders this is unknown. */
  async isForsaken(claimed: ClaimedIdentity): Promise<boolean> {
    return (await this.#isCarried(claimed)) === false
  }

  async #isCarried(claimed: ClaimedIdentity, work?: Work): Promise<boolean | 'unknown'> {
    if (this.isBoundHere(claimed)) return true
    const { profile, clock, owners } = this.#parts
    if (isKept(claimed, { time: clock.time(), isBoundToLiveName: false }, profile)) return true
    if (claimed.binding === undefined || owners.here(claimed.binding.name) !== undefined) return false
    const { name } = claimed.binding
    const owner =
      work === undefined
        ? await owners.elsewhere(name)
        : await this.#owners.get(name, () => {
            work.charge(ASK_MS)
            return owners.elsewhere(name)
          })
    return owner === 'unknown' ? owner : this.#binds(claimed.binding, claimed.log.did, owner)
  }

  /** Whether only the holders of its name can tell if it is carried. */
  isKnownElsewhere(claimed: ClaimedIdentity): boolean {
    return (
      this.#stampOf(claimed) === undefined &&
      claimed.binding !== undefined &&
      this.#parts.owners.here(claimed.binding.name) === undefined
    )
  }

  /**
   * What carries an identity: its stamp, if that still counts. Also its name, if that is owned here or there is no such
   * stamp.
   */
  of(claimed: ClaimedIdentity): { readonly name: string | undefined; readonly stamp: Stamped | undefined } {
    const stamp = this.#stampOf(claimed)
    return { name: stamp === undefined || this.isBoundHere(claimed) ? claimed.binding?.name : undefined, stamp }
  }

  #stampOf(claimed: ClaimedIdentity): Stamped | undefined {
    const { stamp, log } = claimed
    const { profile, clock } = this.#parts
    if (stamp === undefined || !isKept(claimed, { time: clock.time(), isBoundToLiveName: false }, profile))
      return undefined
    return {
      work: stampWork(documentStampSubject(log.did, stamp.round, this.#hash), stamp.nonce, this.#hash),
      round: stamp.round
    }
  }

  isBoundHere({ binding, log }: ClaimedIdentity): boolean {
    return binding !== undefined && this.#binds(binding, log.did, this.#parts.owners.here(binding.name))
  }

  #binds(binding: IdentityBinding, did: Did, claim: Claim | undefined): boolean {
    return claim !== undefined && verifyIdentityBinding(binding, did, claim, this.#hash)
  }
}

export interface Owners {
  /** By this node's entry; undefined without one, or for a provisional one. */
  here(name: string): Claim | undefined
  /**
   * By the name's holders; undefined when none has it, it is dead, or they disagree. `unknown` when too few answer, or
   * none shows the claim that it names.
   */
  elsewhere(name: string): Promise<Claim | 'unknown' | undefined>
}

interface OwnersParts {
  readonly profile: NetworkProfile
  readonly clock: RoundClock
  readonly entries: Entries
  readonly verifier: Verifier
  readonly peers: () => Peers | undefined
}

export function createOwners({ profile, clock, entries, verifier, peers }: OwnersParts): Owners {
  const hash = profileHash(profile)
  return {
    here(name) {
      const entry = entries.load(recordKey('reveal', name, hash))?.entry
      return entry?.state === 'provisional' ? undefined : entry?.claim
    },
    async elsewhere(name) {
      const isDecided = (soFar: NeighbourFacts, awaited: number): boolean =>
        isAnswered(soFar, profile) && isAdoptionDecided(soFar, awaited, profile)
      const neighbours = await askElsewhere(peers(), recordKeyPreimage('reveal', name, hash), isDecided)
      const agreed = claimToAdopt(neighbours, profile)
      if (agreed === undefined) return isAnswered(neighbours, profile) ? undefined : 'unknown'
      return (
        (await recordOfClaim(agreed.claimId, neighbours, { peers: peers(), verifier, clock, profile }))?.claim ??
        'unknown'
      )
    }
  }
}

/** As long as a resolver keeps "not found". An owner whose name or identity is new waits no longer for this node. */
const KEPT_MS = 30_000

/** More than the budget of unexpected work lets all peers ask for in that time. */
const CAPACITY = 1_024

interface Kept<T> {
  readonly sinceMs: number
  readonly outcome: Promise<T>
}

export class Remembered<T> {
  readonly #clock: Pick<RoundClock, 'nowMs'>
  readonly #isKept: (outcome: T) => boolean
  readonly #kept = new BoundedMap<string, Kept<T>>(CAPACITY)

  /** @param isKept whether an outcome is remembered, or only shared by those who wait for it */
  constructor(clock: Pick<RoundClock, 'nowMs'>, isKept: (outcome: T) => boolean = () => true) {
    this.#clock = clock
    this.#isKept = isKept
  }

  /** The outcome for this key: one under way, one of the last half minute, or that of `look`. Rejects as `look` does. */
  async get(key: string, look: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key)
    // A clock that was set back makes no outcome last.
    if (known !== undefined && Math.abs(this.#clock.nowMs() - known.sinceMs) < KEPT_MS) return known.outcome
    const begun = { sinceMs: this.#clock.nowMs(), outcome: look() }
    this.#kept.set(key, begun)
    let isKept = false
    try {
      const outcome = await begun.outcome
      isKept = this.#isKept(outcome)
      return outcome
    } finally {
      if (!isKept && this.#kept.get(key) === begun) this.#kept.delete(key)
    }
  }
}
