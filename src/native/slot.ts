/**
 * A few words of shared memory between an evaluation in a worker and its owner. They work while the worker's thread is
 * inside one long synchronous call. Every access is atomic.
 */

const PHASES = ['squaring', 'proving', 'done'] as const
export type Phase = (typeof PHASES)[number]

/** Indices of 32-bit words. Native code polls word 0. */
const STOP = 0
const OWNER = 1
const PHASE = 2
/** Parts per billion. */
const PHASE_PROGRESS = 3
const RATE = 4
/** Microseconds. */
const SLICE = 5
/** Written by the owner. */
const THREADS = 8
/** Indices of 64-bit words. */
const SQUARINGS = 3
const REMAINING = 5
const BYTES = 48

/** States of the OWNER word: who was first, the worker that begins or the owner that stops waiting for one. */
const QUEUED = 0
const BEGUN = 1
const WITHDRAWN = 2

const PARTS = 1e9

export interface SlotProgress {
  phase: Phase
  squarings: number
  /** 0..1 */
  phaseProgress: number
  squaringsPerSecond: number
  /** See `EvaluationProgress`. */
  remaining: number
  sliceMs: number
}

export class Slot {
  readonly memory: SharedArrayBuffer
  /** The stop word first, as native code expects it. */
  readonly words: Uint32Array
  readonly #counts: BigUint64Array

  constructor(memory = new SharedArrayBuffer(BYTES)) {
    this.memory = memory
    this.words = new Uint32Array(memory)
    this.#counts = new BigUint64Array(memory)
  }

  stop(): void {
    Atomics.store(this.words, STOP, 1)
  }

  get stopped(): boolean {
    return Atomics.load(this.words, STOP) !== 0
  }

  get threads(): number {
    return Math.max(1, Atomics.load(this.words, THREADS))
  }

  allot(threads: number): void {
    Atomics.store(this.words, THREADS, threads)
  }

  /** Called by the worker: false when the owner has withdrawn. */
  begin(): boolean {
    return Atomics.compareExchange(this.words, OWNER, QUEUED, BEGUN) === QUEUED
  }

  /** Called by the owner: false when a worker has begun. */
  withdraw(): boolean {
    return Atomics.compareExchange(this.words, OWNER, QUEUED, WITHDRAWN) === QUEUED
  }

  publish(progress: SlotProgress): void {
    Atomics.store(this.words, PHASE, PHASES.indexOf(progress.phase))
    Atomics.store(this.words, PHASE_PROGRESS, Math.floor(progress.phaseProgress * PARTS))
    Atomics.store(this.words, RATE, Math.round(progress.squaringsPerSecond))
    Atomics.store(this.words, SLICE, Math.round(progress.sliceMs * 1000))
    Atomics.store(this.#counts, SQUARINGS, BigInt(progress.squarings))
    Atomics.store(this.#counts, REMAINING, BigInt(Math.round(progress.remaining)))
  }

  read(): SlotProgress {
    return {
      phase: PHASES[Atomics.load(this.words, PHASE)] ?? 'squaring',
      squarings: Number(Atomics.load(this.#counts, SQUARINGS)),
      phaseProgress: Atomics.load(this.words, PHASE_PROGRESS) / PARTS,
      squaringsPerSecond: Atomics.load(this.words, RATE),
      remaining: Number(Atomics.load(this.#counts, REMAINING)),
      sliceMs: Atomics.load(this.words, SLICE) / 1000
    }
  }
}
