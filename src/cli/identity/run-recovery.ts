/** An identity whose keys were lost or stolen: the recovery key, what is prepared for it, and its signature. */
import { encodeMultikey } from '../../protocol/identity/did.ts'
import { connect } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../failures/exit-codes.ts'
import { usageFailure } from '../failures/failure.ts'
import { loadProfile, networkReference } from '../profile.ts'
import { readSeed } from '../seed.ts'
import { printable } from '../terminal/format.ts'
import { aboutDid, requireDid } from './about-did.ts'
import { buildRecovery } from './recover.ts'
import { readLog } from './log.ts'
import { readRecoveryFile, recoveryFile } from './recovery-file.ts'
import { makeRecoveryKey, parseRecoveryKeys, readRecoveryKey, type PassphraseOptions } from './recovery-key.ts'
import { describeVersion, recoveryKeyOfSeed, signRecovery } from './sign.ts'

export interface RecoverOptions {
  after?: number
  index: number
  keepKeys?: boolean
  recoveryKey?: string[]
  seedFile?: string
  network?: string
}

export interface SignOptions {
  recoveryKeyFile?: string
  passphraseFile?: string
  seedFile?: string
  network?: string
}

/** With `public`, only the public key of a file is asked for. */
export interface RecoveryKeyOptions extends PassphraseOptions {
  public?: boolean
}

export async function runRecoveryKey(context: Context, options: RecoveryKeyOptions, file: string): Promise<ExitCode> {
  if (options.public === true) {
    const publicKey = encodeMultikey((await readRecoveryKey(context, file, options)).publicKey)
    context.output.plain({ file, public_key: publicKey }, publicKey)
    return EXIT.ok
  }
  const { publicKey, isEncrypted } = await makeRecoveryKey(context, file, options)
  context.output.plain({ file, public_key: publicKey, encrypted: isEncrypted }, publicKey)
  context.output.note(
    `the secret key is in ${file}${isEncrypted ? '' : ', in plain words'}: keep it off the daemon's ` +
      'machine, with a second copy elsewhere. Use the public key: chronym kid create --recovery-key ' +
      publicKey
  )
  return EXIT.ok
}

/**
 * `chronym kid recover DID`. Asks any daemon; nothing secret leaves this machine or is needed but the new owner's seed.
 */
export async function runRecover(context: Context, options: RecoverOptions, did: string): Promise<ExitCode> {
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
  return EXIT.ok
}

/** `chronym kid sign FILE`. Asks nobody. */
export async function runSign(context: Context, options: SignOptions, file: string): Promise<ExitCode> {
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
  return EXIT.ok
}
