/** What this node does with identities and manifests that it is offered. */
import type { DocumentJudge, Urgency } from '../../../native/types.ts'
import type { Origin } from '../../../protocol/neighbourhood/diversity.ts'
import { type NetworkProfile, profileHash } from '../../../protocol/profile/profile.ts'
import type { RoundClock } from '../../../time/clock.ts'
import type { DocumentKind } from '../../../store/keys.ts'
import type { Store } from '../../../store/types.ts'
import { ASK_MS, type Budget, OURSELVES, WRITE_MS, type Work, documentMs } from '../../budget/budget.ts'
import type { FoundDocuments } from '../../types.ts'
import { BUSY, refused } from '../../wire/answers.ts'
import type { PutAnswer } from '../../wire/records.ts'
import { withBudget } from '../verifier.ts'
import { type Carriers, type Owners, Remembered } from './carriers.ts'
import type { Capacity } from '../capacity.ts'
import type { HeldDocuments, Stamped, StampedIdentities } from './held-documents.ts'
import { equalBytes, toHex } from '../../../protocol/encoding/bytes.ts'
import { ProtocolError } from '../../../protocol/errors.ts'
import { mergeIdentityLogs } from '../../../protocol/identity/log.ts'
import type { IdentityRecordOutline } from '../../../protocol/identity/record.ts'
import { recordKey } from '../../../protocol/neighbourhood/key-space.ts'
import { claimedIdentity, claimedManifest, readable } from './claimed-document.ts'
import { KeyedMutex } from '../../../util/concurrency.ts'
import type { ManifestOutline } from '../../../protocol/identity/judge-documents.ts'
import type { Did } from '../../../protocol/identity/did.ts'
import { compareManifestOrder, isManifestCurrent } from '../../../protocol/identity/manifest.ts'

export const STORED: PutAnswer = { type: 'stored' }
export const FULL = refused('full', 'no room is left here for documents')

export interface DocumentHolderParts {
  readonly profile: NetworkProfile
  readonly clock: RoundClock
  readonly store: Store
  readonly budget: Budget
  readonly capacity: Capacity
  readonly stamped: StampedIdentities
  readonly judge: DocumentJudge
  readonly isNear: (key: Uint8Array) => boolean
  readonly owners: Owners
  /** Other nodes' identity records of a DID, and whether enough answered to exclude more. */
  readonly fetchIdentities: (did: string) => Promise<FoundDocuments>
  readonly onStored: (did: string, kind: DocumentKind) => void
  /** Bytes by chance; `randomBytes` by default. */
  readonly random?: (length: number) => Uint8Array
}

const costOf = ({ length }: Uint8Array, expected: boolean) => ({
  expected,
  bytes: length,
  milliseconds: documentMs(length)
})

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
    return withBudget(budget, sender, costOf(bytes, isOwners), async (urgency, work) => {
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
    const { profile, judge, capacity, onStored } = this.#parts
    const heldBytes = this.#held.get('kid', key)
    if (heldBytes !== undefined) {
      work.charge(documentMs(heldBytes.length))
      const held = await judge.judgeIdentity(heldBytes, profile, urgency)
      // A held record that does not verify by today's rules blocks no other.
      if (
        held.ok &&
        mergeIdentityLogs(held.value.log, incoming.log).kind === 'stale' &&
        !refreshes(held.value, incoming)
      )
        return { type: 'stale', record: heldBytes }
    }
    const carrier = this.#held.carrierOf('kid', key, name)
    const isCarried = carrier !== undefined || stamp !== undefined
    const hasRoom = (): boolean =>
      heldBytes !== undefined || (carrier === undefined ? capacity.forStamped(stamp!) : capacity.forDocument())
    if (!isOurs && !(isCarried && hasRoom())) return FULL
    work.charge(WRITE_MS)
    this.#held.putIdentity(key, bytes, carrier, stamp)
    onStored(incoming.log.did, 'kid')
    return STORED
  }
}

/** Whether a record with the same log has a newer stamp or another binding; the caller checked both. */
function refreshes(held: IdentityRecordOutline, incoming: IdentityRecordOutline): boolean {
  const [head, other] = [held.log.versions.at(-1)!, incoming.log.versions.at(-1)!]
  if (!equalBytes(head.hash, other.hash)) return false
  if ((incoming.stamp?.round ?? 0) > (held.stamp?.round ?? 0)) return true
  const { binding } = incoming
  return binding !== undefined && (held.binding === undefined || !equalBytes(binding.signature, held.binding.signature))
}

/** Identity records of one DID tried for a manifest: every lying holder has another one. */
const MAX_IDENTITIES_TRIED = 4

interface IncomingManifest {
  readonly key: Uint8Array
  readonly bytes: Uint8Array
  readonly manifest: ManifestOutline
  /** The name that carries its identity; undefined where a stamp alone does. */
  readonly name: string | undefined
  readonly isOurs: boolean
}

export class OfferedManifests {
  readonly #parts: DocumentHolderParts
  readonly #held: HeldDocuments
  readonly #carriers: Carriers
  readonly #hash: Uint8Array
  /** That nobody shows an identity is remembered; records may be large, and newer ones come. */
  readonly #identities: Remembered<FoundDocuments>
  readonly #mutex = new KeyedMutex()

  constructor(parts: DocumentHolderParts, held: HeldDocuments, carriers: Carriers) {
    this.#parts = parts
    this.#held = held
    this.#carriers = carriers
    this.#hash = profileHash(parts.profile)
    this.#identities = new Remembered(parts.clock, ({ records }) => records.length === 0)
  }

  async offer(bytes: Uint8Array, sender: Origin): Promise<PutAnswer> {
    const { profile, clock, budget, judge, isNear } = this.#parts
    const claimed = readable(() => claimedManifest(bytes, profile))
    if (claimed instanceof ProtocolError) return refused('invalid', claimed.message)
    const key = recordKey('manifest', claimed.id, this.#hash)
    if (!isNear(key)) return refused('not-neighbour', 'this node is not among those that store this manifest')
    if (this.#held.has('manifest', key, bytes)) return STORED
    if (!isManifestCurrent(claimed, clock.nowMs()))
      return refused('dead', 'validUntil has passed, or validFrom is still to come')
    const isExpected = this.#held.get('kid', recordKey('kid', claimed.id, this.#hash)) !== undefined
    return withBudget(budget, sender, costOf(bytes, isExpected), async (urgency, work) => {
      const judged = await judge.judgeManifest(bytes, profile, urgency)
      if (!judged.ok) return refused('invalid', `${judged.rule}: ${judged.detail}`)
      const speaker = await this.#speakerOf(judged.value.id, bytes, urgency, work)
      if ('type' in speaker) return speaker
      return this.#mutex.run(toHex(key), () =>
        this.#replace({ key, bytes, manifest: judged.value, ...speaker, isOurs: sender === OURSELVES }, urgency, work)
      )
    })
  }

  async #replace(
    { key, bytes, manifest, name, isOurs }: IncomingManifest,
    urgency: Urgency,
    work: Work
  ): Promise<PutAnswer> {
    const { profile, judge, capacity, onStored } = this.#parts
    const heldBytes = this.#held.get('manifest', key)
    if (heldBytes !== undefined) {
      work.charge(documentMs(heldBytes.length))
      const held = await judge.judgeManifest(heldBytes, profile, urgency)
      const order = held.ok ? compareManifestOrder(manifest, held.value) : 1
      if (order < 0) return { type: 'stale', record: heldBytes }
      if (order === 0) return STORED
    }
    const carrier = this.#held.carrierOf('manifest', key, name)
    const hasRoom = (): boolean =>
      carrier === undefined ? capacity.forStampedManifest(this.#held.manifestCount) : capacity.forDocument()
    if (heldBytes === undefined && !isOurs && !hasRoom()) return FULL
    work.charge(WRITE_MS)
    this.#held.putManifest(key, bytes, carrier)
    onStored(manifest.id, 'manifest')
    return STORED
  }

  /**
   * The identity that a manifest speaks for, or the refusal. Looks here and elsewhere for the log: identities and
   * manifests have different keys.
   */
  async #speakerOf(
    did: Did,
    manifest: Uint8Array,
    urgency: Urgency,
    work: Work
  ): Promise<Pick<IncomingManifest, 'name'> | PutAnswer> {
    const { profile, judge, fetchIdentities } = this.#parts
    const own = this.#held.get('kid', recordKey('kid', did, this.#hash))
    const { records, isAnswered } =
      own !== undefined
        ? { records: [own], isAnswered: true }
        : await this.#identities.get(did, () => {
            work.charge(ASK_MS)
            return fetchIdentities(did)
          })
    // With too few answers the result is open: a later resend may succeed.
    let problem: PutAnswer = isAnswered
      ? refused('unbound', 'no identity document of this manifest is known that a live name or a fresh stamp carries')
      : BUSY
    let tried = 0
    for await (const { record, name } of this.#carriers.carried(did, records, work)) {
      if (tried++ === MAX_IDENTITIES_TRIED) break
      work.charge(documentMs(manifest.length + record.length))
      const speaks = await judge.judgeSpeaker(manifest, record, profile, urgency)
      if (speaks.ok) return { name }
      // A node without the newest document cannot tell an invalid manifest from a new one: no offence.
      problem = refused('unbound', `${speaks.rule}: ${speaks.detail}`)
    }
    return problem
  }
}
