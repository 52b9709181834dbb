/** Resolving identities, and adopting those of this seed that the network holds. */
import type { Did } from '../../protocol/identity/did.ts'
import { parseCanonicalJson } from '../../protocol/encoding/jcs.ts'
import { keyIndexOfLog } from '../../protocol/identity/key-index.ts'
import { encodeManifestRecord } from '../../protocol/identity/manifest.ts'
import { keys } from '../../store/keys.ts'
import type { RegistryContext } from '../context.ts'
import type { ResolvedIdentity, ResolvedIdentityLog } from '../types.ts'
import { requireIdentity, findIdentity, readDid } from './known-identity.ts'
import { findManifest } from './manifests.ts'
import { stamped } from './stamped.ts'

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
  const manifest = await findManifest(context, known, signal)
  return {
    kid_document: jsonOf(context, known.versions.at(-1)!),
    manifest_document: manifest === undefined ? null : { ...manifest }
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

/**
 * Takes up an identity that the network holds and whose keys come from this seed, and maintains it from now on.
 * Rejects with OfflineError, SVC-RES-004 and StoreError. Where too few peers took it, it is sent again by itself.
 */
export async function adoptIdentity(
  context: RegistryContext,
  did: Did
): Promise<'adopted' | 'other-owner' | 'not-found'> {
  const { profile, network, store } = context
  context.seed.require()
  const known = await findIdentity(context, did)
  if (known === undefined) return 'not-found'
  // Required a second time: the seed may have been locked during the look-up.
  if (keyIndexOfLog(known.versions, context.seed.require(), profile) === undefined) return 'other-owner'
  const manifest = await findManifest(context, known)
  const encoded = await stamped(context, did, {
    versions: known.versions,
    ...(known.binding === undefined ? {} : { binding: known.binding })
  })
  store.put(keys.ownIdentity(did), encoded)
  await network.putIdentity(did, encoded)
  if (manifest !== undefined) await network.putManifest(did, encodeManifestRecord(manifest))
  return 'adopted'
}

function jsonOf({ profile }: RegistryContext, version: Uint8Array): Record<string, unknown> {
  return parseCanonicalJson(version, { maxBytes: profile.limits.kid_bytes }) as Record<string, unknown>
}
