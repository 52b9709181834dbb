/** An error that the daemon answered with; `errors` names the fields at fault. */
export class Problem extends Error {
  constructor({ code, title, detail, errors = [] }) {
    super(`${title}: ${detail} (${code})`)
    this.code = code
    this.errors = errors
  }
}

/** Called when the session has ended. */
let onLogout = () => {}
export const whenLoggedOut = (listener) => (onLogout = listener)

async function send(method, path, body, headers = {}, credentials = 'same-origin') {
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
export const remove = (path) => send('DELETE', path)

/** Server-sent events; the browser connects again by itself. Returns what closes the stream. */
export function stream(path, types, listener) {
  const source = new EventSource(path)
  for (const type of types) source.addEventListener(type, (event) => listener(type, JSON.parse(event.data)))
  return () => source.close()
}
