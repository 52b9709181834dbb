/** Locking and unlocking the seed of a running daemon, and what waits for it. */
import { doubled } from '../util/backoff.ts'
import type { SeedService, SeedView } from '../api/services.ts'
import { unsealApart, type UnsealRequest } from '../backup/sealed-seed.ts'
import { ServiceError } from '../errors.ts'
import type { DataPaths } from '../data-directory/paths.ts'
import type { Registry } from '../registry/use-cases.ts'
import { readSealedSeed, seedForm } from '../data-directory/seed-files.ts'
import type { SeedHolder } from '../registry/seed-holder.ts'
import { isSeedSafe } from '../data-directory/seed-safety.ts'
import type { TaskManager } from '../registry/tasks.ts'
import { collectGarbage } from '../util/collect-garbage.ts'

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
  readonly registry: Pick<Registry, 'wanted'>
  readonly unseal?: (request: UnsealRequest) => Promise<Uint8Array>
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
              .wanted()
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
        const seed = await unseal({ text, passphrase, path: paths.sealedSeed })
        try {
          admit(seed)
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
