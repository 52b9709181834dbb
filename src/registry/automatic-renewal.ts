import { renewalRound } from '../protocol/lease.ts'
import { renewalIterations } from '../protocol/names.ts'
import { linksOf } from '../protocol/reveal.ts'
import type { TaskManager } from '../tasks/types.ts'
import type { RegistryContext } from './context.ts'
import type { MeasuredRate } from './estimate.ts'
import { leaseOf, roundTime } from './lease-times.ts'
import type { OwnedRecord } from './owned-names.ts'
import { renew } from './registration.ts'

/** Leases last days at least, and minutes only in tests. */
const LOOK_EVERY_MS = 30_000
/** A renewal that failed, or that somebody cancelled, is not begun again at the next look. */
const AFTER_FAILURE_MS = 60 * 60 * 1000

/** Renews every name of this daemon before its lease ends (protocol.md, "Lease"): nothing lapses while it runs. */
export class AutomaticRenewal {
  readonly #context: RegistryContext
  readonly #tasks: TaskManager
  readonly #rate: MeasuredRate
  readonly #lapsesSaid = new Set<string>()
  #stop: (() => void) | undefined
  #looking: Promise<void> | undefined

  constructor(context: RegistryContext, tasks: TaskManager, rate: MeasuredRate) {
    this.#context = context
    this.#tasks = tasks
    this.#rate = rate
  }

  start(): void {
    this.#stop = this.#context.clock.every(LOOK_EVERY_MS, () => {
      this.#looking ??= this.#look().finally(() => (this.#looking = undefined))
    })
  }

  async stop(): Promise<void> {
    this.#stop?.()
    await this.#looking
  }

  async #look(): Promise<void> {
    for (const record of this.#context.owned.list()) {
      try {
        await this.#renewWhenDue(record)
      } catch (error) {
        this.#context.log.warn({ name: record.name, err: error }, 'the automatic renewal could not be started; the next look tries again')
      }
    }
  }

  async #renewWhenDue(record: OwnedRecord): Promise<void> {
    const { profile, log } = this.#context
    const { name, reveal } = record
    if (record.standing === 'lost') return
    const lease = leaseOf(this.#context, reveal.drand_pulse)
    if (lease.state === 'dead' || linksOf(reveal).length > profile.chain_max) { this.#sayLapse(record); return; }
    const due = renewalRound(reveal.drand_pulse, await this.#renewalRounds(record), profile)
    if (this.#context.time().now < due || this.#isAtWork(name)) return
    log.warn({ name, lease_end: roundTime(this.#context, lease.endRound), state: lease.state }, 'the lease ends soon: renewing it')
    await renew(this.#context, this.#tasks, name, {})
  }

  #isAtWork(name: string): boolean {
    const nowMs = this.#context.clock.now()
    const tasks = this.#tasks.list().filter((task) => task.name === name && task.kind === 'renew')
    return tasks.some(({ status, updated_at }) => status === 'running' || (status === 'failed' && Math.abs(nowMs - Date.parse(updated_at)) < AFTER_FAILURE_MS))
  }

  /** How long a renewal takes on this machine, in rounds. */
  async #renewalRounds({ name }: OwnedRecord): Promise<number> {
    const { profile } = this.#context
    const seconds = renewalIterations(name, profile) / (await this.#rate.get())
    return Math.ceil(seconds / profile.beacon.period)
  }

  #sayLapse({ name, reveal }: OwnedRecord): void {
    if (this.#lapsesSaid.has(name)) return
    this.#lapsesSaid.add(name)
    const { endRound } = leaseOf(this.#context, reveal.drand_pulse)
    this.#context.log.error({ name, lease_end: roundTime(this.#context, endRound) }, 'this name cannot be renewed any more; once it has lapsed it can be registered anew')
  }
}
