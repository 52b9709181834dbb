/** Identity logs offered to this node. Another thread verifies the log before anybody is asked who owns its name. */
import type { Urgency } from '../../../native/urgency.ts'
import { equalBytes, toHex } from '../../../protocol/encoding/bytes.ts'
import type { Origin } from '../../../protocol/neighbourhood/diversity.ts'
import { ProtocolError } from '../../../protocol/errors.ts'
import { mergeIdentityLogs } from '../../../protocol/identity/log.ts'
import type { IdentityRecordOutline } from '../../../protocol/identity/record.ts'
import { profileHash } from '../../../protocol/profile/profile.ts'
import { recordKey } from '../../../protocol/claim/record-key.ts'
import { documentMs, WRITE_MS, type Work } from '../../budget/budget.ts'
import { refused } from '../../wire/answers.ts'
import type { PutAnswer } from '../../wire/put.ts'
import type { Carriers } from './carriers.ts'
import { claimedIdentity, readable } from './claimed-document.ts'
import { FULL, STORED, withBudget, type DocumentHolderParts } from './document-parts.ts'
import type { HeldDocuments } from './held-documents.ts'
import { KeyedMutex } from '../../../util/keyed-mutex.ts'
import { OURSELVES } from '../ourselves.ts'
import type { Stamped } from './stamped.ts'

const UNBOUND = refused('unbound', 'neither a live name nor a fresh stamp carries this document')

interface IncomingIdentity {
  readonly key: Uint8Array
  readonly bytes: Uint8Array
  readonly incoming: IdentityRecordOutline
  /** The name that carries it, by itself or beside a stamp. */
  readonly name: string | undefined
  readonly stamp: Stamped | undefined
  readonly isOurs: boolean
}

export class OfferedIdentities {
  readonly #parts: DocumentHolderParts
  readonly #held: HeldDocuments
  readonly #carriers: Carriers
  readonly #hash: Uint8Array
  readonly #mutex = new KeyedMutex()

  constructor(parts: DocumentHolderParts, held: HeldDocuments, carriers: Carriers) {
    this.#parts = parts
    this.#held = held
    this.#carriers = carriers
    this.#hash = profileHash(parts.profile)
  }

  /**
   * Accepts a log or returns the refusal. A log that nothing can carry costs next to nothing. One that does not verify
   * causes no question, or a few hundred bytes would have this node send a hundred times that [a put that has others
   * asked].
   */
  async offer(bytes: Uint8Array, sender: Origin): Promise<PutAnswer> {
    const { profile, budget, judge, isNear } = this.#parts
    const claimed = readable(() => claimedIdentity(bytes, profile))
    if (claimed instanceof ProtocolError) return refused('invalid', claimed.message)
    const key = recordKey('kid', claimed.log.did, this.#hash)
    if (!isNear(key)) return refused('not-neighbour', 'this node is not among those that store this identity')
    if (this.#held.has('kid', key, bytes)) return STORED
    const isOwners = this.#carriers.isBoundHere(claimed)
    return withBudget(budget, sender, bytes, isOwners, async (urgency, work) => {
      if (!this.#carriers.mayBeCarried(claimed)) return UNBOUND
      const judged = await judge.judgeIdentity(bytes, profile, urgency)
      if (!judged.ok) return refused('invalid', `${judged.rule}: ${judged.detail}`)
      if (!isOwners && !(await this.#carriers.isCarried(claimed, work))) return UNBOUND
      return this.#mutex.run(toHex(key), () =>
        this.#merge(
          { key, bytes, incoming: judged.value, ...this.#carriers.of(claimed), isOurs: sender === OURSELVES },
          urgency,
          work
        )
      )
    })
  }

  async #merge(
    { key, bytes, incoming, name, stamp, isOurs }: IncomingIdentity,
    urgency: Urgency,
    work: Work
  ): Promise<PutAnswer> {
    const { profile, judge, room, onStored } = this.#parts
    const standingBytes = this.#held.get('kid', key)
    if (standingBytes !== undefined) {
      work.charge(documentMs(standingBytes.length))
      const standing = await judge.judgeIdentity(standingBytes, profile, urgency)
      // A held record that does not verify by today's rules blocks no other.
      if (
        standing.ok &&
        mergeIdentityLogs(standing.value.log, incoming.log).kind === 'stale' &&
        !refreshes(standing.value, incoming)
      )
        return { type: 'stale', record: standingBytes }
    }
    const carrier = this.#held.carrierOf('kid', key, name)
    const isCarried = carrier !== undefined || stamp !== undefined
    const hasRoom = (): boolean =>
      standingBytes !== undefined || (carrier === undefined ? room.forStamped(stamp!) : room.forDocument())
    if (!isOurs && !(isCarried && hasRoom())) return FULL
    work.charge(WRITE_MS)
    this.#held.putIdentity(key, bytes, carrier, stamp)
    onStored(incoming.log.did, 'kid')
    return STORED
  }
}

/** Whether a record with the same log has a newer stamp or another binding; the caller checked both. */
function refreshes(standing: IdentityRecordOutline, incoming: IdentityRecordOutline): boolean {
  const [head, other] = [standing.log.versions.at(-1)!, incoming.log.versions.at(-1)!]
  if (!equalBytes(head.hash, other.hash)) return false
  if ((incoming.stamp?.round ?? 0) > (standing.stamp?.round ?? 0)) return true
  const { binding } = incoming
  return (
    binding !== undefined &&
    (standing.binding === undefined || !equalBytes(binding.signature, standing.binding.signature))
  )
}
