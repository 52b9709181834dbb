/**
 * What is known of a DID: what peers hold, merged with the log published from here. A record holds the whole log.
 * Threads verify it: the longest takes 20 ms.
 */
import { ServiceError } from '../../errors.ts'
import { OfflineError, type FoundDocuments } from '../../network/types.ts'
import { type Did, parseDid } from '../../protocol/identity/did.ts'
import { EncodingError } from '../../protocol/errors.ts'
import {
  decodeIdentityEnvelope,
  type IdentityRecordEnvelope,
  type IdentityRecordOutline
} from '../../protocol/identity/record.ts'
import { keys } from '../../store/keys.ts'
import type { RegistryContext } from '../context.ts'
import { foldShown, isAsNewAs, SeenIdentities, type ShownLog } from './seen-identities.ts'
import { isWholeNetwork } from '../resolution/survey.ts'

/** An identity whose log has been verified, with the RFC 8785 bytes of its versions. */
export interface KnownIdentity extends IdentityRecordEnvelope, IdentityRecordOutline {}

/** SVC-REQ-001 for what is no DID of this network. */
export function readDid({ profile }: RegistryContext, text: string): Did {
  try {
    return parseDid(text, profile)
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error
    throw new ServiceError('SVC-REQ-001', `${text} is no DID of this network: ${error.detail}.`, {
      cause: error,
      errors: [{ path: 'did', message: error.detail }]
    })
  }
}

export async function requireIdentity(
  context: RegistryContext,
  did: Did,
  signal?: AbortSignal
): Promise<KnownIdentity> {
  const known = await findIdentity(context, did, signal)
  if (known !== undefined) return known
  if (context.network.status().peers === 0 && !isWholeNetwork(context)) throw new OfflineError('No peer can be asked.')
  throw new ServiceError('SVC-RES-002', `No identity document is known for ${did}.`)
}

/** The network's record of a DID merged with the one published from here. Offline, the latter alone. */
export async function knownIdentity(context: RegistryContext, did: Did): Promise<KnownIdentity | undefined> {
  try {
    return await findIdentity(context, did)
  } catch (error) {
    if (error instanceof OfflineError) return standingOf(context, did, NOTHING_SHOWN)
    throw error
  }
}

export async function findIdentity(
  context: RegistryContext,
  did: Did,
  signal?: AbortSignal
): Promise<KnownIdentity | undefined> {
  return standingOf(context, did, await context.network.getIdentity(did, signal))
}

/** Nobody was asked. */
const NOTHING_SHOWN: FoundDocuments = { records: [], shownBy: [], isAnswered: false }

/**
 * The current log of a DID, from the records that peers hold and the one published from here. What was seen once is not
 * taken back: SVC-RES-004 where all that is shown is older, or another branch of equal rank
 * [an identity shown with a key that was rotated out].
 */
async function standingOf(
  context: RegistryContext,
  did: Did,
  { records, shownBy, isAnswered }: FoundDocuments
): Promise<KnownIdentity | undefined> {
  const { store, pool, profile } = context
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
  const best = foldShown(shown.flat(), published)
  if (best === undefined) return undefined
  const memory = new SeenIdentities(store)
  if (!isAsNewAs(best.log, memory.get(did))) {
    throw new ServiceError(
      'SVC-RES-004',
      `Every peer that answered holds an older log of ${did} than one that was seen before, or one that parts from it.`,
      { retryAfter: 60 }
    )
  }
  // What few say while the others are silent would bind as long.
  if (isAnswered) memory.see(best.log, context.time().now)
  return { ...best.outline, versions: decodeIdentityEnvelope(best.bytes, profile).versions }
}
