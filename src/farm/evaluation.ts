/** One evaluation on the farm, as its daemon sees it. */
import type { Subscription } from '@nats-io/transport-node'
import type { PlaceHandle, PlaceOutcome, PlaceProgress } from '../evaluations/places.ts'
import type { Checkpoint, Evaluation, EvaluationTerms, NativePool } from '../native/types.ts'
import type { Turns } from '../util/concurrency.ts'
import type { Intake } from './intake.ts'
import { type Link, mayNotHear } from './link.ts'
import { decodeReport, encodeJob, type JobTerms, type Report } from './messages.ts'
import {
  DamagedState,
  readProof,
  readRecords,
  readState,
  RECORD_BYTES,
  requireFitting,
  type SavedState,
  saveStart,
  withMemoryFor
} from './saved-state.ts'

/** A worker that is told to stop has that long to save what it has reached. */
const HAND_IN_MS = 4000
/** A farm whose idle workers leave it that often does not get it any more. */
const MAX_UNHEEDED = 3
/** How the report of a worker begins whose kernel found a squaring wrong. */
const KERNEL_FAULT = 'KERNEL_FAULT:'
/** A worker that was silent for that many of its reports may be gone. */
export const MISSED_REPORTS = 4

/** What it needs of the daemon's side of the farm. */
export interface Surroundings {
  readonly link: Link
  readonly pool: Pick<NativePool, 'verifyProof'>
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
  /** After a time without the server, or without the daemon, each may have `vdf.memory_mib` to fetch. */
  readonly reads: Turns
  readonly intake: Intake
  /** Whether the daemon ends: the farm goes on without it. */
  isLeaving(): boolean
  /** Whether any worker can be reached. */
  hasWorkers(): boolean
  /** Whether one of them has a thread free. */
  hasIdleWorkers(): boolean
  isBarred(worker: string): boolean
  /** The farm has nothing of it any more. */
  lost(job: string): void
  /** The server was of no use for long. */
  isOutOfOrder(): void
  /** A proof that does not verify, or a kernel that refused. */
  failed(job: string, worker: string, isProofWrong: boolean): void
  /** Its workers say that they are idle, and do not take it. */
  unheeded(job: string): void
  /** Takes the job back, now or once the server can be reached. */
  forget(job: string): void
  /** Rejects while what was taken back before is still there. */
  forgotten(job: string): Promise<void>
  readonly homeMs: number
  readonly lookMs: number
}

export class FarmEvaluation implements PlaceHandle {
  readonly outcome: Promise<PlaceOutcome>
  /** Resolves once its checkpoint, and what was fetched beyond it, has left memory. Never rejects. */
  readonly taken: Promise<void>
  readonly #at: Surroundings
  readonly #job: string
  readonly #evaluation: Evaluation
  readonly #terms: JobTerms
  #resume: EvaluationTerms['resume']
  readonly #onCheckpoint: (checkpoint: Checkpoint) => void
  #progress: PlaceProgress
  #heardMs = -Infinity
  /** When all that the farm has was here and a worker could be reached, but for the time that others had their turn. */
  #seenMs = performance.now()
  /** When it was sent, or a worker was heard of. */
  #movedMs = 0
  #stopping: 'no' | 'hand-in' | 'discard' | 'leave'
  /** How often it was sent again since a worker was heard of. */
  #unheeded = 0
  /** Its worker goes no further with it. */
  #hasLeft = false
  #fault: { readonly worker: string; readonly message: string } | undefined
  #isTold = false
  #wake: () => void = () => undefined
  /** Squarings and records of the newest state that this daemon has. */
  #squarings = 0
  #records: number
  #isSent = false
  #hasTaken!: () => void
  /** At the last look all that the farm has of it came here. */
  #isKnown = false
  /** At the last look the server answered otherwise than it should. */
  #isRefused = false

  constructor(
    at: Surroundings,
    job: string,
    evaluation: Evaluation,
    { resume, ...terms }: EvaluationTerms,
    onCheckpoint: (checkpoint: Checkpoint) => void
  ) {
    this.#at = at
    this.#job = job
    this.#stopping = at.isLeaving() ? 'leave' : 'no'
    this.#resume = resume
    this.#records = (resume?.intermediates.length ?? 0) / RECORD_BYTES
    this.#squarings = resume?.squarings ?? 0
    this.#evaluation = evaluation
    this.#terms = withMemoryFor(evaluation, terms, this.#squarings, this.#records)
    this.#onCheckpoint = onCheckpoint
    this.#progress = {
      phase: 'squaring',
      squarings: this.#squarings,
      phaseProgress: this.#squarings / evaluation.iterations,
      remaining: evaluation.iterations - this.#squarings,
      squaringsPerSecond: 0,
      worker: null
    }
    this.taken = new Promise((resolve) => (this.#hasTaken = resolve))
    this.outcome = this.#run()
  }

  progress(): PlaceProgress {
    return this.#progress
  }

  /** Whether a worker has it, as far as was heard. */
  isAtWork(): boolean {
    return typeof this.#progress.worker === 'string'
  }

  stop(discard = false): void {
    this.#stopping = discard ? 'discard' : this.#at.isLeaving() ? 'leave' : 'hand-in'
    this.#wake()
  }

  async #run(): Promise<PlaceOutcome> {
    const subscription = this.#listen()
    try {
      for (;;) {
        if (this.#stopping === 'leave') return { kind: 'stopped' }
        if (this.#stopping !== 'no') return await this.#end()
        const outcome = await this.#attend().catch((error: unknown) => this.#trouble(error))
        if (outcome !== undefined) return outcome
        if (this.#isKnown && this.#at.hasWorkers()) this.#seenMs = performance.now()
        if (performance.now() - this.#seenMs > this.#at.homeMs) return this.#goHome()
        await this.#next()
      }
    } finally {
      this.#hasTaken()
      subscription.unsubscribe()
    }
  }

  /** Until there is something to look at. */
  async #next(): Promise<void> {
    if (this.#isTold || this.#stopping !== 'no') return
    await this.#told(Math.min(this.#at.lookMs, this.#at.homeMs))
  }

  async #told(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.#wake = () => resolve(undefined)
    const timer = setTimeout(this.#wake, milliseconds)
    await promise
    clearTimeout(timer)
  }

  #listen(): Subscription {
    const { link } = this.#at
    return link.connection.subscribe(link.names.at(this.#job), {
      callback: (error, message) => {
        if (error !== null) {
          const subject = link.names.at(this.#job)
          this.#at.log.warn({ job: this.#job, err: error }, mayNotHear('the daemon', 'what its workers reach', subject))
          return
        }
        if (!this.#at.intake.takes(message.data.length)) return
        const report = decodeReport(message.data)
        if (report === undefined || report.squarings > this.#evaluation.iterations) return
        if (!this.#at.intake.hears(report.worker)) return
        const isRefused = this.#at.isBarred(report.worker)
        message.respond(isRefused ? 'stop' : 'go')
        if (!isRefused) this.#hear(report)
      }
    })
  }

  #hear({
    worker,
    saved,
    event,
    message,
    phase,
    squarings,
    phaseProgress,
    remaining,
    squaringsPerSecond
  }: Report): void {
    this.#heardMs = performance.now()
    this.#movedMs = this.#heardMs
    this.#unheeded = 0
    this.#hasLeft = event !== undefined
    this.#progress = {
      phase,
      squarings,
      phaseProgress,
      remaining,
      squaringsPerSecond,
      worker: this.#hasLeft ? null : worker
    }
    if (event === 'fault') this.#fault = { worker, message: message ?? '' }
    if (event === undefined && saved <= this.#squarings) return
    this.#isTold = true
    this.#wake()
  }

  async #attend(): Promise<PlaceOutcome | undefined> {
    const { link } = this.#at
    this.#isTold = false
    this.#isKnown = false
    this.#isRefused = false
    if (!link.connected) return undefined
    if (!this.#isSent) await this.#at.forgotten(this.#job)
    const found = await this.#proof()
    if (found !== undefined) return found
    if (!this.#isSent) await this.#send()
    if (!(await this.#mirror())) {
      this.#at.lost(this.#job)
      return { kind: 'left', reason: 'the farm lost it', isWrong: false }
    }
    if (this.#fault !== undefined) {
      const { worker, message } = this.#fault
      return this.#failed(worker, message, false, message.startsWith(KERNEL_FAULT))
    }
    // Workers keep the message of what is not proved. A server that was killed may not know any more who has it.
    const isForgotten = this.#at.hasIdleWorkers() && performance.now() - this.#movedMs > 3 * link.times.silentMs
    if (isForgotten) {
      if (++this.#unheeded === MAX_UNHEEDED) {
        this.#at.unheeded(this.#job)
        return this.#left('its idle workers do not take it', false)
      }
      await link.takeBack(this.#job)
    }
    // A worker that leads after an outage has no message.
    if (isForgotten || (!this.#isReported(link.times.silentMs) && !(await link.hasWork(this.#job))))
      await this.#sendWork()
    this.#isKnown = true
    this.#hasTaken()
    return undefined
  }

  /** What another life of this daemon sent is taken up, unless more is known here. */
  async #send(): Promise<void> {
    const { link } = this.#at
    const saved = await readState(link, this.#job)
    const isBehind = saved !== undefined && saved.records < this.#records
    if (isBehind) await link.forget(this.#job)
    if (saved === undefined || isBehind) await saveStart(link, this.#job, this.#resume)
    this.#resume = undefined
    await this.#sendWork()
    this.#isSent = true
  }

  async #sendWork(): Promise<void> {
    await this.#at.link.addWork(this.#job, encodeJob(this.#evaluation, this.#terms))
    this.#movedMs = performance.now()
  }

  async #proof(): Promise<PlaceOutcome | undefined> {
    const saved = await readProof(this.#at.link, this.#job)
    if (saved === undefined) return undefined
    const { seed, discriminantBits: bits, iterations, split } = this.#evaluation
    if (await this.#at.pool.verifyProof({ seed, bits, iterations, split, proof: saved.proof }))
      return { kind: 'proof', proof: saved.proof }
    return this.#failed(saved.worker, 'its proof is wrong', true, true)
  }

  /** Whatever else a worker says tells nothing about the squarings. */
  #failed(worker: string, reason: string, isProofWrong: boolean, isWrong: boolean): PlaceOutcome {
    this.#at.failed(this.#job, worker, isProofWrong)
    return this.#left(`worker ${worker}: ${reason}`, isWrong)
  }

  #left(reason: string, isWrong: boolean): PlaceOutcome {
    this.#at.forget(this.#job)
    return { kind: 'left', reason, isWrong }
  }

  /** What the farm may have reached meanwhile stays there: the next turn takes it up. */
  #goHome(): PlaceOutcome {
    if (this.#isKnown) return this.#left('no worker of the farm can be reached', false)
    if (this.#isRefused) this.#at.isOutOfOrder()
    return { kind: 'left', reason: 'the farm cannot be reached', isWrong: false }
  }

  /** Takes over the newest state. False where there is none. */
  async #mirror(): Promise<boolean> {
    const { link } = this.#at
    const saved = await readState(link, this.#job)
    if (saved === undefined) return false
    if (saved.worker === '' || saved.squarings <= this.#squarings) return true
    // Of another life of this daemon.
    if (!this.#isSent && saved.records < this.#records) return true
    requireFitting(saved, this.#evaluation, this.#terms)
    if (saved.records < this.#records) throw new DamagedState(`the saved state of ${this.#job} is behind itself`)
    const asksMs = performance.now()
    await this.#at.reads.run(async () => {
      this.#seenMs += performance.now() - asksMs
      // Hundreds may wait for their turn, and who ends or cancels them for all of those.
      if (this.#stopping !== 'leave' && this.#stopping !== 'discard') await this.#fetch(saved)
    })
    return true
  }

  async #fetch(saved: SavedState): Promise<void> {
    const { first, records } = await readRecords(this.#at.link, this.#job, saved, this.#records)
    const appended = records.subarray((this.#records - first) * RECORD_BYTES)
    this.#onCheckpoint({ state: saved.state, squarings: saved.squarings, appended, appendedFrom: this.#records })
    this.#squarings = saved.squarings
    this.#records = saved.records
  }

  #isReported(withinMs: number): boolean {
    return !this.#hasLeft && performance.now() - this.#heardMs < withinMs
  }

  /** All copies stop. What they reached comes here first, unless it is of no use; until it is here, it stays there. */
  async #end(): Promise<PlaceOutcome> {
    if (this.#stopping === 'hand-in') {
      if (!this.#at.link.connected) return { kind: 'stopped' }
      try {
        const found = await this.#handIn()
        if (found !== undefined) return found
      } catch (error) {
        return this.#trouble(error) ?? { kind: 'stopped' }
      }
    }
    this.#at.forget(this.#job)
    return { kind: 'stopped' }
  }

  async #handIn(): Promise<PlaceOutcome | undefined> {
    const waiting = await this.#proof()
    if (waiting !== undefined) return waiting
    const { link } = this.#at
    link.connection.publish(link.names.stop(this.#job), 'hand-in')
    const untilMs = performance.now() + HAND_IN_MS
    const isAtWork = performance.now() - this.#heardMs < HAND_IN_MS
    for (let left = HAND_IN_MS; isAtWork && !this.#hasLeft && left > 0; left = untilMs - performance.now())
      await this.#told(left)
    const found = await this.#proof()
    if (found === undefined) await this.#mirror()
    return found
  }

  #trouble(error: unknown): PlaceOutcome | undefined {
    this.#at.log.warn({ job: this.#job, err: error }, 'the farm did not answer as it should; the daemon asks again')
    this.#isRefused = true
    if (!(error instanceof DamagedState)) this.#at.link.doubt()
    return error instanceof DamagedState
      ? this.#failed(this.#progress.worker ?? '', error.message, false, false)
      : undefined
  }
}
