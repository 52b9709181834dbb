/** One evaluation, from its newest checkpoint to its proof. */
import type { Checkpoint, Evaluation } from '../native/types.ts'
import { ServiceError } from '../errors.ts'
import { CheckpointWriter } from './checkpoint-writer.ts'
import { INTERMEDIATES, loadCheckpoints, removeBeyond } from './checkpoints.ts'
import type { Loaded, Place, PlaceHandle, PlaceOutcome, PlaceProgress } from './places.ts'
import { Repair } from './repair.ts'
import { replaceFile } from '../util/replace-file.ts'

/**
 * After this many failures of the kernel or its worker at one place, the task fails: the hardware or the program is at
 * fault.
 */
export const MAX_EVALUATION_FAULTS = 3

/**
 * Checkpoints come this much earlier than the promise asks. The margin covers the slice under way, the transfer and the
 * write.
 */
const CHECKPOINT_MARGIN_SECONDS = 1

/** The evaluation failed for a reason that another try may cure. */
export class EvaluationFault extends Error {
  override readonly name = 'EvaluationFault'
  readonly code: string
  readonly squarings: number

  constructor(code: string, message: string, squarings: number) {
    super(`${code}: ${message}`)
    this.code = code
    this.squarings = squarings
  }
}

/** All of it but what it resumes from, which is up to `vdf.memory_mib`. */
interface Prepared {
  readonly writer: CheckpointWriter
  readonly repair: Repair | undefined
  /** Squarings of the checkpoint that it resumes from; undefined for a fresh start. */
  readonly resumedFrom: number | undefined
}

interface Working extends Prepared {
  readonly handle: PlaceHandle
}

export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface EvaluationSettings {
  /** `vdf.checkpoint_seconds`: squaring that a crash may cost. */
  readonly checkpointSeconds: number
  /** Bound for the intermediates of one evaluation; the kernel's default when left out. */
  readonly memoryBytes?: number | undefined
}

interface EvaluatorParts extends EvaluationSettings {
  /** Of its checkpoints. */
  readonly directory: string
  /** Where it goes on: waits until there is room. Rejects with the signal's reason. */
  place(evaluation: Evaluation): Promise<Place>
  readonly log: Log
  /** What it is for: in each line of the log. */
  readonly about: object
  readonly signal: AbortSignal
  /** Whether it was at work before, as far as its owner knows. */
  hasBegun(): boolean
  /** Called before the squaring begins, at first and after each interruption. */
  begins(): void
  /** Waits before another try, or until `signal` aborts. */
  pause(attempt: number): Promise<void>
  cannotSave(error: unknown, attempt: number): void
}

/** One evaluation: from the newest trusted checkpoint to the proof, through faults and full disks. */
export class Evaluator {
  readonly #parts: EvaluatorParts
  #working: Working | undefined
  #discarding = false
  /** The running evaluation was halted: what it reaches cannot be saved, or more is on disk already. */
  #isHalted = false
  #faults = 0
  #faultSquarings = -1
  /** Checkpoints skipped, newest first. */
  #distrusted = 0
  /** Squarings from which a farm went on; undefined where all was computed here. */
  #takenAt: number | undefined
  /** Nothing beyond is trusted. */
  #upTo = Infinity

  constructor(parts: EvaluatorParts) {
    this.#parts = parts
  }

  /** Undefined while none is at work. */
  progress(): PlaceProgress | undefined {
    if (this.#working === undefined) return undefined
    const { handle, repair } = this.#working
    const progress = handle.progress()
    return repair === undefined
      ? progress
      : { ...progress, remaining: Math.max(0, progress.remaining - repair.spared()) }
  }

  /** Ends the native loop within 200 ms. With `discard`, its progress is not saved. */
  stop(discard: boolean): void {
    this.#discarding ||= discard
    this.#working?.handle.stop(this.#discarding)
  }

  /**
   * Returns the proof. Begins at the newest checkpoint that is trusted and that the kernel accepts, else from the
   * start. Rejects with EvaluationFault, SVC-VDF-001, or the signal's reason.
   */
  async run(evaluation: Evaluation): Promise<Uint8Array> {
    const { signal, log, about } = this.#parts
    for (let skip = this.#distrusted; ;) {
      const working = await this.#begin(evaluation, skip)
      const outcome = await this.#finish(working)
      if (outcome.kind === 'proof') return outcome.proof
      signal.throwIfAborted()
      const { squarings } = working.handle.progress()
      if (outcome.kind === 'stopped') {
        if (!this.#isHalted)
          throw new EvaluationFault('STOPPED', 'the evaluation was stopped from elsewhere', squarings)
        // What it had reached is on disk by now.
        skip = this.#distrusted
      } else if (outcome.kind === 'left') {
        log.warn({ ...about, squarings, reason: outcome.reason }, 'the evaluation goes on at another place')
        if (outcome.isWrong) await this.#stepBack(evaluation)
        skip = this.#distrusted
      } else if (outcome.code === 'INVALID_CHECKPOINT' && this.#distrustsFarm()) skip = 0
      else if (outcome.code === 'INVALID_CHECKPOINT' && working.resumedFrom !== undefined) {
        log.warn(
          { ...about, squarings: working.resumedFrom, reason: outcome.message },
          'a checkpoint is not usable; going back to the one before'
        )
        skip++
      } else if (outcome.code === 'ADDON_MISSING') throw new ServiceError('SVC-VDF-001', outcome.message)
      else throw new EvaluationFault(outcome.code, outcome.message, squarings)
    }
  }

  /**
   * Whether to try again after a fault: as long as each try gets further than the last, and a few times where it does
   * not.
   */
  mayTryAgain(error: unknown): boolean {
    if (!(error instanceof EvaluationFault)) return false
    if (error.code === 'KERNEL_FAULT' && this.#distrustsFarm()) return true
    if (error.squarings > this.#faultSquarings) this.#faults = 0
    this.#faultSquarings = error.squarings
    this.#faults++
    // A wrong squaring before it makes a proof invalid: each further try trusts one checkpoint less.
    this.#distrusted = error.code === 'KERNEL_FAULT' ? this.#faults : 0
    return this.#faults < MAX_EVALUATION_FAULTS
  }

  /** A farm's word costs one checkpoint, where there is another one. Only the kernel here may say that all is wrong. */
  async #stepBack(evaluation: Evaluation): Promise<void> {
    const { believed } = await loadCheckpoints(this.#parts.directory, evaluation)
    this.#upTo = believed[1]?.squarings ?? Infinity
  }

  /** The kernel here refuses: what a farm added goes first, and what was computed here before stays. */
  #distrustsFarm(): boolean {
    if (this.#takenAt === undefined) return false
    this.#upTo = this.#takenAt
    this.#takenAt = undefined
    this.#distrusted = 0
    return true
  }

  /** Apart from {@link #finish}, so that the loaded intermediates can be collected while the evaluation runs. */
  async #begin(evaluation: Evaluation, skip: number): Promise<Working> {
    const { signal } = this.#parts
    let hasLoaded: boolean | undefined
    let prepared: Prepared | undefined
    const load = async (): Promise<Loaded> => {
      hasLoaded = true
      const { loaded, ...others } = await this.#load(evaluation, skip)
      prepared = others
      return loaded
    }
    try {
      let handle: PlaceHandle | undefined
      while (handle === undefined) {
        const place = await this.#parts.place(evaluation)
        handle = await place.begin(evaluation, load, signal)
      }
      if (handle.progress().worker !== undefined) this.#takenAt ??= prepared!.resumedFrom ?? 0
      this.#parts.begins()
      return { handle, ...prepared! }
    } catch (error) {
      // The next run knows nothing of what this one distrusts: loading removes it.
      if (hasLoaded !== true && !this.#isTrusted()) await load()
      await prepared?.writer.close()
      throw error
    }
  }

  /**
   * If it resumes from a checkpoint because a proof did not verify, what comes after that checkpoint is not trusted
   * either.
   */
  #isTrusted(): boolean {
    return this.#distrusted === 0 && this.#upTo === Infinity
  }

  async #load(evaluation: Evaluation, skip: number): Promise<Prepared & { readonly loaded: Loaded }> {
    const { directory, checkpointSeconds, memoryBytes, log, about, signal } = this.#parts
    const found = await loadCheckpoints(directory, evaluation, this.#upTo)
    const { believed, beyond, passedOver, readable } = found
    const base = believed[skip]
    if (passedOver.length > 0)
      log.warn({ ...about, passed_over: passedOver }, 'checkpoints on disk are damaged and not used')
    const squarings = base?.squarings ?? 0
    const isTrusted = this.#isTrusted()
    const repair =
      beyond.length > 0 && isTrusted ? new Repair(directory, found, (reached) => this.#repaired(reached)) : undefined
    if (repair !== undefined)
      log.info(
        { ...about, squarings, kept_squarings: beyond.at(-1)!.squarings },
        'the evaluation resumes before the damage; later checkpoints are kept'
      )
    else if (base !== undefined) log.info({ ...about, squarings }, 'the evaluation resumes from a checkpoint')
    else if (this.#parts.hasBegun()) log.info(about, 'the evaluation starts from the beginning')
    this.#isHalted = false
    if (base !== undefined && !isTrusted) await removeBeyond(directory, base, evaluation)
    // A disk does not take part of a block that it has lost.
    if (readable !== undefined) await replaceFile(directory, INTERMEDIATES, readable)
    const writer = await CheckpointWriter.open(
      directory,
      evaluation,
      base,
      (error) => {
        // A crash would cost more than was promised, so the evaluation halts until it can be saved.
        log.warn({ ...about, err: error }, 'a checkpoint could not be written; the evaluation halts until it can')
        this.#halt()
      },
      repair
    )
    // What is beyond is not there any more.
    this.#upTo = Infinity
    signal.throwIfAborted()
    const terms = {
      checkpointSeconds: Math.max(checkpointSeconds - CHECKPOINT_MARGIN_SECONDS, checkpointSeconds / 2),
      ...(memoryBytes === undefined ? {} : { memoryBytes }),
      ...(base === undefined ? {} : { resume: base.resume })
    }
    const loaded = { terms, onCheckpoint: (checkpoint: Checkpoint) => writer.accept(checkpoint) }
    return { loaded, writer, repair, resumedFrom: base?.squarings }
  }

  /** The evaluation resumes from what lay beyond the damage. */
  #repaired(squarings: number): void {
    const { log, about } = this.#parts
    log.info({ ...about, squarings }, 'the damaged part is squared again')
    this.#halt()
  }

  #halt(): void {
    this.#isHalted = true
    this.#working?.handle.stop()
  }

  /** Resolves when the evaluation's remaining state is on disk, or not needed. */
  async #finish(working: Working): Promise<PlaceOutcome> {
    const { handle, writer } = working
    this.#working = working
    if (this.#parts.signal.aborted) handle.stop(this.#discarding)
    const outcome = await handle.outcome
    this.#working = undefined
    if (outcome.kind === 'proof' || this.#discarding) writer.discard()
    else if (this.#isHalted || outcome.kind === 'left') await this.#save(writer)
    await writer.close()
    return outcome
  }

  /** Writes the last checkpoint, for as long as it takes; once the task is stopped, one more time. */
  async #save(writer: CheckpointWriter): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await writer.flush()
        return
      } catch (error) {
        if (this.#parts.signal.aborted) return
        this.#parts.cannotSave(error, attempt)
        await this.#parts.pause(attempt)
      }
    }
  }
}
