import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import * as v from 'valibot'
import { faultOf } from '../../protocol/encoding/issue.ts'
import { toHex } from '../../protocol/encoding/bytes.ts'
import { commitmentHash, SALT_BYTES } from '../../protocol/claim/commitment.ts'
import { nameKey } from '../../protocol/crypto/keys.ts'
import { canonicalName, parseName } from '../../protocol/name/names.ts'
import { profileHash } from '../../protocol/profile/profile.ts'
import { shellWord } from '../../util/shell-commands.ts'
import { makePrivateDirectory, writePrivateFile } from '../../data-directory/private-files.ts'
import { connect } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import { Failure, inputFailure, messageOf } from '../failures/failure.ts'
import { loadProfile, localPaths, networkReference } from '../connection/location.ts'
import { readSeed, type SeedOptions } from '../key/seed.ts'
import { heldBy, printable } from '../terminal/format.ts'
import { jsonFault, readText } from '../input/files.ts'

interface CommitOptions extends SeedOptions {
  file?: string
  offline?: boolean
  force?: boolean
}

/** `chronym commit NAME`: key, salt and commitment; saved before anything is sent. */
export async function runCommit(context: Context, options: CommitOptions, text: string): Promise<void> {
  const { output } = context
  const name = canonicalName(text)
  const profile = loadProfile(context, options.network)
  const hash = profileHash(profile)
  const parsed = parseName(name, profile)
  const key = nameKey(await readSeed(context, options.seedFile), hash, parsed)
  const file = options.file ?? secretFileOf(context, name)
  if (options.force !== true) refuseExisting(file)

  if (options.file === undefined) makeSecretDirectory(context)
  const salt = new Uint8Array(randomBytes(SALT_BYTES))
  const commitment = commitmentHash(name, key.publicKey, salt, hash)
  const secret: Secret = {
    version: 1,
    network: networkReference(context, options.network),
    profile_hash: toHex(hash),
    name,
    public_key: toHex(key.publicKey),
    salt: toHex(salt),
    commitment: toHex(commitment),
    pulse_round: null
  }
  writeSecret(file, secret)

  const request = { name, commitment: { hash: [...commitment] } }
  if (options.offline === true) {
    output.text(JSON.stringify(request))
    output.note(
      `secret kept in ${file}; send the body above to POST /api/commit, ` +
        `then: chronym reveal ${name} --file ${shellWord(file)}`
    )
    return
  }

  // p comes `min_commit` rounds after the peers saw C, and is fixed from here on.
  const { stored_by, of, pulse_round: pulseRound } = await connect(context).commit(request)
  writeSecret(file, { ...secret, pulse_round: pulseRound })
  output.answer(
    { name, commitment: secret.commitment, secret_file: file, pulse_round: pulseRound, stored_by, of },
    () =>
      output.commands(
        [
          `commitment ${secret.commitment} ${heldBy({ stored_by, of })}`,
          `secret kept in ${printable(file)}: without it the name can't be revealed`,
          `next: chronym reveal ${printable(name)} --file ` +
            `${shellWord(printable(file))}${pulseRound === null ? '' : ` (it waits for pulse ${pulseRound})`}`
        ].join('\n')
      )
  )
}

const Hex = (bytes: number) =>
  v.pipe(v.string(), v.regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`, 'u'), `${bytes} bytes in hex are expected`))

const SecretSchema = v.object({
  version: v.literal(1),
  network: v.string(),
  profile_hash: Hex(32),
  name: v.string(),
  public_key: Hex(32),
  salt: Hex(32),
  commitment: Hex(32),
  /** p, once it is chosen: it must not change between the commitment and the reveal. */
  pulse_round: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  /** The finished proof: a reveal that could not be sent is not computed again. */
  proof: v.optional(v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{2})+$/u)))
})

export type Secret = v.InferOutput<typeof SecretSchema>

/**
 * The default file for the secret of a name. In the data directory: a working directory may be a checkout that others
 * see.
 */
export function secretFileOf(context: Context, name: string): string {
  return join(localPaths(context).commitments, `${name}.secret.json`)
}

/** The directory that {@link secretFileOf} names, 0700, and the data directory where there is none yet. */
function makeSecretDirectory(context: Context): void {
  const { root, commitments } = localPaths(context)
  for (const directory of [root, commitments]) if (!existsSync(directory)) makePrivateDirectory(directory)
}

export async function readSecret(file: string): Promise<Secret> {
  if (!existsSync(file))
    throw inputFailure(
      `the secret file ${file} is missing`,
      'Name it with --file, or the data directory of its commitment with --data-dir.'
    )
  let json: unknown
  try {
    json = JSON.parse(await readText(file, Readable.from([])))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw inputFailure(`${file} is not JSON: ${jsonFault(error)}`)
  }
  const result = v.safeParse(SecretSchema, json)
  if (result.success) return result.output
  throw inputFailure(`${file} is not a secret file of chronym commit: ${faultOf(result.issues)}`)
}

/** Durable, mode 0600. */
export function writeSecret(file: string, secret: Secret): void {
  try {
    writePrivateFile(file, `${JSON.stringify(secret, undefined, 2)}\n`)
  } catch (error) {
    throw inputFailure(`${file} can't be written: ${messageOf(error)}`, undefined, error)
  }
}

/** An earlier secret is worth a name: only `--force` overwrites it. */
function refuseExisting(file: string): void {
  if (!existsSync(file)) return
  throw inputFailure(
    `${file} exists: it is the only key to an earlier commitment`,
    'Finish it with chronym reveal, name another file with --file, or overwrite it with --force.'
  )
}
