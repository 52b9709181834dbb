import * as v from 'valibot'
import { withoutMember } from '../../protocol/identity/data-integrity.ts'
import { encodeMultikey } from '../../protocol/identity/did.ts'
import type { KeyPair } from '../../protocol/crypto/ed25519.ts'
import { didRecoveryKey, didUpdateKey } from '../../protocol/crypto/keys.ts'
import { KEY_INDICES } from '../../protocol/identity/seed.ts'
import {
  buildNextVersion,
  type IdentityChanges,
  type IdentityDocument,
  parseIdentityDocument,
  parseUnsignedIdentityDocument,
  signIdentityDocument,
  type UnsignedIdentityDocument
} from '../../protocol/identity/document.ts'
import { type IdentityLog, verifyIdentityLog, verifyVersion } from '../../protocol/identity/log.ts'
import { type NetworkProfile, profileHash } from '../../protocol/profile/profile.ts'
import { toHex } from '../../protocol/encoding/bytes.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import { Failure, usageFailure, inputFailure } from '../failures/failure.ts'
import type { Context } from '../context.ts'
import { nameOfInput, readJson } from '../input/files.ts'
import { loadProfile, networkReference } from '../connection/location.ts'
import { readSeed, type SeedOptions } from '../key/seed.ts'
import { printable } from '../terminal/format.ts'
import { keysAt, readLog } from './next-version.ts'
import { parseRecoveryKeys, readKeyFile } from './recovery-key.ts'

interface RecoverParts {
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

const FileSchema = v.object({
  chronym_recovery: v.object({
    version: v.literal(1),
    /** A built-in one, or the path of a profile file where the file was prepared. */
    network: v.string(),
    profile_hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/u)),
    /** The versions that the new one follows, version 1 first. */
    log: v.pipe(v.array(v.unknown()), v.minLength(1)),
    unsigned: v.unknown()
  })
})

interface Recovery {
  readonly profile: NetworkProfile
  /** Verified. */
  readonly log: IdentityLog
  readonly unsigned: UnsignedIdentityDocument
}

function recoveryFile(network: string, { profile, log, unsigned }: Recovery): object {
  return {
    chronym_recovery: {
      version: 1,
      network,
      profile_hash: toHex(profileHash(profile)),
      log: log.versions.map(({ document }) => document),
      unsigned
    }
  }
}

/**
 * Reads and verifies such a file: the log by its own signatures, the new version by its shape. CLI-INP-001 for anything
 * else.
 */
async function readRecoveryFile(context: Context, file: string, network: string | undefined): Promise<Recovery> {
  const json = await readJson(file, context.stdin)
  const where = nameOfInput(file)
  const result = v.safeParse(FileSchema, json)
  if (!result.success) throw fault(`${where} is not a recovery that \`chronym kid recover\` prepared`)
  const { chronym_recovery: output } = result.output
  const profile = loadProfile(context, network ?? output.network)
  if (toHex(profileHash(profile)) !== output.profile_hash)
    throw fault(
      `${where} was prepared for another network than ${profile.id}`,
      'Name the profile file of that network with --network.'
    )
  try {
    const log = verifyIdentityLog(
      output.log.map((document) => parseIdentityDocument(document, profile)),
      profile
    )
    return { profile, log, unsigned: parseUnsignedIdentityDocument(output.unsigned, profile) }
  } catch (error) {
    if (error instanceof ProtocolError) throw fault(`${where} does not verify: ${error.detail}`, undefined, error)
    throw error
  }
}

function fault(
  detail: string,
  cure = 'Prepare it again with `chronym kid recover DID`, and copy the whole file.',
  cause?: unknown
): Failure {
  return inputFailure(detail, cure, cause)
}

interface RecoverOptions extends SeedOptions {
  after?: number
  index: number
  keepKeys?: boolean
  recoveryKey?: string[]
}

/**
 * `chronym kid recover DID`. Asks any daemon; nothing secret leaves this machine or is needed but the new owner's seed.
 */
export async function runRecover(context: Context, options: RecoverOptions, did: string): Promise<void> {
  const recoveryKeys = options.recoveryKey === undefined ? undefined : parseRecoveryKeys(options.recoveryKey)
  const profile = loadProfile(context, options.network)
  const keysOf =
    options.keepKeys === true ? undefined : { seed: await readSeed(context, options.seedFile), index: options.index }
  const found = await readLog(context, did, profile)
  const { log, unsigned } = buildRecovery(found, { after: options.after, keysOf, recoveryKeys }, profile)
  const file = recoveryFile(networkReference(context, options.network), { profile, log, unsigned })
  context.output.text(JSON.stringify(file, undefined, context.output.json ? undefined : 2))
  context.output.note(
    `version ${unsigned.version} of ${did} is prepared. With the recovery key: chronym kid sign FILE ` +
      '--recovery-key-file KEY. Then here: chronym kid publish SIGNED'
  )
}

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
      (each) =>
        `  service: ${each.id.slice(id.length)} ${each.type} ${[each.serviceEndpoint].flat().map(endpointText).join(' ')}`
    ),
    ...alsoKnownAs.map((uri) => `  also known as: ${uri}`)
  ]
}

interface SignOptions extends SeedOptions {
  recoveryKeyFile?: string
  passphraseFile?: string
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
      : await readKeyFile(context, options.recoveryKeyFile, options)
  const document = signRecovery(recovery, key, new Date().toISOString())
  context.output.text(JSON.stringify({ authorized_kid: { document } }, undefined, context.output.json ? undefined : 2))
  context.output.note(`${describeVersion(document).map(printable).join('\n')}\npublish it: chronym kid publish FILE`)
}

function endpointText(endpoint: unknown): string {
  return typeof endpoint === 'string' ? endpoint : JSON.stringify(endpoint)
}
