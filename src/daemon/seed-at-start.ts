import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { unsealApart, type UnsealRequest } from '../backup/sealed-seed.ts'
import { ServiceError } from '../errors.ts'
import type { DataPaths } from '../data-directory/paths.ts'
import { readSecretLine, SecretFileError } from '../util/secret-input.ts'
import { readSealedSeed, seedForm } from '../data-directory/seed-files.ts'

/** The credential's name in a systemd unit: `LoadCredential=chronym-passphrase:/path`. */
export const CREDENTIAL = 'chronym-passphrase'

const TRIES_ON_TERMINAL = 3

export interface PassphraseSources {
  /** Standard input, for the file `-`. */
  readonly stdin: Readable
  /** `$CREDENTIALS_DIRECTORY`, where systemd puts credentials. */
  readonly credentials: string | undefined
  /** Asks on the terminal; an empty answer starts locked. Undefined where there is no terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined
}

interface SeedAtStartOptions {
  /** `seed.passphrase_file`; empty: none. */
  readonly file: string
  readonly sources: PassphraseSources
  readonly unseal?: (request: UnsealRequest) => Promise<Uint8Array>
  readonly warn: (message: string) => void
}

/**
 * The seed of a sealed file, 32 bytes: its passphrase comes from the file named, the systemd credential, or the
 * terminal. Undefined where there is no sealed seed, or the user starts locked.
 * Rejects with SVC-KEY-007 (wrong passphrase; on the terminal after three tries), SVC-KEY-008 (no passphrase in the
 * file) and SVC-KEY-003.
 */
export async function seedAtStart(
  paths: DataPaths,
  { file, sources, unseal = unsealApart, warn }: SeedAtStartOptions
): Promise<Uint8Array | undefined> {
  const text = seedForm(paths) === 'sealed' ? readSealedSeed(paths) : undefined
  if (text === undefined) {
    if (file !== '')
      warn('seed.passphrase_file is set, and the seed has no passphrase: `chronym key passphrase` gives it one')
    return undefined
  }
  const open = (passphrase: Uint8Array): Promise<Uint8Array> =>
    unseal({ text, passphrase, path: paths.sealedSeed }).finally(() => passphrase.fill(0))
  const named = file === '' ? credentialOf(sources) : file
  if (named !== undefined) return open(await lineOf(named, sources.stdin))
  if (sources.ask === undefined) return undefined
  for (let left = TRIES_ON_TERMINAL; ; left--) {
    const passphrase = await sources.ask('Passphrase of the seed (empty: start locked)')
    if (passphrase === '') return undefined
    try {
      return await open(new TextEncoder().encode(passphrase))
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'SVC-KEY-007') || left === 1) throw error
      warn(`that passphrase does not open the seed; ${left === 2 ? 'one more try' : `${left - 1} more tries`}`)
    }
  }
}

function credentialOf({ credentials }: PassphraseSources): string | undefined {
  if (credentials === undefined || credentials === '') return undefined
  const path = join(credentials, CREDENTIAL)
  return existsSync(path) ? path : undefined
}

async function lineOf(file: string, stdin: Readable): Promise<Uint8Array> {
  try {
    return await readSecretLine(file, stdin)
  } catch (error) {
    if (error instanceof SecretFileError) throw new ServiceError('SVC-KEY-008', `${error.message}.`, { cause: error })
    throw error
  }
}
