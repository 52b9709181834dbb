/** An identity whose keys a test holds, and logs that grow from it. */
import type { IdentityChanges, IdentityDocument } from '../../../src/protocol/identity/document.ts'
import { buildGenesis, buildNextVersion, signIdentityDocument } from '../../../src/protocol/identity/document.ts'
import { type IdentityLog, verifyIdentityLog } from '../../../src/protocol/identity/log.ts'
import { keyOf, LOCAL } from '../fixtures.ts'

export const UPDATE = keyOf('update')
export const THIEF = keyOf('thief')
export const RECOVERY = keyOf('recovery')
export const ASSERTION = keyOf('assertion')
export const CREATED = '2026-01-01T00:00:00Z'

export const GENESIS = signIdentityDocument(
  buildGenesis(
    {
      keys: [ASSERTION.publicKey],
      services: [{ id: '#files', type: 'Files', serviceEndpoint: 'https://files.example/' }],
      updateKeys: [UPDATE.publicKey],
      recoveryKeys: [RECOVERY.publicKey]
    },
    LOCAL
  ),
  UPDATE,
  CREATED,
  LOCAL
)

export function next(former: IdentityDocument, changes: IdentityChanges = {}, key = UPDATE): IdentityDocument {
  return signIdentityDocument(buildNextVersion(former, changes), key, CREATED, LOCAL)
}

/** Chain of a genesis and versions that each change something, signed by these keys. */
export function chain(...keys: (typeof UPDATE)[]): IdentityDocument[] {
  const documents = [GENESIS]
  keys.forEach((key, index) =>
    documents.push(next(documents.at(-1)!, { alsoKnownAs: [`https://${index}.example`] }, key))
  )
  return documents
}

export function log(documents: IdentityDocument[]): IdentityLog {
  return verifyIdentityLog(documents, LOCAL)
}
