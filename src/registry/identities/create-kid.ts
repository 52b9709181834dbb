/** Making an identity with keys of the owner's seed. */
import { parseCanonicalJson } from '../../protocol/encoding/jcs.ts'
import { createIdentity } from '../../protocol/identity/create.ts'
import { IdentityError, parseIdentityDocument } from '../../protocol/identity/document.ts'
import { KEY_INDICES, keyIndexOf } from '../../protocol/identity/key-index.ts'
import { decodeIdentityEnvelope } from '../../protocol/identity/record.ts'
import { prefixes } from '../../store/keys.ts'
import type { StoredBy } from '../../views/common.ts'
import { openName, type RegistryContext } from '../context.ts'
import type { NewIdentity } from '../types.ts'
import { ownIdentities } from './own-identities.ts'
import { publishKid } from './publish-kid.ts'
import { invalidAsKid001 } from './verdicts.ts'

/**
 * Makes, signs and publishes version 1 of an identity. SVC-KEY-006 while the seed is locked, SVC-OWN-001 for a name
 * that is not ours, else as `publishKid`.
 */
export function createKid(
  context: RegistryContext,
  { name, services = [], alsoKnownAs = [], index }: NewIdentity
): Promise<{ did: string; version: number } & StoredBy> {
  return invalidAsKid001(async () => {
    const seed = context.seed.require()
    const parts = { index: index ?? freeIndex(context, seed), services, alsoKnownAs }
    const created = new Date(context.clock.now()).toISOString()
    const document = createIdentity(seed, parts, created, context.profile)
    return publishKid(context, { document, ...(name === undefined ? {} : { name: openName(context, name) }) })
  })
}

/** The first index of which no identity here ever had the keys: equal keys would show that two have one owner. */
function freeIndex(context: RegistryContext, seed: Uint8Array): number {
  // Sets damaged records aside.
  ownIdentities(context)
  const { store, profile } = context
  const used = new Set<number | undefined>()
  for (const [, value] of store.list(prefixes.ownIdentities)) {
    for (const version of decodeIdentityEnvelope(value, profile).versions) {
      const json = parseCanonicalJson(version, { maxBytes: profile.limits.kid_bytes })
      used.add(keyIndexOf(parseIdentityDocument(json, profile), seed, profile))
    }
  }
  for (let index = 0; index < KEY_INDICES; index++) if (!used.has(index)) return index
  throw new IdentityError('document', `all ${KEY_INDICES} identities of this seed exist already`)
}
