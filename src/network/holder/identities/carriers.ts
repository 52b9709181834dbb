/** What makes a node keep an identity: a live name that it is bound to, or a stamp that is renewed. */
import type { Claim } from '../../../protocol/claim/claim.ts'
import { ProtocolError } from '../../../protocol/errors.ts'
import { verifyIdentityBinding, type IdentityBinding } from '../../../protocol/identity/binding.ts'
import { documentStampSubject, isKept } from '../../../protocol/identity/record.ts'
import type { Did } from '../../../protocol/identity/document.ts'
import { profileHash, type NetworkProfile } from '../../../protocol/profile/profile.ts'
import { stampWork } from '../../../protocol/crypto/stamp.ts'
import { ASK_MS, type Work } from '../../budget/budget.ts'
import type { RoundClock } from '../../../time/round-clock.ts'
import { claimedIdentity, readable, type ClaimedIdentity } from './claimed-document.ts'
import type { Owners } from './name-owner.ts'
import { Remembered } from './remembered.ts'
import type { Stamped } from './stamped.ts'

/** Records of one DID whose carrying name is checked elsewhere: every lying holder has another one. */
const MAX_ASKED = 4

export interface CarriersParts {
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
