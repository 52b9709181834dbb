import { renewalIterations, type Name } from '../../protocol/name/names.ts'
import { linksOf } from '../../protocol/claim/reveal.ts'
import type { ClaimTasks } from '../tasks.ts'
import type { TaskView } from '../../views/task.ts'
import { AwakeTime } from './awake-time.ts'
import { type RegistryContext, leaseOf } from '../context.ts'
import { type MeasuredRate, queueSeconds } from '../claims/estimate.ts'
import { OTHER_DAEMON_WARNED_MS } from '../ownership/newer-records.ts'
import type { OwnedName } from '../stored/owned-names.ts'
import { renew } from '../claims/registration.ts'
import { canBeRenewed, renewalOutlook, type Outlook, dueRounds } from './renewal-outlook.ts'
import type { RegistryEvent } from '../use-cases.ts'
import { RepeatedLook } from '../../time/repeated-look.ts'
import type { NameWarning, NameWarningCode } from '../../views/own.ts'

/** Leases last days at least, and minutes only in tests. */
const LOOK_EVERY_MS = 30_000
/**
 * The next look does not repeat a renewal that failed or was cancelled. Where leases are short the wait is shorter: a
 * tenth of the lead.
 */
const AFTER_FAILURE_MS = 60 * 60 * 1000
const AFTER_FAILURE_SHARE = 1 / 10
/** Between looks further apart, the machine slept or its clock was set. */
const LONGEST_GAP_MS = 2 * LOOK_EVERY_MS
/**
 * The lead is three times what a renewal takes, and at least a tenth of the lease. A rough rate is enough, and
 * measuring takes a thread.
 */
const RATE_KEPT_MS = 60 * 60 * 1000

interface AutomaticRenewalOptions {
  readonly isOn: () => boolean
  readonly slots: () => number
  readonly emit: (event: RegistryEvent) => void
}

/**
 * Renews every name of this daemon before its lease ends (docs/protocol/rules.md, 9), and warns of every obstacle:
 * while it runs no name lapses silently.
 */
export class AutomaticRenewal {
  readonly #context: RegistryContext
  readonly #tasks: ClaimTasks
  readonly #rate: MeasuredRate
  readonly #isOn: () => boolean
  readonly #slots: () => number
  readonly #warnings: NameWarnings
  readonly #awake: AwakeTime
  readonly #obstacles = new Map<string, string>()
  #squaringsPerSecond: number | undefined
  readonly #looks = new RepeatedLook(() => this.#look())

  constructor(
    context: RegistryContext,
    tasks: ClaimTasks,
    rate: MeasuredRate,
    { isOn, slots, emit }: AutomaticRenewalOptions
  ) {
    this.#context = context
    this.#tasks = tasks
    this.#rate = rate
    this.#isOn = isOn
    this.#slots = slots
    this.#warnings = new NameWarnings(context, emit)
    this.#awake = new AwakeTime(context.store, context.clock, LONGEST_GAP_MS)
  }

  start(): void {
    this.#looks.start(this.#context.clock, LOOK_EVERY_MS)
  }

  async stop(): Promise<void> {
    await this.#looks.stop()
    this.#note(() => this.#awake.save())
  }

  outlooks(records: readonly OwnedName[]): Outlook[] {
    const { profile } = this.#context
    const tasks = this.#tasks.list()
    const newest = new Map<string, TaskView>()
    for (const task of tasks) if (task.kind === 'renew') newest.set(task.name, task)
    const awakeShare = this.#awake.share()
    const nowMs = this.#context.clock.now()
    const names = records.map(({ name, reveal, ownership, foreign, released, sold }) => {
      const known = {
        name,
        profile,
        ownership,
        sold,
        links: linksOf(reveal).length,
        lease: leaseOf(this.#context, reveal.drand_pulse),
        task: newest.get(name),
        foreignSerial:
          foreign !== undefined && Math.abs(nowMs - foreign.seenMs) < OTHER_DAEMON_WARNED_MS
            ? foreign.serial
            : undefined,
        isReleased: released === true
      }
      return { ...known, rounds: canBeRenewed(known) ? this.#roundsOf(name, awakeShare) : 0 }
    })
    const due = dueRounds(names, this.#slots(), profile)
    return names.map((name, index) =>
      renewalOutlook({
        ...name,
        nowRound: this.#context.time().now,
        dueRound: due[index]!,
        taskSeconds: name.task?.status === 'running' ? this.#secondsUntilProof(name.task, tasks) / awakeShare : 0,
        isAutomatic: this.#isOn(),
        obstacle: this.#obstacles.get(name.name)
      })
    )
  }

  /**
   * Until a running task has its proof, after those before it, while the machine is awake. 0 while the rate is unknown.
   */
  #secondsUntilProof(task: TaskView, all: readonly TaskView[]): number {
    const perSecond = this.#squaringsPerSecond ?? Infinity
    const secondsLeft = ({ eta_seconds: eta, iterations, progress }: TaskView): number =>
      eta ?? (iterations - progress) / perSecond
    const { queue_position: position } = task
    if (position === null) return secondsLeft(task)
    const before = all.filter((other) => other.queue_position === null || other.queue_position < position)
    return queueSeconds(before, this.#slots(), secondsLeft) + secondsLeft(task)
  }

  #roundsOf(name: Name, awakeShare: number): number {
    const { profile } = this.#context
    return this.#squaringsPerSecond === undefined
      ? 0
      : Math.ceil(renewalIterations(name, profile) / this.#squaringsPerSecond / awakeShare / profile.beacon.period)
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    try {
      this.#note(() => this.#awake.look())
      // One task must not begin only to yield its slot to the next.
      const records = this.#context.owned
        .list()
        .toSorted((left, right) => left.reveal.drand_pulse - right.reveal.drand_pulse)
      if (records.length > 0) await this.#measure()
      for (const [index, outlook] of this.outlooks(records).entries())
        await this.#renewWhenDue(records[index]!.name, outlook)
      const owned = this.#context.owned.list()
      this.#warnings.tell(new Map(this.outlooks(owned).map(({ warnings }, index) => [owned[index]!.name, warnings])))
    } catch (error) {
      this.#context.log.warn(
        { err: error },
        'the leases of this daemon could not be checked; the next look tries again'
      )
    }
  }

  /** A full disk is no reason to let a name lapse. */
  #note(note: () => void): void {
    try {
      note()
    } catch (error) {
      this.#context.log.warn(
        { err: error },
        'the awake time of this machine could not be saved; the next look tries again'
      )
    }
  }

  async #measure(): Promise<void> {
    try {
      this.#squaringsPerSecond = await this.#rate.get(RATE_KEPT_MS)
    } catch (error) {
      // A tenth of the lease is enough for any but the slowest machines.
      this.#context.log.warn({ err: error }, 'the squaring rate of this machine could not be measured')
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
      .of(name)
      .some(
        ({ kind, status, updated_at }) =>
          kind === 'renew' && status === 'failed' && Math.abs(clock.now() - Date.parse(updated_at)) < waitMs
      )
  }
}

const SAY_AGAIN_MS = 24 * 60 * 60 * 1000
/** Logged when they appear, with more detail (ownership-check.ts). */
const TOLD_ELSEWHERE: ReadonlySet<NameWarningCode> = new Set(['contested', 'lost', 'changed', 'sold'])

/**
 * Tells what owners of names should know. The log has it when it appears and once a day; the event stream when it
 * appears and ends.
 */
class NameWarnings {
  readonly #context: RegistryContext
  readonly #emit: (event: RegistryEvent) => void
  readonly #said = new Map<string, { readonly name: string; readonly code: NameWarningCode; readonly atMs: number }>()

  constructor(context: RegistryContext, emit: (event: RegistryEvent) => void) {
    this.#context = context
    this.#emit = emit
  }

  /** `current`: by name, all that holds now. */
  tell(current: ReadonlyMap<string, readonly NameWarning[]>): void {
    const { log, clock } = this.#context
    const present = new Set<string>()
    for (const [name, warnings] of current) {
      for (const { code, message } of warnings) {
        if (TOLD_ELSEWHERE.has(code)) continue
        const key = `${name} ${code}`
        present.add(key)
        const said = this.#said.get(key)
        if (said !== undefined && Math.abs(clock.now() - said.atMs) < SAY_AGAIN_MS) continue
        this.#said.set(key, { name, code, atMs: clock.now() })
        log.warn({ name, warning: code }, `${name}: ${message}`)
        if (said === undefined) this.#emit({ type: 'name:warning', detail: { name, warning: code, message } })
      }
    }
    for (const [key, { name, code }] of this.#said) {
      if (present.has(key)) continue
      this.#said.delete(key)
      log.info({ name, warning: code }, 'a warning about this name no longer holds')
      this.#emit({ type: 'name:warning-over', detail: { name, warning: code } })
    }
  }
}
