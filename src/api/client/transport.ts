import type { FieldError } from '../../errors.ts'
import type { ErrorCode } from '../../error-table.ts'
import type { ReadinessBody } from '../schemas/daemon.ts'
import type { ProblemBody } from '../schemas/problem.ts'

export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ErrorCode
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly errors: readonly FieldError[]
  readonly requestId: string
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined
  /** The whole body, with members of its own such as `task_id`. */
  readonly problem: Readonly<ProblemBody>

  constructor(problem: ProblemBody, retryAfter?: number) {
    super(`${problem.code}: ${problem.detail}`)
    this.code = problem.code
    this.status = problem.status
    this.title = problem.title
    this.detail = problem.detail
    this.errors = problem.errors ?? []
    this.requestId = problem.request_id
    this.retryAfter = retryAfter
    this.problem = problem
  }
}

/** No daemon answers at that address, or what answers is none; the message names cause and cure. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  /** Where the message does not say it. */
  readonly cure: string | undefined

  constructor(message: string, { cure, ...options }: ErrorOptions & { cure?: string } = {}) {
    super(message, options)
    this.cure = cure
  }
}

/** Sends a request to the daemon. Rejects with UnreachableError, or with the reason of an aborted signal. */
export type Transport = (
  url: string,
  init: RequestInit & { readonly body?: string | Uint8Array<ArrayBuffer> }
) => Promise<Response>

export const plainFetch: Transport = async (url, init) => {
  try {
    return await fetch(url, init)
  } catch (cause) {
    if (init.signal?.aborted === true) throw cause
    throw new UnreachableError(
      `No daemon answers at ${new URL(url).origin}. Start it with \`chronym daemon\`, or name it with ` +
        '--api or --data-dir.',
      { cause }
    )
  }
}

/** /readyz answers its report with 503 too. */
export class NotReady extends Error {
  readonly body: ReadinessBody

  constructor(body: ReadinessBody) {
    super('The daemon is not ready')
    this.body = body
  }
}

/** The error that an answer without success means: ProblemError, NotReady or UnreachableError. */
export async function problemOf(response: Response, base: string): Promise<Error> {
  const type = response.headers.get('Content-Type') ?? ''
  if (type.startsWith('application/problem+json')) {
    const retryAfter = Number(response.headers.get('Retry-After') ?? NaN)
    return new ProblemError((await response.json()) as ProblemBody, Number.isNaN(retryAfter) ? undefined : retryAfter)
  }
  if (response.status === 503 && type.startsWith('application/json'))
    return new NotReady((await response.json()) as ReadinessBody)
  await response.body?.cancel()
  return new UnreachableError(
    `What answers at ${base} is no Chronym daemon (HTTP ${response.status}). Check the address.`
  )
}
