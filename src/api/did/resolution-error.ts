/** Errors of W3C DID Resolution v0.3, with the HTTP status of its binding and the older word for each. */
import type { ErrorCode } from '../../error-table.ts'
import { ServiceError } from '../../errors.ts'

const ERRORS = {
  INVALID_DID: { status: 400, word: 'invalidDid', title: 'Invalid DID' },
  INVALID_DID_URL: { status: 400, word: 'invalidDidUrl', title: 'Invalid DID URL' },
  INVALID_OPTIONS: { status: 400, word: 'invalidOptions', title: 'Invalid options' },
  NOT_FOUND: { status: 404, word: 'notFound', title: 'Not found' },
  REPRESENTATION_NOT_SUPPORTED: {
    status: 406,
    word: 'representationNotSupported',
    title: 'Representation not supported'
  },
  INTERNAL_ERROR: { status: 500, word: 'internalError', title: 'Internal error' },
  METHOD_NOT_SUPPORTED: { status: 501, word: 'methodNotSupported', title: 'Method not supported' },
  FEATURE_NOT_SUPPORTED: { status: 501, word: 'featureNotSupported', title: 'Feature not supported' }
} as const

export type ResolutionErrorName = keyof typeof ERRORS

export interface ProblemDetails {
  readonly type: `https://www.w3.org/ns/did#${ResolutionErrorName}`
  readonly title: string
  readonly detail: string
  /** The daemon's own code, where it has one. */
  readonly code?: string
}

export class ResolutionError extends Error {
  override readonly name = 'ResolutionError'
  readonly error: ResolutionErrorName
  readonly code: string | undefined
  readonly retryAfter: number | undefined

  constructor(error: ResolutionErrorName, detail: string, cause?: ServiceError) {
    super(detail, { cause })
    this.error = error
    this.code = cause?.code
    this.retryAfter = cause?.retryAfter
  }

  get status() {
    return ERRORS[this.error].status
  }

  /** As DID Core 1.0 and `did-resolver` name it: `notFound`. */
  get word(): string {
    return ERRORS[this.error].word
  }

  get problem(): ProblemDetails {
    return {
      type: `https://www.w3.org/ns/did#${this.error}`,
      title: ERRORS[this.error].title,
      detail: this.message,
      ...(this.code !== undefined && { code: this.code })
    }
  }
}

const NAMES: Partial<Record<ErrorCode, ResolutionErrorName>> = {
  'SVC-REQ-001': 'INVALID_DID',
  'SVC-RES-002': 'NOT_FOUND',
  // No peer answers, or they show an older log than before: neither says that there is none.
  'SVC-RES-001': 'INTERNAL_ERROR',
  'SVC-RES-004': 'INTERNAL_ERROR'
}

/** What the registry throws for a DID, as an error of resolution; undefined for what is no answer about a DID. */
export function toResolutionError(thrown: unknown): ResolutionError | undefined {
  if (thrown instanceof ResolutionError) return thrown
  if (!(thrown instanceof ServiceError)) return undefined
  const name = NAMES[thrown.code]
  return name === undefined ? undefined : new ResolutionError(name, thrown.message, thrown)
}
