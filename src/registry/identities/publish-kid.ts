/** Publishing a version of an identity document, and the name that carries it. */
import { ServiceError } from '../../errors.ts'
import type { Did } from '../../protocol/identity/did.ts'
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { canonicalJsonBytes } from '../../protocol/encoding/jcs.ts'
import {
  identityDocumentHash,
  IdentityError,
  parseIdentityDocument,
  type IdentityDocument
} from '../../protocol/identity/document.ts'
import { signIdentityBinding, verifyIdentityBinding, type IdentityBinding } from '../../protocol/identity/binding.ts'
import { checkLogSize, mergeIdentityLogs } from '../../protocol/identity/log.ts'
import { encodeIdentityEnvelope } from '../../protocol/identity/record.ts'
import { keys } from '../../store/keys.ts'
import { openName, withOwnKey, type RegistryContext } from '../context.ts'
import { readAuthorizedIdentity } from './identity-requests.ts'
import { requireMajority } from '../publication/publishing.ts'
import { survey } from '../resolution/survey.ts'
import type { StoredBy } from '../../views/common.ts'
import { knownIdentity } from './known-identity.ts'
import type { KnownIdentity } from './standing-identity.ts'
import { stamped } from './stamped.ts'
import { requireValid, invalidAsKid001 } from './verdicts.ts'

/**
 * Publishes a version of an identity document on top of those that are known. SVC-KID-001, SVC-OWN-001, SVC-RES-001,
 * SVC-RES-004, SVC-PUB-002.
 */
export async function publishKid(
  context: RegistryContext,
  input: unknown
): Promise<{ did: string; version: number } & StoredBy> {
  return invalidAsKid001(async () => {
    const request = readAuthorizedIdentity(input)
    const document = parseIdentityDocument(request.document, context.profile)
    const known = await knownIdentity(context, document.id)
    const versions = await withVersion(context, known, document)
    const binding =
      request.name === undefined
        ? known?.binding
        : await bind(context, request.name, request.nameSignature, document.id)
    const encoded = await stamped(context, document.id, { versions, ...(binding === undefined ? {} : { binding }) })
    context.store.put(keys.ownIdentity(document.id), encoded)
    const stored = requireMajority('the identity document', await context.network.putIdentity(document.id, encoded))
    return { did: document.id, version: versions.length, ...stored }
  })
}

/** The versions with this one: appended, or the whole of what stood when it is there already. Throws ProtocolError. */
async function withVersion(
  { pool, profile }: RegistryContext,
  known: KnownIdentity | undefined,
  document: IdentityDocument
): Promise<readonly Uint8Array[]> {
  const standing = known?.log.versions[document.version - 1]
  if (known !== undefined && standing !== undefined && equalBytes(standing.hash, identityDocumentHash(document)))
    return known.versions
  const versions = [...(known?.versions.slice(0, document.version - 1) ?? []), canonicalJsonBytes(document)]
  checkLogSize(
    versions.map(({ length }) => length),
    profile
  )
  const { log } = requireValid(await pool.judgeIdentity(encodeIdentityEnvelope({ versions }), profile, 'own'))
  // A version that is there already: only a recovery key may replace it and what follows.
  if (known !== undefined && mergeIdentityLogs(known.log, log).kind === 'stale') {
    throw new IdentityError(
      'log',
      `version ${document.version} exists already with other contents; the next one is ${known.versions.length + 1}`
    )
  }
  return versions
}

/** The name's word for the DID: given, or signed here where this daemon owns the name. */
async function bind(
  context: RegistryContext,
  text: string,
  signature: Uint8Array | undefined,
  did: Did
): Promise<IdentityBinding> {
  const name = openName(context, text)
  const owned = context.owned.get(name)
  if (signature === undefined) {
    if (owned === undefined)
      throw new ServiceError(
        'SVC-OWN-001',
        `This daemon does not own ${name}, so the request needs the owner's name_signature.`
      )
    return withOwnKey(context, name, ({ secretKey }) =>
      signIdentityBinding(name, owned.firstRound, did, secretKey, context.profileHash)
    )
  }
  const { tally } = await survey(context, name)
  const claim = tally.kind === 'owner' ? tally.owner.newest : undefined
  const binding = claim === undefined ? undefined : { name, firstRound: claim.firstRound, signature }
  if (
    claim === undefined ||
    binding === undefined ||
    !verifyIdentityBinding(binding, did, claim, context.profileHash)
  ) {
    throw new IdentityError('binding', `name_signature is not by the owner of ${name} for ${did}`)
  }
  return binding
}
