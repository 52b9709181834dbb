/** What `commit` keeps for `reveal`. The salt reveals which name a commitment is for. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { makePrivateDirectory, writePrivateFile } from '../../data-directory/private-files.ts'
import type { Context } from '../context.ts'
import { Failure, inputFailure, messageOf } from '../failures/failure.ts'
import { jsonFault, readText } from '../input/files.ts'
import { localPaths } from '../connection/location.ts'
import { EXIT } from '../failures/exit-codes.ts'
import { Readable } from 'node:stream'

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
export function makeSecretDirectory(context: Context): void {
  const { root, commitments } = localPaths(context)
  for (const directory of [root, commitments]) if (!existsSync(directory)) makePrivateDirectory(directory)
}

export async function readSecret(file: string): Promise<Secret> {
  if (!existsSync(file))
    throw new Failure('CLI-INP-001', `there is no secret file ${file}`, {
      exitCode: EXIT.usage,
      cure: 'Name it with --file, or the data directory of its commitment with --data-dir.'
    })
  let json: unknown
  try {
    json = JSON.parse(await readText(file, Readable.from([])))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw inputFailure(`${file} is not JSON: ${jsonFault(error)}`)
  }
  const result = v.safeParse(SecretSchema, json)
  if (result.success) return result.output
  throw inputFailure(
    `${file} is no secret file of chronym commit: ${v.getDotPath(result.issues[0]) ?? ''} ${result.issues[0].message}`
  )
}

/** Durable, mode 0600. */
export function writeSecret(file: string, secret: Secret): void {
  try {
    writePrivateFile(file, `${JSON.stringify(secret, undefined, 2)}\n`)
  } catch (error) {
    throw inputFailure(`${file} can't be written: ${messageOf(error)}`, error)
  }
}

/** An earlier secret is worth a name: only `--force` overwrites it. */
export function refuseExisting(file: string): void {
  if (!existsSync(file)) return
  throw new Failure('CLI-INP-001', `${file} exists: it is the only key to an earlier commitment`, {
    exitCode: EXIT.usage,
    cure: 'Finish it with chronym reveal, name another file with --file, or overwrite it with --force.'
  })
}
