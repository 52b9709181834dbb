import { withoutMember } from '../../protocol/identity/data-integrity.ts'
import { encodeMultikey } from '../../protocol/identity/did.ts'
import { didUpdateKey } from '../../protocol/crypto/keys.ts'
import {
  buildNextVersion,
  type IdentityChanges,
  type IdentityDocument,
  type UnsignedIdentityDocument
} from '../../protocol/identity/document.ts'
import type { IdentityLog } from '../../protocol/identity/log.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile/profile.ts'
import { usageFailure } from '../failures/failure.ts'
import { keysAt } from './log.ts'

export interface RecoverParts {
  /** The version that the new one follows; left out: the newest. */
  readonly after?: number | undefined
  /** Whose keys the identity gets; left out: it keeps those that it has. */
  readonly keysOf?: { readonly seed: Uint8Array; readonly index: number } | undefined
  /** In place of those that count now. */
  readonly recoveryKeys?: readonly Uint8Array[] | undefined
}

/**
 * The next version for a recovery key to sign, and the log that it follows. CLI-USE-001 for a version that no recovery
 * key could sign, or that would hand the identity back.
 */
export function buildRecovery(
  log: IdentityLog,
  { after = log.versions.length, keysOf, recoveryKeys }: RecoverParts,
  profile: NetworkProfile
): { log: IdentityLog; unsigned: UnsignedIdentityDocument } {
  const versions = log.versions.slice(0, after)
  const former = versions.at(-1)
  if (former === undefined || versions.length < after)
    throw usageFailure(`--after ${after}: the identity has versions 1 to ${log.versions.length}`)
  const later = log.versions.slice(after).find(({ signer }) => signer === 'recovery')
  if (later !== undefined)
    throw usageFailure(
      `--after ${after}: version ${later.document.version} is by a recovery key, which no other replaces`,
      `Give --after ${later.document.version} or more.`
    )
  if ((former.document.recoveryKeys ?? []).length === 0)
    throw usageFailure(`version ${after} of ${log.did} has no recovery key, so nothing can be recovered on top of it`)
  if (after >= profile.limits.kid_versions)
    throw usageFailure(
      `the identity has ${after} versions, and a log holds no more`,
      'Give --after with the number of an earlier version: later ones fall away.'
    )
  const changes: IdentityChanges = {
    ...(keysOf === undefined ? {} : newKeys(log, keysOf, profile)),
    ...(recoveryKeys === undefined ? {} : { recoveryKeys: recoveryKeys.map(encodeMultikey) })
  }
  // A recovery wants the identity active, and a thief may have ended it.
  const unsigned = withoutMember(
    buildNextVersion(former.document, changes),
    'deactivated'
  ) as unknown as UnsignedIdentityDocument
  return { log: { did: log.did, versions }, unsigned }
}

/** A thief may have listed keys of his own: none of the former ones stays. */
function newKeys(
  log: IdentityLog,
  { seed, index }: { seed: Uint8Array; index: number },
  profile: NetworkProfile
): IdentityChanges {
  const hash = profileHash(profile)
  const updateKey = encodeMultikey(didUpdateKey(seed, hash, index).publicKey)
  if (log.versions.some(({ document }: { document: IdentityDocument }) => document.updateKeys.includes(updateKey))) {
    throw usageFailure(
      `this seed's key of index ${index} could sign for ${log.did} before: a thief of that key would ` +
        'have the identity again',
      'Name a new seed with --data-dir or --seed-file. To change only its key, give another --index. ' +
        'To change only the recovery keys, give --keep-keys.'
    )
  }
  return keysAt(log.did, seed, index, profile)
}
