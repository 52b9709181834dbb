/** Locking and unlocking the seed of a running daemon, and what waits for it. */
import type { SeedBody } from '../api/schemas/daemon.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { doubled } from '../util/backoff.ts'
import type { SeedService } from '../api/services.ts'
import { type OpenedSeed, unsealApart, type UnsealRequest } from '../backup/sealed-seed.ts'
import { ServiceError } from '../errors.ts'
import type { DataPaths } from '../data-directory/paths.ts'
import type { Registry } from '../registry/use-cases.ts'
import { readSealedSeed, replaceSealedSeed, seedForm } from '../data-directory/seed-files.ts'
import type { SeedHolder } from '../registry/seed-holder.ts'
import { isSeedSafe } from '../data-directory/seed-safety.ts'
import type { TaskManager } from '../registry/tasks.ts'
import { readSecretLine, SecretFileError } from '../util/secret-input.ts'
import { collectGarbage } from './spare-memory.ts'

const FREE_TRIES = 3
/** The first wait, in seconds; each further one is twice as long, a minute at most. */
const FIRST_WAIT_SECONDS = 4
const LONGEST_WAIT_SECONDS = 60
/** scrypt takes about a second. */
const BUSY_RETRY_SECONDS = 2

interface SeedServiceOptions {
  readonly holder: SeedHolder
  readonly paths: DataPaths
  /** Throws SVC-KEY-002 where the seed is not that of the directory. */
  readonly admit: (seed: Uint8Array) => void
  readonly tasks: Pick<TaskManager, 'list'>
  readonly registry: Pick<Registry, 'adoptions'>
  readonly unseal?: (request: UnsealRequest) => Promise<OpenedSeed>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly info: (message: string) => void
  readonly warn: (message: string) => void
}

export function createSeedService({
  holder,
  paths,
  admit,
  tasks,
  registry,
  unseal = unsealApart,
  now,
  info,
  warn
}: SeedServiceOptions): SeedService {
  let isBusy = false
  let wrong = 0
  let wrongAtMs = 0

  /** One guess at a time: each costs 256 MiB, and many at once would exhaust memory. Throws SVC-REQ-005. */
  function requireTurn(): void {
    if (isBusy)
      throw new ServiceError('SVC-REQ-005', 'Another passphrase is being tried just now.', {
        retryAfter: BUSY_RETRY_SECONDS
      })
    if (wrong < FREE_TRIES) return
    const waitMs = 1000 * doubled(FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS, wrong - FREE_TRIES)
    const leftMs = waitMs - Math.abs(now() - wrongAtMs)
    if (leftMs > 0)
      throw new ServiceError('SVC-REQ-005', `${wrong} passphrases in a row were wrong.`, {
        retryAfter: Math.ceil(leftMs / 1000)
      })
  }

  function view(): SeedBody {
    return {
      state: holder.isLocked ? 'locked' : 'unlocked',
      sealed: seedForm(paths) === 'sealed',
      kept_elsewhere: isSeedSafe(paths),
      waiting: holder.isLocked
        ? [
            ...tasks
              .list()
              .flatMap(({ task_id, name, kind, stalled }) =>
                stalled?.code === 'SVC-KEY-006' ? [{ what: kind, name, task_id }] : []
              ),
            ...registry
              .adoptions()
              .flatMap(({ id, state }) =>
                state === 'adopted' ? [] : [{ what: 'adopt' as const, name: id, task_id: null }]
              )
          ]
        : []
    }
  }

  return {
    view,
    async unlock(passphrase) {
      if (!holder.isLocked) return view()
      requireTurn()
      isBusy = true
      try {
        const text = readSealedSeed(paths)
        if (text === undefined) throw new ServiceError('SVC-KEY-003', `${paths.sealedSeed} is missing now.`)
        const { seed, resealed } = await unseal({ text, passphrase, path: paths.sealedSeed })
        try {
          admit(seed)
          if (resealed !== undefined) replaceSealedSeed(paths, text, resealed)
        } catch (error) {
          seed.fill(0)
          throw error
        }
        holder.unlock(seed)
        wrong = 0
        info('the seed is unlocked')
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'SVC-KEY-007') {
          wrong++
          wrongAtMs = now()
          warn('a wrong passphrase was given for the seed')
        }
        throw error
      } finally {
        isBusy = false
      }
      return view()
    },
    lock() {
      if (seedForm(paths) !== 'sealed')
        throw new ServiceError('SVC-KEY-009', `The seed of ${paths.root} has no passphrase, so it cannot be locked.`)
      if (!holder.isLocked) {
        holder.lock()
        collectGarbage()
        info('the seed is locked')
      }
      return view()
    }
  }
}

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
  readonly unseal?: (request: UnsealRequest) => Promise<OpenedSeed>
  readonly warn: (message: string) => void
}

/** An opened seed, and the text that it was sealed in. */
interface SeedAtStart extends OpenedSeed {
  readonly text: string
}

/**
 * The seed of a sealed file: its passphrase comes from the file named, the systemd credential, or the
 * terminal. Undefined where there is no sealed seed, or the user starts locked.
 * Rejects with SVC-KEY-007 (wrong passphrase; on the terminal after three tries), SVC-KEY-008 (no passphrase in the
 * file) and SVC-KEY-003.
 */
export async function seedAtStart(
  paths: DataPaths,
  { file, sources, unseal = unsealApart, warn }: SeedAtStartOptions
): Promise<SeedAtStart | undefined> {
  const text = seedForm(paths) === 'sealed' ? readSealedSeed(paths) : undefined
  if (text === undefined) {
    if (file !== '')
      warn('seed.passphrase_file is set, and the seed has no passphrase: `chronym key passphrase` gives it one')
    return undefined
  }
  const open = async (passphrase: Uint8Array): Promise<SeedAtStart> => {
    try {
      return { ...(await unseal({ text, passphrase, path: paths.sealedSeed })), text }
    } finally {
      passphrase.fill(0)
    }
  }
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
