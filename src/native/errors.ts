import { PartError } from '../protocol/errors.ts'

export type NativeErrorCode =
  /** The addon is missing, of another version, or the platform or Node is unsupported. */
  | 'ADDON_UNAVAILABLE'
  /** An argument has the wrong size or is out of range. */
  | 'INVALID_ARGUMENT'
  /** A checkpoint does not belong to the evaluation asked for, or is damaged. */
  | 'INVALID_CHECKPOINT'
  /** The kernel's own checks failed: a bug or faulty hardware. */
  | 'KERNEL_FAULT'
  /** Receiving a checkpoint failed. */
  | 'CHECKPOINT_REFUSED'
  /** Too many questions wait already, or the question was taken back. */
  | 'POOL_BUSY'
  /** The worker died or the pool was closed. */
  | 'POOL_CLOSED'
  | 'WORKER_FAILED'

export class NativeError extends PartError<'native', NativeErrorCode> {
  override readonly name = 'NativeError'
  override readonly part = 'native'
}
