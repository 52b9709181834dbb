/** One evaluation at a worker: from what was saved last to the proof, or until it is told to stop. */
import type { JsMsg } from '@nats-io/jetstream'
import type { Checkpoint, Evaluation, EvaluationHandle, EvaluationOutcome, NativePool } from '../native/types.ts'
import { type Link, mayNotHear } from './link.ts'
import { encodeReport, type JobTerms, type Report } from './messages.ts'
import {
  DamagedState,
  Overtaken,
  readProof,
  readRecords,
  readState,
  requireFitting,
  type SavedState,
  saveProof,
  StateWriter,
  sweep
} from './saved-state.ts'

/** What a worker gives back may be taken by another at once, but not by itself in a circle. */
const GIVE_BACK_MS = 3000
const RETRY_MS = 1000

export interface WorkerLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

interface WorkerTaskParts {
  readonly link: Link
  readonly pool: Pick<NativePool, 'evaluate'>
  readonly name: string
  readonly log: WorkerLog
  readonly job: string
  readonly evaluation: Evaluation
  readonly terms: JobTerms
  readonly message: JsMsg
}

/**
 * `drain`: the worker ends, and another goes on. `hand-in`: the daemon wants what was reached, and no more. `discard`:
 * nobody wants it, or another has it.
 */
type Stop = 'drain' | 'hand-in' | 'discard'

export class WorkerTask {
  readonly #parts: WorkerTaskParts
  #handle: EvaluationHandle | undefined
  #writer: StateWriter | undefined
  #stopped: Stop | undefined
  #saved = 0
  #waiting: Checkpoint[] = []
  #saving: Promise<void> | undefined
  /** For a server that is away. */
  #waitsUntilMs = Infinity
  #wake: () => void = () => undefined

  constructor(parts: WorkerTaskParts) {
    this.#parts = parts
  }

  get job(): string {
    return this.#parts.job
  }

  squaringsPerSecond(): number {
    return this.#handle?.progress().squaringsPerSecond ?? 0
  }

  stop(how: Stop): void {
    if (this.#stopped !== 'discard') this.#stopped = how
    // Service managers end it after 30 seconds (docs/operate).
    if (how === 'drain' && this.#waitsUntilMs === Infinity)
      this.#waitsUntilMs = performance.now() + this.#parts.link.times.silentMs / 2
    this.#handle?.stop()
  }

  /** Ends with the message acknowledged or given back. Rejects where the server fails before it has begun. */
  async run(): Promise<void> {
    const { link, job, message, log, name, evaluation } = this.#parts
    const stops = link.connection.subscribe(link.names.stop(job), {
      callback: (error, order) => {
        if (error === null) this.stop(order.string() === 'hand-in' ? 'hand-in' : 'discard')
        else log.warn({ job, err: error }, mayNotHear('the worker', 'when to stop', link.names.stop(job)))
      }
    })
    const reports = setInterval(() => {
      message.working()
      void this.#report()
    }, link.times.reportMs)
    try {
      await this.#report()
      const base = await readState(link, job)
      // It was taken back between the message and this, or is proved.
      if (base === undefined || (await readProof(link, job)) !== undefined) {
        message.ack()
        return
      }
      log.info({ job, worker: name, squarings: base.squarings, iterations: evaluation.iterations }, 'begins')
      await this.#end(await this.#evaluate(base))
      if (this.#stopped === 'discard') await sweep(link, job).catch(() => link.doubt())
    } catch (error) {
      if (error instanceof DamagedState) await this.#report('fault', error.message)
      message.nak(GIVE_BACK_MS)
      throw error
    } finally {
      clearInterval(reports)
      stops.unsubscribe()
    }
  }

  async #evaluate(base: SavedState): Promise<EvaluationOutcome> {
    const { link, job, name, pool, evaluation, terms } = this.#parts
    const { state, squarings } = base
    requireFitting(base, evaluation, terms)
    const isFresh = state.length === 0
    const records = isFresh ? new Uint8Array(0) : (await readRecords(link, job, base)).records
    this.#writer = new StateWriter(link, job, name, base)
    this.#saved = squarings
    if (this.#stopped !== undefined) return { kind: 'stopped' }
    const resume = isFresh ? {} : { resume: { state, intermediates: records } }
    this.#handle = pool.evaluate(evaluation, { ...terms, ...resume }, (checkpoint) => this.#keep(checkpoint))
    return this.#handle.outcome
  }

  async #end(outcome: EvaluationOutcome): Promise<void> {
    const { message, log, job, name } = this.#parts
    if (outcome.kind !== 'stopped' || this.#stopped !== 'drain') this.#waitsUntilMs = -Infinity
    // Nobody goes on from a state once there is the proof, or a fault.
    if (outcome.kind !== 'stopped') this.#waiting = []
    this.#wake()
    if (outcome.kind === 'proof') {
      await this.#handOver(outcome.proof)
      return
    }
    if (outcome.kind === 'failed') {
      log.warn({ job, worker: name, code: outcome.code, reason: outcome.message }, 'the kernel refused')
      await this.#report('fault', `${outcome.code}: ${outcome.message}`.slice(0, 200))
      message.nak(GIVE_BACK_MS)
      return
    }
    // Its last checkpoint came before the outcome.
    while (this.#saving !== undefined) await this.#saving
    log.info({ job, worker: name, squarings: this.#saved }, 'stopped')
    // A discarded one is another's, or nobody's.
    if (this.#stopped !== 'discard') await this.#report('left')
    // Otherwise the message is gone soon, or another's, whose lease this would end.
    if (this.#stopped === 'drain') message.nak()
  }

  /** For as long as it takes: a proof may be days of work. */
  async #handOver(proof: Uint8Array): Promise<void> {
    const { link, job, name, message, log } = this.#parts
    while (this.#stopped !== 'discard') {
      try {
        await saveProof(link, job, { proof, worker: name })
        // If this is lost, the next one that gets the message finds the proof.
        message.ack()
        await this.#report('proved')
        log.info({ job, worker: name }, 'proved')
        return
      } catch (error) {
        log.warn({ job, err: error }, 'the proof could not be handed over; the worker tries again')
        link.doubt()
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  #keep(checkpoint: Checkpoint): void {
    this.#waiting.push(checkpoint)
    this.#wake()
    this.#saving ??= this.#save().finally(() => (this.#saving = undefined))
  }

  /**
   * All that wait, the newest state alone. What could not be saved is saved with the next, or before, once the server is
   * there again: else a worker that is killed meanwhile would lose the time until the next as well.
   */
  async #save(): Promise<void> {
    const { link, job, log } = this.#parts
    let pauseMs = 0
    while (this.#waiting.length > 0 && this.#stopped !== 'discard') {
      const batch = this.#waiting
      this.#waiting = []
      try {
        await this.#writer!.save(batch)
        this.#saved = batch.at(-1)!.squarings
        pauseMs = 0
        void this.#report()
      } catch (error) {
        if (pauseMs === 0) log.warn({ job, err: error }, 'a checkpoint could not be saved')
        if (error instanceof Overtaken) this.stop('discard')
        else this.#waiting = [...batch, ...this.#waiting]
        const leftMs = this.#waitsUntilMs - performance.now()
        if (leftMs <= 0 || (this.#stopped !== undefined && this.#stopped !== 'drain')) return
        // A server that refuses is not asked every second.
        pauseMs = link.connected ? 2 * pauseMs + RETRY_MS : RETRY_MS
        await this.#rest(Math.min(pauseMs, leftMs))
      }
    }
  }

  /** Until there is more to save, or the kernel ends. */
  async #rest(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.#wake = () => resolve(undefined)
    const timer = setTimeout(this.#wake, milliseconds)
    await promise
    clearTimeout(timer)
  }

  /** A daemon that is away does not answer; the work goes on. */
  async #report(event?: Report['event'], message?: string): Promise<void> {
    const { link, job, name: worker, evaluation } = this.#parts
    if (!link.connected) return
    const { phase, squarings, phaseProgress, remaining, squaringsPerSecond } = this.#handle?.progress() ?? {
      phase: 'squaring',
      squarings: this.#saved,
      phaseProgress: 0,
      remaining: evaluation.iterations - this.#saved,
      squaringsPerSecond: 0
    }
    const report = {
      ...{ worker, phase, squarings, phaseProgress, remaining, squaringsPerSecond, saved: this.#saved },
      ...(event !== undefined && { event }),
      ...(message !== undefined && { message })
    }
    try {
      const answer = await link.connection.request(link.names.at(job), encodeReport(report), {
        timeout: link.times.reportMs
      })
      if (answer.string() === 'stop') this.stop('discard')
    } catch {
      // Nobody asks for it now.
    }
  }
}
