/** Starts many registrations and waits for them. It keeps nothing: what the daemon has says what is left. */
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, ProblemError, UnreachableError } from '../../api/client/client.ts'
import type { TaskView } from '../../views/task.ts'
import { Backoff } from '../../util/backoff.ts'
import { count, plural } from '../../util/words.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode, Failure } from '../failures/failure.ts'
import { isCancelled } from '../task/task.ts'
import { printable } from '../terminal/format.ts'

/** Between looks at the tasks: a list of many takes the daemon longer. */
const LOOK_MS = { least: 1000, eachTask: 5 }
/** A daemon that does not answer is asked for some twenty seconds, as for the events of one task. */
const RETRY_MS = { first: 250, last: 5000 }
const MOST_RETRIES = 8
/** Where a refusal for now does not say how long it holds. */
const LATER_S = 5

/** Refusals that end by themselves, or once the owner has unlocked the seed. */
const FOR_NOW: ReadonlySet<number> = new Set([423, 429, 502, 503, 504])

interface Unregistered {
  readonly name: string
  readonly iterations: number
}

export interface BatchNames {
  /** Names of the file, with those that are registered already. */
  readonly total: number
  /** In the order of the file. */
  readonly waiting: readonly Unregistered[]
  readonly working: readonly (Unregistered & { readonly id: string })[]
}

export class Batch {
  readonly #context: Context
  readonly #client: Client
  /** `vdf.queue` */
  readonly #queue: number
  readonly #painter
  /** In the order of the file. */
  readonly #waiting: Unregistered[]
  /** By the ids of their tasks. */
  readonly #working: Map<string, Unregistered>
  readonly #counts = { names: 0, before: 0, registered: 0, taken: 0, failed: 0 }
  readonly #squarings = { all: 0, done: 0 }
  /** Registrations that wait for a slot, of others too. */
  #queued = 0
  #lookAtMs = 0
  #orderAtMs = 0
  #hindrance: string | undefined
  #shown = ''

  constructor(context: Context, client: Client, { total, waiting, working }: BatchNames, queue: number) {
    this.#context = context
    this.#client = client
    this.#queue = queue
    this.#painter = context.output.painter()
    this.#waiting = [...waiting]
    this.#working = new Map(working.map(({ id, ...wanted }) => [id, wanted]))
    this.#counts.names = total
    this.#counts.before = total - waiting.length - working.length
    this.#squarings.all = [...waiting, ...working].reduce((sum, { iterations }) => sum + iterations, 0)
  }

  /**
   * Without `wait` it ends once the daemon takes no more. Exit code 0: all names are registered, or at least in work
   * without `wait`; 1: some never will be; 7: some wait for a place.
   */
  async run(wait: boolean): Promise<ExitCode> {
    this.#context.output.hintAtJson()
    try {
      return await this.#run(wait)
    } catch (error) {
      if (!this.#context.signal.aborted) throw error
      this.#painter.clear()
      this.#context.output.note(this.#leftText())
      return EXIT.interrupted
    } finally {
      this.#painter.clear()
    }
  }

  async #run(wait: boolean): Promise<ExitCode> {
    const { signal } = this.#context
    for (;;) {
      if (performance.now() >= this.#lookAtMs) await this.#look()
      const [next] = this.#waiting
      if (next !== undefined && this.#hasRoom()) await this.#order(next)
      else if (!wait || (next === undefined && this.#working.size === 0)) return this.#end(wait)
      else await delay(Math.max(1, this.#lookAtMs - performance.now()), undefined, { signal })
    }
  }

  /** One place of the queue is left to others, who would be refused otherwise for as long as this runs. */
  #hasRoom(): boolean {
    if (performance.now() < this.#orderAtMs) return false
    return this.#queued < Math.max(1, this.#queue - 1)
  }

  async #look(): Promise<void> {
    const tasks = await this.#asked(() => this.#client.tasks({ signal: this.#context.signal }))
    this.#queued = tasks.filter(
      ({ kind, status, phase }) => kind === 'register' && status === 'running' && phase === 'queued'
    ).length
    this.#lookAtMs = performance.now() + LOOK_MS.least + LOOK_MS.eachTask * tasks.length
    const byId = new Map(tasks.map((task) => [task.task_id, task]))
    for (const [id, wanted] of this.#working) {
      const task = byId.get(id)
      if (task?.status === 'running') continue
      this.#working.delete(id)
      this.#squarings.done += wanted.iterations
      if (task?.status === 'completed') this.#completed(wanted.name, task)
      else if (task !== undefined) this.#failed(wanted.name, task)
      // Somebody took the ended task off the list.
      else if (await this.#isOurs(wanted.name)) this.#completed(wanted.name)
      else this.#unregistered('failed', wanted.name, 'CLI-TSK-001', 'its task was taken off the list')
    }
    this.#show(byId)
  }

  async #order(wanted: Unregistered): Promise<void> {
    const { name } = wanted
    const { signal } = this.#context
    try {
      const { task_id: id } = await this.#asked(() => this.#client.register(name, { signal }))
      this.#ordered(wanted, id)
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      if (FOR_NOW.has(error.status)) this.#later(error)
      else if (error.code === 'SVC-REG-002') this.#ordered(wanted, String(error.problem['task_id']))
      else if (error.code === 'SVC-REG-001') await this.#held(wanted, error)
      else throw error
    }
  }

  #ordered(wanted: Unregistered, id: string): void {
    this.#waiting.shift()
    this.#working.set(id, wanted)
    this.#hindrance = undefined
    // The next look tells whether it waits.
    this.#queued++
    this.#tell('started', { name: wanted.name, task_id: id })
  }

  async #held({ name, iterations }: Unregistered, { problem, detail }: ProblemError): Promise<void> {
    this.#waiting.shift()
    this.#squarings.done += iterations
    if (problem['taken_up'] === true || (await this.#isOurs(name))) this.#completed(name)
    else this.#unregistered('taken', name, 'SVC-REG-001', detail)
  }

  #later({ detail, code, retryAfter = LATER_S }: ProblemError): void {
    this.#orderAtMs = performance.now() + retryAfter * 1000
    // A full queue is no news.
    if (code === 'SVC-TSK-002' || detail === this.#hindrance) return
    this.#hindrance = detail
    this.#tell('waiting', { code, message: detail }, `• waiting: ${printable(detail)}`, true)
  }

  #completed(name: string, task?: TaskView): void {
    this.#counts.registered++
    const { names, before, registered } = this.#counts
    this.#tell(
      'completed',
      { name, ...task },
      `${printable(name)} is registered (${count(before + registered)} of ${count(names)})`
    )
  }

  #failed(name: string, task: TaskView): void {
    const { code = 'CLI-TSK-001', message = 'no reason given' } = task.error ?? {}
    this.#unregistered('failed', name, code, isCancelled(task) ? 'it was cancelled' : message)
  }

  #unregistered(event: 'failed' | 'taken', name: string, code: string, message: string): void {
    this.#counts[event]++
    this.#tell(event, { name, code, message }, `${printable(name)} is not registered (${code}): ${printable(message)}`)
  }

  /** One line of JSON for programs, of text for people. */
  #tell(event: string, detail: object, text?: string, isRemark = false): void {
    const { output } = this.#context
    this.#painter.clear()
    if (output.json) output.jsonLine({ event, ...detail })
    else if (isRemark) output.note(text ?? '')
    else if (text !== undefined) output.line(text)
  }

  #show(byId: ReadonlyMap<string, TaskView>): void {
    const tasks = [...this.#working.keys()].flatMap((id) => byId.get(id) ?? [])
    const done = this.#squarings.done + tasks.reduce((sum, { progress }) => sum + progress, 0)
    const perSecond = tasks.reduce((sum, { iterations_per_second: rate }) => sum + (rate ?? 0), 0)
    const { names, before, registered } = this.#counts
    if (this.#context.output.json) {
      const line = {
        ...this.#state(),
        progress: done,
        iterations: this.#squarings.all,
        iterations_per_second: perSecond
      }
      const text = JSON.stringify(line)
      if (text !== this.#shown) this.#tell('progress', line)
      this.#shown = text
    } else if (this.#context.output.live)
      this.#painter.show({
        label: `${count(before + registered)} of ${count(names)} names`,
        done,
        total: this.#squarings.all,
        ...(perSecond > 0 && { perSecond, etaSeconds: (this.#squarings.all - done) / perSecond })
      })
  }

  #state(): Record<'names' | 'before' | 'registered' | 'taken' | 'failed' | 'working' | 'left', number> {
    return { ...this.#counts, working: this.#working.size, left: this.#waiting.length }
  }

  #end(wait: boolean): ExitCode {
    this.#painter.clear()
    const counts = this.#state()
    const parts = [
      `${count(counts.registered)} registered now`,
      `${count(counts.before)} before`,
      ...(counts.taken > 0 ? [`${count(counts.taken)} taken by others`] : []),
      ...(counts.failed > 0 ? [`${count(counts.failed)} failed`] : []),
      ...(counts.working > 0 ? [`${count(counts.working)} in work`] : []),
      ...(counts.left > 0 ? [`${count(counts.left)} not begun`] : [])
    ]
    this.#tell('ended', counts, `${plural(counts.names, 'name')}: ${parts.join(', ')}`)
    if (!wait && counts.working + counts.left > 0) this.#context.output.note(this.#leftText())
    return counts.taken + counts.failed > 0 ? EXIT.negative : counts.left > 0 ? EXIT.unavailable : EXIT.ok
  }

  #leftText(): string {
    const left = this.#waiting.length
    return (
      `• the daemon goes on with ${plural(this.#working.size, 'task')}: chronym tasks --watch` +
      (left === 0 ? '' : `\n  ${plural(left, 'name')} not begun: run the same command again`)
    )
  }

  async #isOurs(name: string): Promise<boolean> {
    const { kind } = await this.#asked(() => this.#client.estimate(name, { signal: this.#context.signal }))
    return kind === 'renew'
  }

  /** Asks again where the daemon does not answer: it may be restarting. */
  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    const pauses = new Backoff(RETRY_MS.first, RETRY_MS.last)
    for (let attempt = 0; ; attempt++) {
      try {
        return await ask()
      } catch (error) {
        if (!(error instanceof UnreachableError) || this.#context.signal.aborted) throw error
        this.#painter.clear()
        if (attempt === 0) this.#context.output.note('• the daemon does not answer; trying again. Nothing is lost')
        if (attempt === MOST_RETRIES) throw gone(error)
        await delay(pauses.next(), undefined, { signal: this.#context.signal })
      }
    }
  }
}

function gone(error: UnreachableError): Failure {
  return new Failure('CLI-NET-001', error.message, {
    exitCode: EXIT.unreachable,
    cure: 'Start the daemon again, which resumes its tasks. Then run the same command again: it goes on with the rest.',
    cause: error
  })
}
