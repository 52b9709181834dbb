/**
 * The current log of a DID: what peers hold, merged with the log published from here and with what was seen before. A
 * record holds the whole log. Threads verify it: the longest takes 20 ms.
 */
import { ServiceError } from '../../errors.ts'
import type { FoundDocuments } from '../../network/types.ts'
import type { Did } from '../../protocol/identity/did.ts'
import {
  decodeIdentityEnvelope,
  type IdentityRecordEnvelope,
  type IdentityRecordOutline
} from '../../protocol/identity/record.ts'
import { keys } from '../../store/keys.ts'
import type { RegistryContext } from '../context.ts'
import { foldShown, isAsNewAs, SeenIdentities, type ShownLog } from './seen-identities.ts'

/** An identity whose log has been verified, with the RFC 8785 bytes of its versions. */
export interface KnownIdentity extends IdentityRecordEnvelope, IdentityRecordOutline {}

/** Asks nobody. */
export interface StandingParts extends Pick<RegistryContext, 'store' | 'profile' | 'time'> {
  readonly pool: Pick<RegistryContext['pool'], 'judgeIdentity'>
}

/**
 * The current log of a DID, from the records that peers hold and the one published from here. What was seen once is not
 * taken back: SVC-RES-004 where all that is shown is older, or another branch of equal rank
 * [an identity shown with a key that was rotated out].
 */
export async function standingOf(
  { store, pool, profile, time }: StandingParts,
  did: Did,
  { records, shownBy, isAnswered }: FoundDocuments
): Promise<KnownIdentity | undefined> {
  const own = store.get(keys.ownIdentity(did))
  const judge = async (
    bytes: Uint8Array,
    votes: number
  ): Promise<(ShownLog & { bytes: Uint8Array; outline: IdentityRecordOutline })[]> => {
    const verdict = await pool.judgeIdentity(bytes, profile, 'own')
    return verdict.ok && verdict.value.log.did === did
      ? [{ bytes, outline: verdict.value, log: verdict.value.log, shownBy: votes }]
      : []
  }
  const [[published], ...shown] = await Promise.all([
    own === undefined ? [] : judge(own, 0),
    ...records.map((bytes, index) => judge(bytes, shownBy[index]!))
  ])
  const memory = new SeenIdentities(store)
  const seen = memory.get(did)
  const all = shown.flat()
  // However many show another branch: one honest answer is enough for those who remember.
  const best = foldShown(
    all.filter(({ log }) => isAsNewAs(log, seen)),
    published
  )
  if (best === undefined && all.length === 0) return undefined
  if (best === undefined || !isAsNewAs(best.log, seen)) {
    throw new ServiceError(
      'SVC-RES-004',
      `Every peer that answered holds an older log of ${did} than one that was seen before, or one that parts from it.`,
      { retryAfter: 60 }
    )
  }
  // What few say while the others are silent would bind as long.
  if (isAnswered) memory.see(best.log, time().now)
  return { ...best.outline, versions: decodeIdentityEnvelope(best.bytes, profile).versions }
}
