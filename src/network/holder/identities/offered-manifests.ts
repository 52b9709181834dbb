/** Manifests offered to this node: accepted for a carried identity, and verified on another thread. */
import type { Urgency } from '../../../native/urgency.ts'
import { toHex } from '../../../protocol/encoding/bytes.ts'
import type { Origin } from '../../../protocol/neighbourhood/diversity.ts'
import { ProtocolError } from '../../../protocol/errors.ts'
import type { ManifestOutline } from '../../../protocol/identity/judge-documents.ts'
import type { Did } from '../../../protocol/identity/document.ts'
import { compareManifestOrder, isManifestCurrent } from '../../../protocol/identity/manifest.ts'
import { profileHash } from '../../../protocol/profile/profile.ts'
import { recordKey } from '../../../protocol/claim/record-key.ts'
import { ASK_MS, documentMs, WRITE_MS, type Work } from '../../budget/budget.ts'
import type { FoundDocuments } from '../../types.ts'
import { BUSY, refused } from '../../wire/answers.ts'
import type { PutAnswer } from '../../wire/put.ts'
import type { Carriers } from './carriers.ts'
import { claimedManifest, readable } from './claimed-document.ts'
import { FULL, STORED, withBudget, type DocumentHolderParts } from './document-parts.ts'
import type { HeldDocuments } from './held-documents.ts'
import { Remembered } from './remembered.ts'
import { KeyedMutex } from '../../../util/keyed-mutex.ts'
import { OURSELVES } from '../ourselves.ts'

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
    return withBudget(budget, sender, bytes, isExpected, async (urgency, work) => {
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
    const { profile, judge, room, onStored } = this.#parts
    const standingBytes = this.#held.get('manifest', key)
    if (standingBytes !== undefined) {
      work.charge(documentMs(standingBytes.length))
      const standing = await judge.judgeManifest(standingBytes, profile, urgency)
      const order = standing.ok ? compareManifestOrder(manifest, standing.value) : 1
      if (order < 0) return { type: 'stale', record: standingBytes }
      if (order === 0) return STORED
    }
    const carrier = this.#held.carrierOf('manifest', key, name)
    const hasRoom = (): boolean =>
      carrier === undefined ? room.forStampedManifest(this.#held.manifestCount) : room.forDocument()
    if (standingBytes === undefined && !isOurs && !hasRoom()) return FULL
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
