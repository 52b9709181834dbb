import { renewalIterations } from '../protocol/names.ts'
import { linksOf } from '../protocol/reveal.ts'
import type { TaskManager, TaskView } from '../tasks/types.ts'
import { AwakeTime } from './awake-time.ts'
import type { RegistryContext } from './context.ts'
import type { MeasuredRate } from './estimate.ts'
import { leaseOf } from './lease-times.ts'
import { NameWarnings } from './name-warnings.ts'
import type { OwnedRecord } from './owned-names.ts'
import { renew } from './registration.ts'
import { renewalOutlook, type Outlook } from './renewal-outlook.ts'
import type { RegistryEvent } from './types.ts'

/** Leases last days at least, and minutes only in tests. */
const LOOK_EVERY_MS = 30_000
/** A renewal that failed, or that somebody cancelled, is not begun again at the next look; where leases are short it is sooner, a tenth of the lead later. */
const AFTER_FAILURE_MS = 60 * 60 * 1000
const AFTER_FAILURE_SHARE = 1 / 10
/** Two looks that lie further apart have a sleep, or a clock that was set, between them. */
const LONGEST_GAP_MS = 2 * LOOK_EVERY_MS
/** The lead is three times what a renewal takes and a tenth of the lease at least: a rough rate is enough, and measuring it takes a thread. */
const RATE_KEPT_MS = 60 * 60 * 1000

export interface AutomaticRenewalOptions {
  /** `auto_renew`, read at each look. */
  readonly isOn: () => boolean
  readonly emit: (event: RegistryEvent) => void
}

/** Renews every name of this daemon before its lease ends (protocol.md, "Lease"), and warns of what stands against that: nothing lapses unsaid while it runs. */
export class AutomaticRenewal {
  readonly #context: RegistryContext
  readonly #tasks: TaskManager
  readonly #rate: MeasuredRate
  readonly #isOn: () => boolean
  readonly #warnings: NameWarnings
  readonly #awake: AwakeTime
  /** Why a renewal that was due could not be started. */
  readonly #obstacles = new Map<string, string>()
  #squaringsPerSecond: number | undefined
  #stop: (() => void) | undefined
  #looking: Promise<void> | undefined

  constructor(context: RegistryContext, tasks: TaskManager, rate: MeasuredRate, { isOn, emit }: AutomaticRenewalOptions) {
    this.#context = context
    this.#tasks = tasks
    this.#rate = rate
    this.#isOn = isOn
    this.#warnings = new NameWarnings(context, emit)
    this.#awake = new AwakeTime(context.store, context.clock, LONGEST_GAP_MS)
  }

  start(): void {
    this.#stop = this.#context.clock.every(LOOK_EVERY_MS, () => {
      this.#looking ??= this.#look().finally(() => (this.#looking = undefined))
    })
  }

  async stop(): Promise<void> {
    this.#stop?.()
    await this.#looking
    this.#note(() => this.#awake.save())
  }

  /** What becomes of each of these leases, now. */
  outlooks(records: readonly OwnedRecord[]): Outlook[] {
    const newest = new Map<string, TaskView>()
    for (const task of this.#tasks.list()) if (task.kind === 'renew') newest.set(task.name, task)
    return records.map((record) => this.#outlook(record, newest.get(record.name)))
  }

  #outlook({ name, reveal, standing }: OwnedRecord, task: TaskView | undefined): Outlook {
    const { profile } = this.#context
    const awakeShare = this.#awake.share()
    const seconds = this.#squaringsPerSecond === undefined ? 0 : renewalIterations(name, profile) / this.#squaringsPerSecond / awakeShare
    return renewalOutlook({
      name,
      profile,
      lease: leaseOf(this.#context, reveal.drand_pulse),
      nowRound: this.#context.time().now,
      renewalRounds: Math.ceil(seconds / profile.beacon.period),
      awakeShare,
      links: linksOf(reveal).length,
      standing,
      isAutomatic: this.#isOn(),
      task,
      obstacle: this.#obstacles.get(name)
    })
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    try {
      this.#note(() => this.#awake.look(!this.#tasks.list().some(({ queue_position: position }) => position !== null)))
      const records = this.#context.owned.list()
      if (records.length > 0) await this.#measure()
      for (const [index, outlook] of this.outlooks(records).entries()) await this.#renewWhenDue(records[index]!.name, outlook)
      const standing = this.#context.owned.list()
      this.#warnings.tell(new Map(this.outlooks(standing).map(({ warnings }, index) => [standing[index]!.name, warnings])))
    } catch (error) {
      this.#context.log.warn({ err: error }, 'the leases of this daemon could not be looked at; the next look tries again')
    }
  }

  /** A disk that is full is no reason to let a name lapse. */
  #note(note: () => void): void {
    try {
      note()
    } catch (error) {
      this.#context.log.warn({ err: error }, 'how much this machine is awake could not be written down; the next look tries again')
    }
  }

  async #measure(): Promise<void> {
    try {
      this.#squaringsPerSecond = await this.#rate.get(RATE_KEPT_MS)
    } catch (error) {
      // A tenth of the lease is enough for any but the slowest machines.
      this.#context.log.warn({ err: error }, 'how fast this machine squares could not be measured')
    }
  }

  async #renewWhenDue(name: string, { isDue, leadRounds }: Outlook): Promise<void> {
    if (!isDue) this.#obstacles.delete(name)
    if (!isDue || this.#hasJustFailed(name, leadRounds)) return
    try {
      await renew(this.#context, this.#tasks, name, {})
      this.#obstacles.delete(name)
      this.#context.log.info({ name }, 'the lease ends soon: renewing it')
    } catch (error) {
      this.#obstacles.set(name, error instanceof Error ? error.message : String(error))
    }
  }

  #hasJustFailed(name: string, leadRounds: number): boolean {
    const { clock, profile } = this.#context
    const waitMs = Math.min(AFTER_FAILURE_MS, leadRounds * profile.beacon.period * 1000 * AFTER_FAILURE_SHARE)
    return this.#tasks
      .list()
      .some((task) => task.name === name && task.kind === 'renew' && task.status === 'failed' && Math.abs(clock.now() - Date.parse(task.updated_at)) < waitMs)
  }
}
