/** Capability manifests: publishing one, and finding the newest that peers show. */
import { ServiceError } from '../../errors.ts'
import { OfflineError } from '../../network/types.ts'
import { IdentityError } from '../../protocol/identity/document.ts'
import { encodeIdentityEnvelope } from '../../protocol/identity/record.ts'
import {
  compareManifestOrder,
  compareManifests,
  decodeManifestRecord,
  encodeManifestRecord,
  isManifestCurrent,
  parseManifest,
  type Manifest
} from '../../protocol/identity/manifest.ts'
import type { RegistryContext } from '../context.ts'
import { readAuthorizedManifest } from './identity-requests.ts'
import { isSuperseded, requireMajority, superseded } from '../publication/publishing.ts'
import type { StoredBy } from '../../views/common.ts'
import { knownIdentity } from './known-identity.ts'
import type { KnownIdentity } from './standing-identity.ts'
import { requireValid, invalidAsKid001 } from './verdicts.ts'

/**
 * Publishes a capability manifest of a known identity. SVC-KID-001, SVC-PUB-001 where a newer one exists, SVC-RES-001,
 * SVC-RES-004, SVC-PUB-002.
 */
export async function publishManifest(
  context: RegistryContext,
  input: unknown
): Promise<{ did: string; version: number } & StoredBy> {
  return invalidAsKid001(async () => {
    const manifest = parseManifest(readAuthorizedManifest(input), context.profile)
    // No peer would take it, and this daemon would send it again and again, in place of the one before.
    if (!isManifestCurrent(manifest, context.clock.now()))
      throw new IdentityError('manifest', 'validUntil has passed, or validFrom is still to come')
    const known = await knownIdentity(context, manifest.id)
    if (known === undefined)
      throw new IdentityError('manifest', `no identity document of ${manifest.id} is known; publish that first`)
    const encoded = encodeManifestRecord(manifest)
    requireValid(await context.pool.judgeSpeaker(encoded, encodeIdentityEnvelope(known), context.profile, 'own'))
    const standing = await standingManifest(context, known)
    // No peer would take it, and this daemon would send it again in place of the newer one.
    if (standing !== undefined && compareManifests(standing, manifest) > 0) throw supersededManifest(manifest, standing)
    const outcome = await context.network.putManifest(manifest.id, encoded)
    // Peers that hold a newer one count as having it.
    if (isSuperseded(outcome)) throw supersededManifest(manifest)
    return { did: manifest.id, version: manifest.version, ...requireMajority('the manifest', outcome) }
  })
}

/** The newest that peers show. Offline it is not known. */
async function standingManifest(context: RegistryContext, known: KnownIdentity): Promise<Manifest | undefined> {
  try {
    return await findManifest(context, known)
  } catch (error) {
    if (error instanceof OfflineError) return undefined
    throw error
  }
}

function supersededManifest({ id }: Manifest, standing?: Manifest): ServiceError {
  const which = standing === undefined ? '' : ` (version ${standing.version} of kid_version ${standing.kid_version})`
  return superseded(`manifest of ${id}${which}`, 'Sign it again with a higher version.')
}

export interface ManifestParts extends Pick<RegistryContext, 'profile'> {
  readonly clock: Pick<RegistryContext['clock'], 'now'>
  readonly network: Pick<RegistryContext['network'], 'getManifest'>
  readonly pool: Pick<RegistryContext['pool'], 'judgeManifest' | 'judgeSpeaker'>
}

/**
 * The newest that speaks for the identity. Every peer may show another one: each is judged on a thread, the proofs of
 * the newest first until one verifies.
 */
export async function findManifest(
  { profile, network, clock, pool }: ManifestParts,
  known: KnownIdentity,
  signal?: AbortSignal
): Promise<Manifest | undefined> {
  const { did } = known.log
  const shown = await Promise.all(
    (await network.getManifest(did, signal)).map(async (bytes) => ({
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
    if ((await pool.judgeSpeaker(bytes, identity, profile, 'own')).ok) return decodeManifestRecord(bytes, profile)
  }
  return undefined
}
