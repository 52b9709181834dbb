/** The daemon's side of a farm: which workers there are, and the evaluations that they have. */
import type { FarmPlace, Loaded, PlaceHandle } from '../evaluations/places.ts'
import type { Checkpoint, Evaluation, EvaluationTerms } from '../native/types.ts'
import { BoundedMap } from '../util/bounded-map.ts'
import { Turns } from '../util/concurrency.ts'
import type { FarmView } from '../views/farm.ts'
import { FarmEvaluation, MISSED_REPORTS, type Surroundings } from './evaluation.ts'
import { Intake } from './intake.ts'
import { FARM_TIMES, type FarmAddress, type FarmTimes, type Link, mayNotHear, NO_SERVER, openLink } from './link.ts'
import { type Alive, decodeAlive, FARM_VERSION, jobOf } from './messages.ts'
import { Loads } from './loads.ts'
import { DamagedState, readProof, readState } from './saved-state.ts'

/** After that many failures of one evaluation it comes home. */
const MAX_FAILURES = 2
/** How long a start waits for the server. */
const START_MS = 3000
const RETRY_MS = 2000
/** Checkpoints that are fetched at once. */
const READS = 4
/** Known at once: who may report may do so under any name. */
export const MAX_WORKERS = 10_000
/** Likewise. */
const MAX_JOBS = 100_000

interface FarmParts {
  readonly address: FarmAddress
  readonly pool: Surroundings['pool']
  readonly log: Surroundings['log']
  readonly times?: FarmTimes
}

interface KnownWorker extends Omit<Alive, 'jobs'> {
  readonly heardMs: number
}

export class Farm implements FarmPlace {
  readonly #parts: FarmParts
  readonly #times: FarmTimes
  readonly #workers = new BoundedMap<string, KnownWorker>(MAX_WORKERS)
  /** By what they said last, what it evaluates. */
  readonly #working = new BoundedMap<string, KnownWorker>(MAX_JOBS)
  readonly #running = new Map<string, FarmEvaluation>()
  readonly #failures = new Map<string, number>()
  readonly #reads = new Turns(READS)
  readonly #loads = new Loads()
  readonly #intake = new Intake(MAX_WORKERS, () => performance.now())
  readonly #barred = new Set<string>()
  /** To be taken back once the server can be reached. */
  readonly #unwanted = new Set<string>()
  /** A worker may have more of them than this daemon, so they go there once more. */
  readonly #lost = new Set<string>()
  /** Until then nothing goes to a server that was of no use for long. */
  #restsUntilMs = -Infinity
  /** When a worker was heard that may have work; at first there is time to hear one. */
  #heardMs = performance.now()
  #clearing = Promise.resolve()
  #wrongProofs = 0
  #link: Link | undefined
  #isClosed = false
  #isLeaving = false
  #stopTicking: () => void = () => undefined

  constructor(parts: FarmParts) {
    this.#parts = parts
    this.#times = parts.times ?? FARM_TIMES
  }

  /** Resolves when the server is reached, or after a while without: all goes on here until then. */
  async start(): Promise<void> {
    const connecting = this.#connect()
    const timer = setInterval(() => this.#unwanted.size > 0 && void this.#clear(), RETRY_MS)
    this.#stopTicking = () => clearInterval(timer)
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const limit = setTimeout(() => resolve(undefined), START_MS)
    await Promise.race([connecting, late])
    clearTimeout(limit)
  }

  /** The daemon ends; what the farm has goes on there, once it is stopped here. */
  leave(): void {
    this.#isLeaving = true
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopTicking()
    this.leave()
    for (const evaluation of this.#running.values()) evaluation.stop()
    await Promise.allSettled([...this.#running.values()].map(({ outcome }) => outcome))
    await this.#clear()
    await this.#link?.close()
  }

  isThere(): boolean {
    const isHeard = performance.now() - this.#heardMs < this.#times.homeMs
    return this.#link !== undefined && isHeard && !this.#isResting()
  }

  room(): number {
    if (this.#isResting()) return 0
    // A worker that is silent for a moment keeps what it has.
    const ours = [...this.#running].filter(([job, evaluation]) => evaluation.isAtWork() || this.#isAtWork(job)).length
    return this.#reachable().reduce((sum, { threads, busy }) => sum + Math.max(0, threads - busy), ours)
  }

  isAtWork(evaluation: Evaluation): boolean {
    return !this.#isResting() && this.#isAtWork(jobOf(evaluation))
  }

  accepts(evaluation: Evaluation): boolean {
    return this.#failures.size === 0 || (this.#failures.get(jobOf(evaluation)) ?? 0) < MAX_FAILURES
  }

  /** Whether it has something from before. */
  async holds(evaluation: Evaluation): Promise<boolean> {
    const link = this.#link
    const job = jobOf(evaluation)
    if (link?.connected !== true || this.#isResting() || this.#unwanted.has(job)) return false
    if (this.#lost.has(job)) return true
    try {
      return (await readProof(link, job)) !== undefined || (await readState(link, job)) !== undefined
    } catch (error) {
      // An evaluation that goes there takes it back.
      if (error instanceof DamagedState) return true
      link.doubt()
      return false
    }
  }

  begin(evaluation: Evaluation, load: () => Promise<Loaded>, signal: AbortSignal): Promise<PlaceHandle | undefined> {
    return this.#loads.begin(async () => {
      if (!this.isThere() && !(await this.holds(evaluation))) return undefined
      const { terms, onCheckpoint } = await load()
      return this.evaluate(evaluation, terms, onCheckpoint)
    }, signal)
  }

  evaluate(
    evaluation: Evaluation,
    terms: EvaluationTerms,
    onCheckpoint: (checkpoint: Checkpoint) => void
  ): FarmEvaluation {
    const job = jobOf(evaluation)
    const link = this.#link
    if (link === undefined) throw new Error('a farm that was never reached has no room')
    const { pool, log } = this.#parts
    const running = new FarmEvaluation(
      {
        link,
        pool,
        log,
        reads: this.#reads,
        intake: this.#intake,
        isLeaving: () => this.#isLeaving,
        hasWorkers: () => this.#reachable().length > 0,
        hasIdleWorkers: () => this.#reachable().some(({ busy, threads }) => busy < threads),
        lost: (of) => this.#lost.add(of),
        isOutOfOrder: () => (this.#restsUntilMs = performance.now() + this.#times.homeMs),
        isBarred: (worker) => this.#barred.has(worker),
        failed: (of, worker, isProofWrong) => this.#failed(of, worker, isProofWrong),
        unheeded: (of) => this.#failures.set(of, MAX_FAILURES),
        forget: (of) => this.#forget(of),
        forgotten: (of) => this.#forgotten(of),
        homeMs: this.#times.homeMs,
        lookMs: this.#times.lookMs
      },
      job,
      evaluation,
      terms,
      onCheckpoint
    )
    this.#running.set(job, running)
    this.#lost.delete(job)
    const ended = (): void => {
      if (this.#running.get(job) === running) this.#running.delete(job)
    }
    void running.outcome.then(ended, ended)
    return running
  }

  forget(evaluation: Evaluation): void {
    const job = jobOf(evaluation)
    this.#failures.delete(job)
    this.#lost.delete(job)
    this.#forget(job)
  }

  hasForgotten(evaluation: Evaluation): boolean {
    return !this.#unwanted.has(jobOf(evaluation))
  }

  view(): FarmView {
    return {
      enabled: true,
      connected: this.#link?.connected ?? false,
      workers: this.#reachable().map(({ worker, threads, busy, squaringsPerSecond }) => ({
        worker,
        threads,
        busy,
        iterations_per_second: Math.round(squaringsPerSecond)
      })),
      tasks: this.#running.size,
      wrong_proofs: this.#wrongProofs,
      barred: [...this.#barred],
      outdated: this.#heard()
        .filter(({ version }) => version !== FARM_VERSION)
        .map(({ worker }) => worker)
    }
  }

  #isAtWork(job: string): boolean {
    const worker = this.#working.get(job)
    if (worker === undefined || this.#workers.get(worker.worker) !== worker) return false
    return this.#isHeard(worker) && this.#mayHave(worker)
  }

  #isResting(): boolean {
    return performance.now() < this.#restsUntilMs
  }

  #reachable(): KnownWorker[] {
    return this.#heard().filter((worker) => this.#mayHave(worker))
  }

  #mayHave({ worker, version }: KnownWorker): boolean {
    return version === FARM_VERSION && !this.#barred.has(worker)
  }

  #heard(): KnownWorker[] {
    return [...this.#workers.values()].filter((worker) => this.#isHeard(worker))
  }

  #isHeard({ heardMs, leaving }: KnownWorker): boolean {
    if (this.#link?.connected !== true) return false
    return heardMs > performance.now() - MISSED_REPORTS * this.#times.reportMs && !leaving
  }

  #failed(job: string, worker: string, isProofWrong: boolean): void {
    this.#failures.set(job, (this.#failures.get(job) ?? 0) + 1)
    if (isProofWrong) {
      this.#wrongProofs++
      this.#barred.add(worker)
    }
    this.#parts.log.warn(
      { job, worker },
      isProofWrong ? 'a worker sent what it did not square' : "a worker's kernel refused"
    )
  }

  #forget(job: string): void {
    this.#unwanted.add(job)
    void this.#clear()
  }

  async #forgotten(job: string): Promise<void> {
    await this.#clear()
    if (this.#unwanted.has(job)) throw new Error('the farm still has what was taken back')
  }

  /** One after the other, so that nothing is taken back after it was sent once more. Never rejects. */
  #clear(): Promise<void> {
    return (this.#clearing = this.#clearing.then(async () => {
      for (const job of this.#unwanted) {
        if (this.#link?.connected !== true) return
        try {
          await this.#link.forget(job)
        } catch {
          this.#link.doubt()
          return
        }
        this.#unwanted.delete(job)
      }
    }))
  }

  async #connect(): Promise<void> {
    const isClosed = (): boolean => this.#isClosed
    for (let attempt = 0; !isClosed(); attempt++) {
      try {
        const link = await openLink(this.#parts.address, this.#times, (reason) =>
          this.#parts.log.warn({ farm: this.#parts.address.url, reason }, NO_SERVER)
        )
        link.connection.subscribe(link.names.alive, {
          callback: (error, message) => {
            if (error === null) this.#hear(message.data)
            else this.#parts.log.warn({ err: error }, mayNotHear('the daemon', 'its workers', link.names.alive))
          }
        })
        this.#link = link
        if (isClosed()) await link.close()
        this.#parts.log.info({ farm: this.#parts.address.url }, 'the farm is reached')
        return
      } catch (error) {
        if (attempt === 0)
          this.#parts.log.warn(
            { farm: this.#parts.address.url, err: error },
            'the farm cannot be reached; all goes on here'
          )
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())
      }
    }
  }

  #hear(data: Uint8Array): void {
    const alive = this.#intake.takes(data.length) ? decodeAlive(data) : undefined
    if (alive === undefined || !this.#intake.hears(alive.worker)) return
    const { jobs, ...about } = alive
    const known = { ...about, heardMs: performance.now() }
    this.#workers.set(known.worker, known)
    for (const job of jobs) this.#working.set(job, known)
    if (!alive.leaving && this.#mayHave(known)) this.#heardMs = known.heardMs
  }
}
