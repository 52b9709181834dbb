/** Results and failures as data: an error that crosses a thread as an error loses its code. */
import { NativeError, type NativeErrorCode } from '../errors.ts'

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
