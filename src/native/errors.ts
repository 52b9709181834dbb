import { PartError } from '../protocol/errors.ts'

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
