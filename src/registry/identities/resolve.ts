/**
 * What is known of a DID: the logs that peers hold, the log published from here, what was seen before, and the manifest
 * that speaks for it. Threads verify them: the longest log takes 20 ms.
 */
import { ServiceError } from '../../errors.ts'
import { type FoundDocuments, OfflineError } from '../../network/types.ts'
import { type Did, parseDid } from '../../protocol/identity/did.ts'
import {
  decodeIdentityEnvelope,
  type IdentityRecordEnvelope,
  type IdentityRecordOutline,
  encodeIdentityEnvelope
} from '../../protocol/identity/record.ts'
import { keys } from '../../store/keys.ts'
import type { RegistryContext } from '../context.ts'
import { foldShown, isAsNewAs, SeenIdentities, type ShownLog } from './seen-identities.ts'
import { EncodingError } from '../../protocol/errors.ts'
import { askAgain } from '../resolution/ask-again.ts'
import { isWholeNetwork, nobodyAnswered } from '../resolution/survey.ts'
import { parseCanonicalJson } from '../../protocol/encoding/jcs.ts'
import type { ResolvedIdentity, ResolvedIdentityLog } from '../use-cases.ts'
import {
  type Manifest,
  compareManifestOrder,
  decodeManifestRecord,
  isManifestCurrent
} from '../../protocol/identity/manifest.ts'

/** An identity whose log has been verified, with the RFC 8785 bytes of its versions. */
export interface KnownIdentity extends IdentityRecordEnvelope, IdentityRecordOutline {}

/** Asks nobody. */
interface CurrentParts extends Pick<RegistryContext, 'store' | 'profile' | 'time'> {
  readonly pool: Pick<RegistryContext['pool'], 'judgeIdentity'>
}

/**
 * The current log of a DID, from the records that peers hold and the one published from here. What was seen once is not
 * taken back: SVC-RES-004 where all that is shown is older, or another branch of equal rank
 * [an identity shown with a key that was rotated out].
 */
export async function currentIdentity(
  { store, pool, profile, time }: CurrentParts,
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

/** SVC-REQ-001 for what is not a DID of this network. */
export function readDid({ profile }: RegistryContext, text: string, field = 'did'): Did {
  try {
    return parseDid(text, profile)
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error
    throw new ServiceError('SVC-REQ-001', `${text} is not a DID of this network: ${error.detail}.`, {
      cause: error,
      errors: [{ path: field, message: error.detail }]
    })
  }
}

async function requireIdentity(context: RegistryContext, did: Did, signal?: AbortSignal): Promise<KnownIdentity> {
  return askAgain(
    context,
    async () => {
      const found = await context.network.getIdentity(did, signal)
      const known = await currentIdentity(context, did, found)
      if (known !== undefined) return known
      if (!found.isAnswered && !isWholeNetwork(context)) throw nobodyAnswered(context)
      throw new ServiceError('SVC-RES-002', `No identity document is known for ${did}.`)
    },
    signal
  )
}

/** The network's record of a DID merged with the one published from here. Offline, the latter alone. */
export async function knownIdentity(context: RegistryContext, did: Did): Promise<KnownIdentity | undefined> {
  try {
    return await findIdentity(context, did)
  } catch (error) {
    if (error instanceof OfflineError) return currentIdentity(context, did, NOTHING_SHOWN)
    throw error
  }
}

export async function findIdentity(context: RegistryContext, did: Did): Promise<KnownIdentity | undefined> {
  return currentIdentity(context, did, await context.network.getIdentity(did))
}

/** Nobody was asked. */
const NOTHING_SHOWN: FoundDocuments = { records: [], shownBy: [], isAnswered: false }

/**
 * The newest documents of a DID.
 * SVC-REQ-001 for what is not a DID of this network, SVC-RES-001, SVC-RES-002, SVC-RES-004.
 */
export async function resolveIdentity(
  context: RegistryContext,
  text: string,
  signal?: AbortSignal
): Promise<ResolvedIdentity> {
  const known = await requireIdentity(context, readDid(context, text), signal)
  const { manifest, isAnswered } = await findManifest(context, known, signal)
  return {
    kid_document: jsonOf(context, known.versions.at(-1)!),
    manifest_document: manifest === undefined ? { capabilities: [] } : { ...manifest },
    manifest_answered: isAnswered || isWholeNetwork(context)
  }
}

/** All current versions of a DID's document. Errors as `resolveIdentity`. */
export async function resolveIdentityLog(
  context: RegistryContext,
  text: string,
  signal?: AbortSignal
): Promise<ResolvedIdentityLog> {
  const did = readDid(context, text)
  const { versions } = await requireIdentity(context, did, signal)
  return { did, versions: versions.map((version) => jsonOf(context, version)) }
}

function jsonOf({ profile }: RegistryContext, version: Uint8Array): Record<string, unknown> {
  return parseCanonicalJson(version, { maxBytes: profile.limits.kid_bytes }) as Record<string, unknown>
}

interface ManifestParts extends Pick<RegistryContext, 'profile'> {
  readonly clock: Pick<RegistryContext['clock'], 'now'>
  readonly network: Pick<RegistryContext['network'], 'getManifest'>
  readonly pool: Pick<RegistryContext['pool'], 'judgeManifest' | 'judgeSpeaker'>
}

interface FoundManifest extends Pick<FoundDocuments, 'isAnswered'> {
  readonly manifest: Manifest | undefined
}

/**
 * The newest that speaks for the identity. Every peer may show another one: each is judged on a thread, the proofs of
 * the newest first until one verifies.
 */
export async function findManifest(
  { profile, network, clock, pool }: ManifestParts,
  known: KnownIdentity,
  signal?: AbortSignal
): Promise<FoundManifest> {
  const { did } = known.log
  const { records, isAnswered } = await network.getManifest(did, signal)
  const shown = await Promise.all(
    records.map(async (bytes) => ({
      bytes,
      verdict: await pool.judgeManifest(bytes, profile, 'own')
    }))
  )
  const current = shown.flatMap(({ bytes, verdict }) =>
    verdict.ok && verdict.value.id === did && isManifestCurrent(verdict.value, clock.now())
      ? [{ bytes, order: verdict.value }]
      : []
  )
  const identity = encodeIdentityEnvelope(known)
  for (const { bytes } of current.toSorted((left, right) => compareManifestOrder(right.order, left.order))) {
    if ((await pool.judgeSpeaker(bytes, identity, profile, 'own')).ok)
      return { manifest: decodeManifestRecord(bytes, profile), isAnswered }
  }
  return { manifest: undefined, isAnswered }
}
