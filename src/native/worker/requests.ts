/** What crosses to the workers: plain data, with shared memory and a port for what must be seen before the end. */
import type { MessagePort, Transferable } from 'node:worker_threads'
import type { Judged, ManifestOutline } from '../../protocol/identity/judge-documents.ts'
import type { IdentityRecordOutline } from '../../protocol/identity/record.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { EvaluationRequest, EvaluationSize, ProofQuestion, PulseQuestion } from '../types.ts'

/** Each exported function of worker.ts and document-worker.ts: its argument and what its answer holds. */
export interface WorkerCalls {
  evaluate: {
    /** `slot` is a Slot's memory; checkpoints go to `checkpoints`. Null: stopped. */
    request: { evaluation: EvaluationRequest; slot: SharedArrayBuffer; checkpoints: MessagePort }
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
  discriminant: { request: { seed: Uint8Array; bits: number }; value: Uint8Array }
  verifyPulse: { request: PulseQuestion; value: boolean }
  /** One slice. `stop` is the memory of a stop word. */
  searchStamp: {
    request: { prefix: Uint8Array; bits: number; start: number; attempts: number; stop: SharedArrayBuffer }
    value: { nonce?: number; next: number }
  }
  plannedWork: { request: EvaluationSize & { threads: number }; value: number }
  /** `record` must not be a view of more: all of its memory crosses. */
  judgeIdentity: { request: { record: Uint8Array; profile: NetworkProfile }; value: Judged<IdentityRecordOutline> }
  judgeManifest: { request: { record: Uint8Array; profile: NetworkProfile }; value: Judged<ManifestOutline> }
  judgeSpeaker: { request: { record: Uint8Array; identity: Uint8Array; profile: NetworkProfile }; value: Judged<true> }
  measureRate: { request: { bits: number; milliseconds: number }; value: number }
}

/** Runs one of worker.ts's functions and returns its value; rejects with NativeError. */
export type Call = <K extends keyof WorkerCalls>(
  kind: K,
  request: WorkerCalls[K]['request'],
  transfer?: Transferable[]
) => Promise<WorkerCalls[K]['value']>
