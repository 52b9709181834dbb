import * as v from 'valibot'
import { withoutMember } from '../../protocol/identity/data-integrity.ts'
import { encodeMultikey } from '../../protocol/identity/did.ts'
import { didUpdateKey } from '../../protocol/crypto/keys.ts'
import {
  buildNextVersion,
  type IdentityChanges,
  type IdentityDocument,
  parseIdentityDocument,
  parseUnsignedIdentityDocument,
  type UnsignedIdentityDocument
} from '../../protocol/identity/document.ts'
import { type IdentityLog, verifyIdentityLog } from '../../protocol/identity/log.ts'
import { type NetworkProfile, profileHash } from '../../protocol/profile/profile.ts'
import { toHex } from '../../protocol/encoding/bytes.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import { Failure, usageFailure, inputFailure } from '../failures/failure.ts'
import type { Context } from '../context.ts'
import { nameOfInput, readJson } from '../input/files.ts'
import { loadProfile, networkReference } from '../connection/location.ts'
import { connect } from '../connection/connect.ts'
import { readSeed } from '../key/seed.ts'
import { aboutDid, requireDid } from '../input/names.ts'
import { keysAt, readLog } from './next-version.ts'
import { parseRecoveryKeys } from './recovery-key.ts'

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

export interface Recovery {
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
export async function readRecoveryFile(context: Context, file: string, network: string | undefined): Promise<Recovery> {
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

interface RecoverOptions {
  after?: number
  index: number
  keepKeys?: boolean
  recoveryKey?: string[]
  seedFile?: string
  network?: string
}

/**
 * `chronym kid recover DID`. Asks any daemon; nothing secret leaves this machine or is needed but the new owner's seed.
 */
export async function runRecover(context: Context, options: RecoverOptions, did: string): Promise<void> {
  const recoveryKeys = options.recoveryKey === undefined ? undefined : parseRecoveryKeys(options.recoveryKey)
  const profile = loadProfile(context, options.network)
  const keysOf =
    options.keepKeys === true ? undefined : { seed: await readSeed(context, options.seedFile), index: options.index }
  const { versions } = await aboutDid(connect(context).identityLog(requireDid(did)))
  const { log, unsigned } = buildRecovery(
    readLog(did, versions, profile),
    { after: options.after, keysOf, recoveryKeys },
    profile
  )
  const file = recoveryFile(networkReference(context, options.network), { profile, log, unsigned })
  context.output.text(JSON.stringify(file, undefined, context.output.json ? undefined : 2))
  context.output.note(
    `version ${unsigned.version} of ${did} is prepared. With the recovery key: chronym kid sign FILE ` +
      '--recovery-key-file KEY. Then here: chronym kid publish SIGNED'
  )
}
