/** An error that the daemon answered with; `errors` names the fields at fault. */
export class Problem extends Error {
  constructor({ code, title, detail, errors = [] }) {
    super(`${title}: ${detail} (${code})`)
    this.code = code
    this.errors = errors
  }
}

let onLogout = () => {}
export const whenLoggedOut = (listener) => (onLogout = listener)

/**
 * The cookie counts only with this secret: browsers send the cookie to every port of this machine, but keep a page's
 * storage within its origin. Each tab logs in separately.
 */
const SECRET = 'chronym-session'

function sessionHeaders() {
  const secret = sessionStorage.getItem(SECRET)
  return secret === null ? {} : { 'X-Session-Secret': secret }
}

export async function logIn(token) {
  const { secret } = await post('/session', { token })
  sessionStorage.setItem(SECRET, secret)
}

export async function logOut() {
  await remove('/session')
  sessionStorage.removeItem(SECRET)
}

async function send(method, path, body, given = {}, credentials = 'same-origin') {
  const headers = credentials === 'omit' ? given : { ...given, ...sessionHeaders() }
  const request = { method, headers, credentials }
  if (body !== undefined) {
    request.headers = { ...headers, 'Content-Type': 'application/json' }
    request.body = JSON.stringify(body)
  }
  let response
  try {
    response = await fetch(path, request)
  } catch {
    throw new Error('The daemon does not answer. Is it running?')
  }
  if (response.ok) return response
  const problem = new Problem(await response.json())
  if (response.status === 401 && path !== '/session') onLogout()
  throw problem
}

export const get = async (path) => (await send('GET', path)).json()
export const getResponse = (path) => send('GET', path)
/** What anybody is answered: without the session. */
export const getPublic = async (path) => (await send('GET', path, undefined, {}, 'omit')).json()
export const post = async (path, body, headers) => (await send('POST', path, body, headers)).json()
export const remove = (path, headers) => send('DELETE', path, undefined, headers)

/** Between the end of a stream and the next try. */
const RETRY_MS = 2000

/**
 * Server-sent events, over fetch: EventSource sends no header. Connects again by itself. Returns what closes the
 * stream.
 */
export function stream(path, types, listener) {
  const closed = new AbortController()
  void follow(path, types, listener, closed.signal)
  return () => closed.abort()
}

async function follow(path, types, listener, signal) {
  let last
  while (!signal.aborted) {
    try {
      const response = await fetch(path, {
        credentials: 'same-origin',
        signal,
        headers: { ...sessionHeaders(), ...(last !== undefined && { 'Last-Event-ID': last }) }
      })
      if (response.status === 401) return onLogout()
      if (response.status === 404) return
      if (response.ok) {
        for await (const { id, type, data } of events(response.body)) {
          last = id ?? last
          if (types.includes(type)) listener(type, JSON.parse(data))
        }
      }
    } catch {
      // The daemon has gone, or the stream was closed.
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (text + value).split('\n\n')
    text = blocks.pop()
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()])
      )
      if (fields.data !== undefined) yield { id: fields.id, type: fields.event ?? 'message', data: fields.data }
    }
  }
}
