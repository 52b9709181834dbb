import { encodeMultikey } from '../../protocol/identity/did.ts'
import type { KeyPair } from '../../protocol/crypto/ed25519.ts'
import { didRecoveryKey } from '../../protocol/crypto/keys.ts'
import { KEY_INDICES } from '../../protocol/identity/seed.ts'
import { type IdentityDocument, signIdentityDocument } from '../../protocol/identity/document.ts'
import { verifyVersion } from '../../protocol/identity/log.ts'
import { profileHash } from '../../protocol/profile/profile.ts'
import { inputFailure, usageFailure } from '../failures/failure.ts'
import type { Context } from '../context.ts'
import { readSeed } from '../key/seed.ts'
import { printable } from '../terminal/format.ts'
import { readRecoveryFile, type Recovery } from './recover.ts'
import { readRecoveryKey } from './recovery-key.ts'

/**
 * Signs a prepared version. Throws CLI-INP-001 unless the key is a recovery key of the version before, IdentityError
 * for a version that does not follow it.
 *
 * @param created an instant in UTC, such as `new Date(ms).toISOString()`
 */
function signRecovery({ log, unsigned, profile }: Recovery, key: KeyPair, created: string): IdentityDocument {
  const parent = log.versions.at(-1)!
  const { recoveryKeys = [], version } = parent.document
  if (!recoveryKeys.includes(encodeMultikey(key.publicKey))) {
    throw inputFailure(
      `${encodeMultikey(key.publicKey)} is not a recovery key of ${log.did}: version ${version} names ` +
        (recoveryKeys.join(', ') || 'none'),
      'Give the file of one of those keys with --recovery-key-file.'
    )
  }
  const signed = signIdentityDocument(unsigned, key, created, profile)
  verifyVersion(signed, parent, profile)
  return signed
}

/** The recovery key that `kid create` takes from the seed where none is named. */
function recoveryKeyOfSeed({ log, profile }: Recovery, seed: Uint8Array): KeyPair {
  const listed = log.versions.at(-1)!.document.recoveryKeys ?? []
  const hash = profileHash(profile)
  for (let index = 0; index < KEY_INDICES; index += 1) {
    const key = didRecoveryKey(seed, hash, index)
    if (listed.includes(encodeMultikey(key.publicKey))) return key
  }
  throw inputFailure(
    `the seed has no recovery key of ${log.did}`,
    'Give the file of its recovery key with --recovery-key-file.'
  )
}

/** What a person should read before publishing the signed version. */
function describeVersion({
  id,
  version,
  updateKeys,
  recoveryKeys = [],
  service = [],
  alsoKnownAs = []
}: IdentityDocument): string[] {
  return [
    `signed version ${version} of ${id}`,
    `  update keys: ${updateKeys.join(', ')}`,
    `  recovery keys: ${recoveryKeys.join(', ') || 'none'}`,
    ...service.map(
      (each) => `  service: ${each.id.slice(id.length)} ${each.type} ${[each.serviceEndpoint].flat().join(' ')}`
    ),
    ...alsoKnownAs.map((uri) => `  also known as: ${uri}`)
  ]
}

interface SignOptions {
  recoveryKeyFile?: string
  passphraseFile?: string
  seedFile?: string
  network?: string
}

/** `chronym kid sign FILE`. Asks nobody. */
export async function runSign(context: Context, options: SignOptions, file: string): Promise<void> {
  if (options.recoveryKeyFile !== undefined && options.seedFile !== undefined)
    throw usageFailure(
      '--recovery-key-file and --seed-file exclude each other',
      'Give the one whose recovery key is to sign.'
    )
  const recovery = await readRecoveryFile(context, file, options.network)
  const key =
    options.recoveryKeyFile === undefined
      ? recoveryKeyOfSeed(recovery, await readSeed(context, options.seedFile))
      : await readRecoveryKey(context, options.recoveryKeyFile, options)
  const document = signRecovery(recovery, key, new Date().toISOString())
  context.output.text(JSON.stringify({ authorized_kid: { document } }, undefined, context.output.json ? undefined : 2))
  context.output.note(`${describeVersion(document).map(printable).join('\n')}\npublish it: chronym kid publish FILE`)
}
