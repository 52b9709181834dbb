/** The identities that this daemon keeps published, from its store alone: no peer is asked. */
import { equalBytes, sha256 } from '../../protocol/encoding/bytes.ts'
import { parseCanonicalJson } from '../../protocol/encoding/jcs.ts'
import { parseDid } from '../../protocol/identity/did.ts'
import { parseIdentityDocument, type IdentityDocument } from '../../protocol/identity/document.ts'
import { keyIndexOf } from '../../protocol/identity/key-index.ts'
import { decodeIdentityEnvelope } from '../../protocol/identity/record.ts'
import { lastPart, prefixes } from '../../store/keys.ts'
import { readOrSetAside } from '../../store/stored-shapes.ts'
import type { OwnIdentityView } from '../../views/own.ts'
import type { RegistryContext } from '../context.ts'
import { SeenIdentities } from './seen-identities.ts'

/** In order of their DIDs. A damaged record is set aside. Throws StoreError. */
export function ownIdentities(context: RegistryContext): OwnIdentityView[] {
  const views: OwnIdentityView[] = []
  for (const [key, value] of [...context.store.list(prefixes.ownIdentities)]) {
    const view = readOrSetAside(context.store, key, value, (bytes) => viewOf(context, lastPart(key), bytes))
    if (view !== undefined) views.push(view)
  }
  return views
}

function viewOf(context: RegistryContext, did: string, bytes: Uint8Array): OwnIdentityView {
  const { profile, store, seed } = context
  const { versions, binding } = decodeIdentityEnvelope(bytes, profile)
  const read = (version: Uint8Array): IdentityDocument =>
    parseIdentityDocument(parseCanonicalJson(version, { maxBytes: profile.limits.kid_bytes }), profile)
  const [first, head] = [read(versions[0]!), read(versions.at(-1)!)]
  const seen = new SeenIdentities(store).get(parseDid(did, profile))?.versions.at(-1)
  const isSuperseded = seen !== undefined && !versions.some((version) => equalBytes(sha256(version), seen.hash))
  return {
    did,
    version: head.version,
    state: isSuperseded ? 'superseded' : head.deactivated === true ? 'deactivated' : 'active',
    created: instantOf(first),
    updated: instantOf(head),
    name: binding?.name ?? null,
    index: (seed.isLocked ? undefined : keyIndexOf(head, seed.require(), profile)) ?? null,
    services: head.service?.length ?? 0,
    recovery_keys: head.recoveryKeys?.length ?? 0
  }
}

/** Proofs may say up to nine digits of a second; milliseconds of them count. */
function instantOf({ proof }: IdentityDocument): string {
  return new Date(Date.parse(proof.created)).toISOString()
}
