/**
 * When the kept backup is written: soon after the owner's changes, rarely for what is only seen of others, and at least
 * once a day.
 */
import { prefixes } from '../../store/keys.ts'
import type { Clock } from '../../time/clock.ts'
import { Backoff } from '../../util/backoff.ts'
import type { KeepResult } from './kept-file.ts'
import { BACKED_UP_PREFIXES } from '../records.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
/** After the last change, so that a burst makes one file. */
export const QUIET_MS = 5 * SECOND
/** After the first change that is not in the file yet, while more keep coming. */
export const LATEST_MS = MINUTE
/** After what was seen of others: pins come with every look-up, and losing ten minutes of them loses no name. */
export const SEEN_MS = 10 * MINUTE
/** Finds a file that was deleted, moved or replaced by something else. */
export const CHECK_MS = 60 * MINUTE
/** A file older than this means trouble, so an unchanged one is written again. */
export const REFRESH_MS = 24 * 60 * MINUTE
const FIRST_RETRY_MS = MINUTE

/**
 * A kept backup leaves tasks out: their checkpoints are hundreds of MiB, and their journal is worth nothing without
 * them.
 */
const WATCHED = BACKED_UP_PREFIXES.filter((prefix) => prefix !== prefixes.tasks)
const SEEN: ReadonlySet<string> = new Set([
  prefixes.pins,
  prefixes.pinLooks,
  prefixes.pinEnds,
  prefixes.seenNames,
  prefixes.seenIdentities
])

type TimerName = 'quiet' | 'latest' | 'seen' | 'check' | 'retry'

interface KeeperOptions {
  /** Writes the file unless it is there with the same contents; always where forced. */
  readonly write: (isForced: boolean) => Promise<KeepResult>
  /** Whether the words are available now. Default: always. Otherwise changes wait until {@link BackupKeeper.resume}. */
  readonly isReady?: () => boolean
  readonly isThere: () => boolean
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  /** When an earlier run wrote the file, milliseconds since the epoch. */
  readonly writtenMs: number | undefined
  /** Called at the first failure in a row, at its end, and with records that are left out. */
  readonly onFailure: (error: unknown) => void
  readonly onRecovery: () => void
  readonly onLeftOut: (keys: readonly string[]) => void
}

export interface KeeperStatus {
  /** Milliseconds since the epoch; undefined before the first. */
  readonly writtenMs: number | undefined
  readonly isPending: boolean
  readonly failures: number
  /** `failing`: the last attempt failed. `missing`: nothing is at its place. `waiting`: for the seed. */
  readonly state: 'kept' | 'failing' | 'missing' | 'waiting'
  /** Short cause of the last failure, without paths: ENOSPC. */
  readonly reason: string | undefined
}

export class BackupKeeper {
  readonly #options: KeeperOptions
  readonly #timers = new Map<TimerName, AbortController>()
  #writtenMs: number | undefined
  #isPending = false
  #isStarted = false
  #running: Promise<void> | undefined
  #isDueAgain = false
  #failures = 0
  #failure: unknown
  readonly #retry = new Backoff(FIRST_RETRY_MS, CHECK_MS)
  #leftOut = ''

  constructor(options: KeeperOptions) {
    this.#options = options
    this.#writtenMs = options.writtenMs
  }

  /** Keys that were written or deleted; keys outside a backup change nothing. Never throws. */
  changed(keys: readonly string[]): void {
    const touched = keys.flatMap((key) => WATCHED.find((prefix) => key.startsWith(prefix)) ?? [])
    if (touched.length === 0) return
    this.#isPending = true
    if (!this.#isStarted) return
    this.#arm('seen', SEEN_MS)
    if (touched.every((prefix) => SEEN.has(prefix))) return
    this.#disarm('quiet')
    this.#arm('quiet', QUIET_MS)
    this.#arm('latest', LATEST_MS)
  }

  /** From now on it writes; at once where the file is missing or older than the last change. */
  start(): void {
    this.#isStarted = true
    this.#due()
  }

  /** The words are available again: writes what waited. */
  resume(): void {
    this.#due()
  }

  /** Writes what is pending, and ends. Never rejects. */
  async stop(): Promise<void> {
    if (!this.#isStarted) return
    this.#isStarted = false
    for (const name of [...this.#timers.keys()]) this.#disarm(name)
    this.#isDueAgain = false
    await this.#running
    if (this.#isPending) await this.#write()
  }

  status(): KeeperStatus {
    const code = (this.#failure as { code?: unknown } | undefined)?.code
    const isWaiting = this.#isPending && this.#options.isReady?.() === false
    const state = isWaiting
      ? 'waiting'
      : this.#failure !== undefined
        ? 'failing'
        : this.#writtenMs !== undefined && !this.#options.isThere()
          ? 'missing'
          : 'kept'
    return {
      writtenMs: this.#writtenMs,
      isPending: this.#isPending,
      failures: this.#failures,
      state,
      reason: this.#failure === undefined ? undefined : typeof code === 'string' ? code : 'see the log'
    }
  }

  #due(): void {
    if (!this.#isStarted) return
    if (this.#running !== undefined) {
      this.#isDueAgain = true
      return
    }
    this.#running = this.#write().then(() => {
      this.#running = undefined
      if (!this.#isDueAgain) return
      this.#isDueAgain = false
      this.#due()
    })
  }

  async #write(): Promise<void> {
    for (const name of [...this.#timers.keys()]) this.#disarm(name)
    if (this.#options.isReady?.() === false) {
      this.#isPending = true
      return
    }
    this.#isPending = false
    const { write, clock, onFailure, onRecovery } = this.#options
    try {
      const age = this.#writtenMs === undefined ? 0 : clock.now() - this.#writtenMs
      const { isWritten, leftOut } = await write(age >= REFRESH_MS || age < 0)
      if (isWritten) this.#writtenMs = clock.now()
      this.#tellLeftOut(leftOut)
      if (this.#failure !== undefined) onRecovery()
      this.#failure = undefined
      this.#retry.reset()
      if (this.#isStarted) this.#arm('check', CHECK_MS)
    } catch (error) {
      this.#isPending = true
      this.#failures++
      if (this.#failure === undefined) onFailure(error)
      this.#failure = error
      const waitMs = this.#retry.next()
      if (this.#isStarted) this.#arm('retry', waitMs)
    }
  }

  #tellLeftOut(keys: readonly string[]): void {
    const told = keys.join('\n')
    if (told !== this.#leftOut && keys.length > 0) this.#options.onLeftOut(keys)
    this.#leftOut = told
  }

  #arm(name: TimerName, milliseconds: number): void {
    if (this.#timers.has(name)) return
    const ended = new AbortController()
    this.#timers.set(name, ended)
    const fire = (): void => {
      this.#timers.delete(name)
      this.#due()
    }
    // It rejects only when it is disarmed.
    this.#options.clock.sleep(milliseconds, ended.signal).then(fire, () => undefined)
  }

  #disarm(name: TimerName): void {
    this.#timers.get(name)?.abort()
    this.#timers.delete(name)
  }
}
