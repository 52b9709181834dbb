/**
 * What crosses to the workers: plain data, with shared memory and a port for what must be seen before the end. Results and
 * failures come back as data too: an error that crosses a thread as an error loses its code.
 */
import type { MessagePort, Transferable } from 'node:worker_threads'
import type { Judged, ManifestOutline } from '../../protocol/identity/judge-documents.ts'
import type { IdentityRecordOutline } from '../../protocol/identity/record.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import {
  type Evaluation,
  type EvaluationTerms,
  type ProofQuestion,
  type PulseQuestion,
  NativeError,
  type NativeErrorCode
} from '../types.ts'

/** Each exported function of worker.ts and document-worker.ts: its argument and what its answer holds. */
export interface WorkerCalls {
  evaluate: {
    /** `slot` is a Slot's memory; checkpoints go to `checkpoints`. Null: stopped. */
    request: { evaluation: Evaluation; terms: EvaluationTerms; slot: SharedArrayBuffer; checkpoints: MessagePort }
    value: Uint8Array | null
  }
  /**
   * Fewer verdicts than questions when the stop word, whose memory `stop` is, was set. `milliseconds` is the time they
   * took.
   */
  verifyProofs: {
    request: { questions: readonly ProofQuestion[]; stop: SharedArrayBuffer }
    value: { verdicts: boolean[]; milliseconds: number }
  }
  verifyPulse: { request: PulseQuestion; value: boolean }
  /** One slice. `stop` is the memory of a stop word. */
  searchStamp: {
    request: { prefix: Uint8Array; bits: number; start: number; attempts: number; stop: SharedArrayBuffer }
    value: { nonce?: number; next: number }
  }
  plannedWork: { request: Omit<Evaluation, 'seed'> & { threads: number }; value: number }
  /** `record` must not be a view of more: all of its memory crosses. */
  judgeIdentity: { request: { record: Uint8Array; profile: NetworkProfile }; value: Judged<IdentityRecordOutline> }
  judgeManifest: { request: { record: Uint8Array; profile: NetworkProfile }; value: Judged<ManifestOutline> }
  judgeSpeaker: { request: { record: Uint8Array; identity: Uint8Array; profile: NetworkProfile }; value: Judged<true> }
  measureRate: { request: { bits: number; milliseconds: number }; value: number }
  measureProof: { request: { bits: number }; value: number }
}

/** Runs one of worker.ts's functions and returns its value; rejects with NativeError. */
export type Call = <K extends keyof WorkerCalls>(
  kind: K,
  request: WorkerCalls[K]['request'],
  transfer?: Transferable[]
) => Promise<WorkerCalls[K]['value']>

export type Answer<T> = { ok: true; value: T } | Failure
export interface Failure {
  ok: false
  code: NativeErrorCode
  message: string
}

/** Codes that napi itself gives an error, and what they mean here. */
const FROM_NAPI: Readonly<Record<string, NativeErrorCode>> = {
  // An argument of the wrong JavaScript type.
  InvalidArg: 'INVALID_ARGUMENT',
  // A panic, caught at the border.
  GenericFailure: 'KERNEL_FAULT'
}

const CODES: ReadonlySet<string> = new Set<NativeErrorCode>([
  'ADDON_MISSING',
  'ADDON_UNAVAILABLE',
  'INVALID_ARGUMENT',
  'INVALID_CHECKPOINT',
  'KERNEL_FAULT',
  'CHECKPOINT_REFUSED',
  'POOL_BUSY',
  'POOL_CLOSED',
  'WORKER_FAILED'
])

export function failure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (CODES.has(code)) return { ok: false, code: code as NativeErrorCode, message }
  return { ok: false, code: FROM_NAPI[code] ?? 'WORKER_FAILED', message }
}

export function answer<T>(compute: () => T): Answer<T> {
  try {
    return { ok: true, value: compute() }
  } catch (error) {
    return failure(error)
  }
}

/** Throws NativeError for a failure. */
export function unwrap<T>(given: Answer<T>): T {
  if (given.ok) return given.value
  throw new NativeError(given.code, given.message)
}
