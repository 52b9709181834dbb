/**
 * What the rest of the program may ask of native code, in which shapes, and the errors. Everything here runs on worker
 * threads: no call in this file computes on the caller's event loop.
 */
import { PartError } from '../protocol/errors.ts'
import type { Judged, ManifestOutline } from '../protocol/identity/judge-documents.ts'
import type { IdentityRecordOutline } from '../protocol/identity/record.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'

export type NativeErrorCode =
  /** There is no addon for this machine, or it does not load: checks run on BigInt, and nothing is evaluated. */
  | 'ADDON_MISSING'
  /** The addon is of another version, or is asked for what it lacks. */
  | 'ADDON_UNAVAILABLE'
  | 'INVALID_ARGUMENT'
  /** A checkpoint does not belong to the evaluation asked for, or is damaged. */
  | 'INVALID_CHECKPOINT'
  /** The kernel's own checks failed: a bug or faulty hardware. */
  | 'KERNEL_FAULT'
  | 'CHECKPOINT_REFUSED'
  | 'POOL_BUSY'
  | 'POOL_CLOSED'
  | 'WORKER_FAILED'
  /** The DNS server cannot listen on an address; the message names it, the cause and the cure. */
  | 'LISTEN_FAILED'
  /** The DNS server was closed. */
  | 'SERVER_CLOSED'
  /** The service manager's socket did not take a message. */
  | 'NOTIFY_FAILED'

export class NativeError extends PartError<'native', NativeErrorCode> {
  override readonly name = 'NativeError'
  override readonly part = 'native'
}

/**
 * Who waits for a verdict, the most urgent first. `own`: this node and its user. `expected`: peers whose claim was
 * announced. `unexpected`: peers of whose claim nothing is known here.
 */
export const URGENCIES = ['own', 'expected', 'unexpected'] as const
export type Urgency = (typeof URGENCIES)[number]

export function isMoreUrgent(one: Urgency, other: Urgency): boolean {
  return URGENCIES.indexOf(one) < URGENCIES.indexOf(other)
}

/**
 * A state from which an evaluation can resume after a crash. `state` replaces the former one. `appended` holds whole
 * intermediate records, to be appended to those saved before; the first has index `appendedFrom`. Saving the same
 * checkpoint twice is harmless.
 */
export interface Checkpoint {
  state: Uint8Array
  appended: Uint8Array
  appendedFrom: number
  squarings: number
}

/** A computation: all that a proof depends on, fixed and durable before the first squaring. */
export interface Evaluation {
  /** 32 bytes; the discriminant is derived from it. */
  seed: Uint8Array
  discriminantBits: number
  iterations: number
  /** Squarings of the first of two segments; null for one segment. */
  split: number | null
}

/** How it is computed, which changes nothing of the proof. */
export interface EvaluationTerms {
  checkpointSeconds: number
  /** Bound on all that the evaluation holds outside JavaScript, in bytes. Default: 256 MiB. */
  memoryBytes?: number
  /**
   * The last saved state with all intermediate records in order, and its squarings, which a farm tells. Memory that
   * belongs to the records alone moves to the worker's thread.
   */
  resume?: { state: Uint8Array; intermediates: Uint8Array; squarings?: number }
}

export interface EvaluationProgress {
  /** In this order. Further threads prove what they can during the squaring. */
  phase: 'squaring' | 'proving' | 'done'
  squarings: number
  /** Share of the present phase that is done, 0..1. */
  phaseProgress: number
  /**
   * An estimate of the time to the proof on the present threads, in squarings: those left, and the proving that they
   * don't hide.
   */
  remaining: number
  /** Measured over the last slices; 0 before the first one has ended. */
  squaringsPerSecond: number
}

export type EvaluationOutcome =
  { kind: 'proof'; proof: Uint8Array } | { kind: 'stopped' } | { kind: 'failed'; code: string; message: string }

export interface EvaluationHandle {
  progress(): EvaluationProgress
  /** Ends the native loop within 200 ms; the last checkpoint comes before the outcome. */
  stop(): void
  /** Never rejects. */
  outcome: Promise<EvaluationOutcome>
}

export interface ProofQuestion {
  seed: Uint8Array
  bits: number
  iterations: number
  /** With a split, the proof's first segment must have exactly that many squarings; null asks for a single segment. */
  split: number | null
  proof: Uint8Array
}

export interface PulseQuestion {
  /** 96 bytes, compressed, on G2. */
  publicKey: Uint8Array
  round: number
  /** 48 bytes, compressed, on G1. */
  signature: Uint8Array
}

export interface StampQuestion {
  /** What is hashed before the nonce: domain(stamp) and the commitment. */
  prefix: Uint8Array
  /** Leading zero bits that the hash must have. */
  bits: number
  signal?: AbortSignal
}

export interface VerdictOptions {
  /** Default: `own`. */
  readonly urgency?: Urgency
  /** When aborted, the promise rejects with its reason; a question without other callers is not computed. */
  readonly signal?: AbortSignal
}

/**
 * Identity logs and manifests (protocol/judge-documents.ts), each in a lane of the scheduler. An invalid one is an
 * answer, not an error.
 */
export interface DocumentJudge {
  judgeIdentity(record: Uint8Array, profile: NetworkProfile, urgency: Urgency): Promise<Judged<IdentityRecordOutline>>
  judgeManifest(record: Uint8Array, profile: NetworkProfile, urgency: Urgency): Promise<Judged<ManifestOutline>>
  judgeSpeaker(
    manifest: Uint8Array,
    identity: Uint8Array,
    profile: NetworkProfile,
    urgency: Urgency
  ): Promise<Judged<true>>
}

/** All promises but an evaluation's outcome reject with a `NativeError`; a false verdict is not an error. */
export interface NativePool extends DocumentJudge {
  /** Why there is no addon, if there is none: checks are slow then, and evaluations fail with ADDON_MISSING. */
  readonly missingAddon?: string | undefined
  /** Calls `onCheckpoint` in order, from the caller's event loop; what it throws ends the evaluation as `failed`. */
  evaluate(
    evaluation: Evaluation,
    terms: EvaluationTerms,
    onCheckpoint: (checkpoint: Checkpoint) => void
  ): EvaluationHandle
  /**
   * Verdicts are remembered, and a question asked twice is computed once. Those that wait together are verified in
   * slices of about 100 ms.
   * Rejects with POOL_BUSY when too many questions of that urgency wait.
   */
  verifyProof(question: ProofQuestion, options?: VerdictOptions): Promise<boolean>
  /**
   * The verdicts in the order of the questions, which are spread over the threads; POOL_BUSY unless there is room for
   * all.
   */
  verifyProofs(questions: readonly ProofQuestion[], options?: VerdictOptions): Promise<boolean[]>
  /** Remembered and bounded as proofs are. */
  verifyPulse(question: PulseQuestion, options?: VerdictOptions): Promise<boolean>
  /** The 8-byte nonce found. Rejects with the signal's reason when aborted. */
  searchStamp(question: StampQuestion): Promise<Uint8Array>
  /** What an evaluation begun now would take, without computing anything: see `EvaluationProgress.remaining`. */
  plannedWork(evaluation: Omit<Evaluation, 'seed'>): Promise<number>
  /** Squarings per second on one thread, measured for about the time given. */
  measureRate(bits: number, milliseconds: number): Promise<number>
  /** Milliseconds of a thread that a false proof takes whose discriminant is derived first: the costliest there is. */
  measureProof(bits: number): Promise<number>
  /** Stops every evaluation (each hands over its last checkpoint), then ends the workers. */
  close(): Promise<void>
}

export interface NativePoolOptions {
  /** Evaluations that run at once, at least 1. Each has its own thread. */
  evaluationThreads: number
  /**
   * Threads that evaluations may use together while they prove: they share those that squaring leaves. Default: one a
   * core.
   */
  provingThreads?: number
  /** Threads for verification, pulses and stamps. Default: 2, or 1 on a single core. */
  auxiliaryThreads?: number
  /** Called when a thread ends outside of any call; it is replaced. */
  warn?: (message: string) => void
}
