/** Sends a request, and reads its answer. */
import { plainFetch, problemOf, UnreachableError, type Transport } from './transport.ts'
import type { RequestOptions } from './types.ts'

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
  const base = baseUrl.replace(/\/+$/, '')

  /** Rejects with ProblemError, UnreachableError, or the reason of the signal. */
  async function send(method: string, path: string, call: Call = {}): Promise<Response> {
    const { body, signal, timeoutMs = usual } = call
    const headers = new Headers(typeof common === 'function' ? common() : common)
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`)
    const request: RequestInit & { body?: string | Uint8Array<ArrayBuffer> } = { method, headers }
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
