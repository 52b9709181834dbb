/** Sends a request, and reads its answer. */
import type { RequestOptions } from './types.ts'
import type { FieldError } from '../../errors.ts'
import type { ErrorCode } from '../../error-table.ts'
import type { ReadinessBody } from '../../views/readiness.ts'
import type { ProblemBody } from '../schemas/common.ts'

export interface ClientOptions {
  /** `http://host:port`. Default: that of the page in a browser, else `http://127.0.0.1:7468`. */
  readonly baseUrl?: string | undefined
  readonly token?: string | undefined
  /** Headers of every request, such as X-Session-Secret of a dashboard's session. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>) | undefined
  /** How long an answer may take until UnreachableError. Default: no bound but the daemon's own. */
  readonly timeoutMs?: number | undefined
  readonly fetch?: Transport | undefined
}

export interface Call extends RequestOptions {
  /** Sent as JSON; bytes as they are. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string | undefined>>
}

export type Sender = ReturnType<typeof createSender>

const DEFAULT_URL = 'http://127.0.0.1:7468'

/** What the daemon listens on, or where the page came from. */
function defaultUrl(): string {
  const { location } = globalThis as { location?: { origin?: string } }
  return location?.origin?.startsWith('http') === true ? location.origin : DEFAULT_URL
}

export function createSender({
  baseUrl = defaultUrl(),
  token,
  headers: common,
  timeoutMs: usual,
  fetch: transport = plainFetch
}: ClientOptions) {
  const base = baseUrl.replace(/(?<!\/)\/+$/, '')

  /** Rejects with ProblemError, UnreachableError, or the reason of the signal. */
  async function send(method: string, path: string, call: Call = {}): Promise<Response> {
    const { body, signal, timeoutMs = usual } = call
    const headers = new Headers(typeof common === 'function' ? common() : common)
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`)
    // Another address must get neither the token nor what is asked.
    const request: RequestInit & { body?: string | Uint8Array<ArrayBuffer> } = { method, headers, redirect: 'manual' }
    if (body instanceof Uint8Array) request.body = Uint8Array.from(body)
    else if (body !== undefined) {
      request.body = JSON.stringify(body)
      headers.set('Content-Type', 'application/json')
    }
    for (const [name, value] of Object.entries(call.headers ?? {})) if (value !== undefined) headers.set(name, value)
    const late = timeoutMs === undefined || timeoutMs === Infinity ? undefined : AbortSignal.timeout(timeoutMs)
    const signals = [signal, late].filter((each) => each !== undefined)
    request.signal = signals.length > 1 ? AbortSignal.any(signals) : (signals[0] ?? null)
    try {
      const response = await transport(`${base}${path}`, request)
      if (!response.ok && response.status !== 304) throw await problemOf(response, base)
      return response
    } catch (cause) {
      if (late?.aborted === true && signal?.aborted !== true)
        throw new UnreachableError(`The daemon at ${base} gave no answer within ${timeoutMs! / 1000} s.`, { cause })
      throw cause
    }
  }

  async function json<T>(method: string, path: string, call?: Call): Promise<T> {
    const response = await send(method, path, call)
    try {
      // The daemon's tests hold every answer against the schema that T is made from.
      return (await response.json()) as T
    } catch (cause) {
      if (call?.signal?.aborted === true) throw cause
      throw new UnreachableError(`The daemon at ${base} broke its answer off.`, { cause })
    }
  }

  return { base, send, json }
}

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
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400))
    return new UnreachableError(
      `What answers at ${base} leads to another address, which is not followed. Name that one.`
    )
  return new UnreachableError(
    `What answers at ${base} is not a Chronym daemon (HTTP ${response.status}). Check the address.`
  )
}
