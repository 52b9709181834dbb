/** The log of an identity: which versions follow from which, and which branch counts after a fork. */
import { equalBytes, toHex } from '../encoding/bytes.ts'
import { checkProof } from './data-integrity.ts'
import { decodeMultikey, type Did } from './did.ts'
import { canonicalJson, canonicalJsonBytes } from '../encoding/jcs.ts'
import { type IdentityDocument, didKeyUrl, identityDid, identityDocumentHash, IdentityError } from './document.ts'
import type { NetworkProfile } from '../profile/profile.ts'

export type Signer = 'update' | 'recovery'

interface IdentityVersion {
  readonly document: IdentityDocument
  readonly hash: Uint8Array
  /** Which key of the parent signed it; for version 1 `update`, its own. */
  readonly signer: Signer
}

export interface IdentityLog {
  readonly did: Did
  readonly versions: readonly IdentityVersion[]
}

/** What merging needs of a log: index 0 is version 1. */
export interface IdentityLogOutline {
  readonly did: Did
  readonly versions: readonly Pick<IdentityVersion, 'hash' | 'signer'>[]
}

/** Two versions of one number by keys of equal rank. */
interface IdentityEquivocation {
  readonly version: number
  /** The one that counts, then the other. */
  readonly hashes: readonly [Uint8Array, Uint8Array]
}

/** Verifies a chain in order. Throws IdentityError that names the faulty version. */
export function verifyIdentityLog(documents: readonly IdentityDocument[], profile: NetworkProfile): IdentityLog {
  checkLogSize(
    documents.map((document) => canonicalJsonBytes(document).length),
    profile
  )
  const versions: IdentityVersion[] = []
  for (const document of documents) versions.push(verifyVersion(document, versions.at(-1), profile))
  return logOf(versions)
}

export function headOf(log: IdentityLog): IdentityDocument {
  return log.versions.at(-1)!.document
}

/** Verifies a version against its parent. Throws IdentityError. */
export function verifyVersion(
  document: IdentityDocument,
  parent: IdentityVersion | undefined,
  profile: NetworkProfile
): IdentityVersion {
  const fail = (rule: 'log' | 'did' | 'proof', detail: string): never => {
    throw new IdentityError(rule, `version ${document.version}: ${detail}`)
  }
  const signer = parent === undefined ? checkGenesis(document, profile, fail) : checkSuccessor(document, parent, fail)
  return { document, hash: identityDocumentHash(document), signer }
}

type Merge<L extends IdentityLogOutline = IdentityLog> =
  | { readonly kind: 'stale'; readonly log: L; readonly equivocation?: IdentityEquivocation }
  /** `incoming` extends the held chain, or replaces a branch of it by a recovery key. */
  | { readonly kind: 'extend' | 'recover'; readonly log: L }

/**
 * Merges a held log with another of the same DID. After a fork, the branch with a version signed by a recovery key wins
 * at any time, unless the held branch has one too. At equal rank the held branch remains.
 * The recovery may be anywhere in the branch: its first one uses a key valid at the fork, since update keys cannot
 * change recovery keys. If it had to come first, it would reach only peers that hold its branch [a recovery on top of
 * another branch].
 */
export function mergeIdentityLogs<L extends IdentityLogOutline>(standing: L, incoming: L): Merge<L> {
  const fork = standing.versions.findIndex((version, index) => {
    const other = incoming.versions[index]
    return other === undefined || !equalBytes(version.hash, other.hash)
  })
  if (fork === -1)
    return incoming.versions.length > standing.versions.length
      ? { kind: 'extend', log: incoming }
      : { kind: 'stale', log: standing }
  const ours = standing.versions[fork]!
  const theirs = incoming.versions[fork]
  if (theirs === undefined) return { kind: 'stale', log: standing }
  const [isRecovered, isRecovery] = [standing, incoming].map(({ versions }) => hasRecovery(versions.slice(fork)))
  if (isRecovery !== isRecovered)
    return isRecovery ? { kind: 'recover', log: incoming } : { kind: 'stale', log: standing }
  return { kind: 'stale', log: standing, equivocation: { version: fork + 1, hashes: [ours.hash, theirs.hash] } }
}

type Fail = (rule: 'log' | 'did' | 'proof', detail: string) => never

function checkGenesis(document: IdentityDocument, profile: NetworkProfile, fail: Fail): Signer {
  if (document.version !== 1 || document.prev !== undefined)
    fail('log', 'a log begins with version 1, which has no prev')
  if (document.deactivated === true) fail('log', 'an identity is not deactivated from the start')
  if (document.id !== identityDid(document, profile)) fail('did', 'id is not the DID of this genesis document')
  if (!isSignedByOneOf(document, document.updateKeys)) fail('proof', 'it is not signed by one of its own update keys')
  return 'update'
}

function checkSuccessor(document: IdentityDocument, parent: IdentityVersion, fail: Fail): Signer {
  const former = parent.document
  if (document.id !== former.id) fail('log', 'it belongs to another DID')
  if (document.version !== former.version + 1) fail('log', `it cannot follow version ${former.version}`)
  if (document.prev !== toHex(parent.hash)) fail('log', `prev is not the hash of version ${former.version}`)
  if (isSignedByOneOf(document, former.recoveryKeys ?? [])) return 'recovery'
  if (!isSignedByOneOf(document, former.updateKeys))
    fail('proof', `it is signed by no update or recovery key of version ${former.version}`)
  if (former.deactivated === true) fail('proof', 'only a recovery key can go on after a deactivation')
  if (canonicalJson(document.recoveryKeys ?? []) !== canonicalJson(former.recoveryKeys ?? []))
    fail('proof', 'only a recovery key can change recoveryKeys')
  return 'update'
}

/** Tries only the key that the proof names. */
function isSignedByOneOf(document: IdentityDocument, keys: readonly string[]): boolean {
  const named = keys.map(decodeMultikey).find((key) => document.proof.verificationMethod === didKeyUrl(key))
  return named !== undefined && checkProof(document, named)
}

/** Checks a log by the RFC 8785 length of each version. Throws IdentityError. */
export function checkLogSize(lengths: readonly number[], profile: NetworkProfile): void {
  const { kid_versions, kid_bytes } = profile.limits
  if (lengths.length === 0) throw new IdentityError('log', 'a log has at least one version')
  if (lengths.length > kid_versions) throw new IdentityError('log', `a log has at most ${kid_versions} versions`)
  const size = lengths.reduce((sum, length) => sum + length, 0)
  if (size > kid_bytes) throw new IdentityError('log', `a log has at most ${kid_bytes} bytes; this one has ${size}`)
}

function hasRecovery(versions: readonly Pick<IdentityVersion, 'signer'>[]): boolean {
  return versions.some((version) => version.signer === 'recovery')
}

function logOf(versions: readonly IdentityVersion[]): IdentityLog {
  return { did: versions[0]!.document.id, versions }
}
