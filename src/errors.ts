/** What a user can meet as a failure: one error with a code of the table (error-table.ts). */
import type { ErrorCode } from './error-table.ts'

/** One field at fault: a JSON-pointer-like path (`records/www/0/value`) and its fault. */
export interface FieldError {
  readonly path: string
  readonly message: string
}

interface ServiceErrorOptions extends ErrorOptions {
  readonly errors?: readonly FieldError[]
  /** Seconds. */
  readonly retryAfter?: number
  /** More members of the problem body, such as `task_id`. */
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** An error for users: a code of the table and a detail that names this case. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  readonly errors: readonly FieldError[]
  readonly retryAfter: number | undefined
  readonly extensions: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, detail: string, options: ServiceErrorOptions = {}) {
    super(detail, options)
    this.code = code
    this.errors = options.errors ?? []
    this.retryAfter = options.retryAfter
    this.extensions = options.extensions ?? {}
  }
}
