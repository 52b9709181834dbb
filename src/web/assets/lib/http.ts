import type { Answer, Post, ProblemBody, SessionOpenedBody, TokenScope } from './api.ts'
import { createStore } from './html.ts'

const PROBE_MS = 2000
/** An answer that takes longer makes the page ask whether the daemon answers at all, within as long again. */
const PATIENCE_MS = 5000

/** `sinceMs`: when the daemon stopped to answer, null while it does. */
export const connection = createStore<{ isLost: boolean; sinceMs: number | null }>({ isLost: false, sinceMs: null })

let timer: ReturnType<typeof setTimeout> | undefined
let probing: Promise<void> | undefined
/** Readings under way. Changes wait for their answer, however long: nobody knows whether they were made. */
const readings = new Set<AbortController>()

/** A request found no daemon: ask until it answers. */
export function noteLost(): void {
  connection.set((now) => (now.isLost ? now : { isLost: true, sinceMs: Date.now() }))
  timer ??= setTimeout(() => void probe(), PROBE_MS)
  for (const reading of readings) reading.abort()
}

/** The daemon answered, whatever it said. */
function noteAnswer(): void {
  clearTimeout(timer)
  timer = undefined
  connection.set((now) => (now.isLost ? { isLost: false, sinceMs: null } : now))
}

/** Asks at once; also on a timer while the daemon is away, and when an answer takes long. */
export function probe(): Promise<void> {
  return (probing ??= ask().finally(() => (probing = undefined)))
}

async function ask(): Promise<void> {
  clearTimeout(timer)
  timer = undefined
  const late = new AbortController()
  const patience = setTimeout(() => late.abort(), PATIENCE_MS)
  try {
    await fetch('/healthz', { cache: 'no-store', signal: late.signal })
    noteAnswer()
  } catch {
    noteLost()
  } finally {
    clearTimeout(patience)
  }
}

/** The answer; where it takes long, the page asks whether the daemon hangs. */
export function watched<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const patience = setTimeout(() => void probe(), PATIENCE_MS)
  return answer.finally(() => clearTimeout(patience))
}

/** An error that the daemon answered with; `errors` names the fields at fault. */
export class Problem extends Error {
  readonly code: string
  readonly detail: string
  readonly errors: readonly FieldError[]
  /** The claim that was asked for, if one was. */
  readonly checkCode: unknown

  constructor({ code, title, detail, errors = [], check_code: checkCode }: ProblemLike) {
    super(`${title}: ${detail} (${code})`)
    this.code = code
    this.detail = detail
    this.errors = errors
    this.checkCode = checkCode
  }
}

export type FieldError = NonNullable<ProblemBody['errors']>[number]
type ProblemLike = Pick<ProblemBody, 'title' | 'detail' | 'errors'> & { code: string; check_code?: unknown }

/** Why something failed, for a person: an error of the daemon without its title and code. */
export const reasonOf = (error: Error): string => (error instanceof Problem ? error.detail : error.message)

/** The same with each field at fault; a field that is the whole reason is said once. */
export const everyReason = (error: Error): string =>
  [
    reasonOf(error),
    ...(error instanceof Problem ? error.errors : [])
      .filter(({ message }) => message !== reasonOf(error))
      .map(({ path, message }) => `${path}: ${message}`)
  ].join(' ')

/** No daemon answered; the page says so at the top, and tries again by itself. */
export class Unreachable extends Error {
  constructor() {
    super('The daemon does not answer. Is it running?')
  }
}

let onLogout = (): void => undefined
export const whenLoggedOut = (listener: () => void): void => void (onLogout = listener)

/**
 * The cookie counts only with this secret: browsers send the cookie to every port of this machine, but keep a page's
 * storage within its origin. Each tab logs in separately.
 */
const SECRET = 'chronym-session'
const SECRET_HEADER = 'X-Session-Secret'

export function sessionHeaders(): Record<string, string> {
  const secret = sessionStorage.getItem(SECRET)
  return secret === null ? {} : { [SECRET_HEADER]: secret }
}

/** `link`: of a login link. */
export async function logIn(credential: { token: string } | { link: string }): Promise<TokenScope[]> {
  const { secret, scopes }: SessionOpenedBody = await post('/session', credential)
  sessionStorage.setItem(SECRET, secret)
  return scopes
}

export async function logOut(): Promise<void> {
  await remove('/session')
  sessionStorage.removeItem(SECRET)
}

/** A request with these headers was told that its session has ended: the page asks for the token, unless it has another. */
export function loggedOut(headers: Readonly<Record<string, string>>): void {
  if (headers[SECRET_HEADER] === sessionHeaders()[SECRET_HEADER]) onLogout()
}

interface Options {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly credentials?: RequestCredentials
  /** Statuses beside 2xx whose body is an answer, not a problem. */
  readonly accept?: readonly number[] | undefined
}

async function send(method: string, path: string, options: Options = {}): Promise<Response> {
  const { body, headers: given = {}, credentials = 'same-origin', accept = [] } = options
  const headers: Record<string, string> = credentials === 'omit' ? { ...given } : { ...given, ...sessionHeaders() }
  const reading = new AbortController()
  const request: RequestInit = { method, headers, credentials, signal: reading.signal }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json'
    request.body = JSON.stringify(body)
  }
  if (method === 'GET') readings.add(reading)
  let response: Response
  try {
    response = await watched(fetch(path, request))
  } catch {
    noteLost()
    throw new Unreachable()
  } finally {
    readings.delete(reading)
  }
  noteAnswer()
  if (response.ok || accept.includes(response.status)) return response
  const problem = new Problem(await problemOf(response))
  if (response.status === 401 && path !== '/session') loggedOut(headers)
  throw problem
}

/** A proxy between page and daemon may answer with something else. */
const problemOf = (response: Response): Promise<ProblemLike> =>
  response.json().catch(() => ({
    code: `HTTP ${response.status}`,
    title: 'Something else answered',
    detail: 'This is not an answer of the daemon. Is a proxy between?'
  }))

const parsed = async (response: Response): Promise<unknown> => (response.status === 204 ? undefined : response.json())

export const get = async <P extends string>(path: P, options?: Pick<Options, 'accept'>): Promise<Answer<P>> =>
  (await parsed(await send('GET', path, options))) as Answer<P>
/** For an answer whose headers matter. */
export const getResponse = (path: string): Promise<Response> => send('GET', path)
/** What anybody is answered: without the session. */
export const getPublic = async <P extends string>(path: P): Promise<Answer<P>> =>
  (await parsed(await send('GET', path, { credentials: 'omit' }))) as Answer<P>
export const post = (async (path: string, body?: unknown, headers?: Options['headers']) =>
  parsed(await send('POST', path, { body, headers }))) as Post
export const remove = async (path: string, headers?: Options['headers']): Promise<unknown> =>
  parsed(await send('DELETE', path, { headers }))
