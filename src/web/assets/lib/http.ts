import { noteAnswer, noteLost } from './connection.ts'

/** An error that the daemon answered with; `errors` names the fields at fault. */
export class Problem extends Error {
  constructor({ code, title, detail, errors = [], check_code: checkCode }) {
    super(`${title}: ${detail} (${code})`)
    this.code = code
    this.detail = detail
    this.errors = errors
    /** Of the claim that was asked for, if one was. */
    this.checkCode = checkCode
  }
}

/** No daemon answered; the page says so at the top, and tries again by itself. */
export class Unreachable extends Error {
  constructor() {
    super('The daemon does not answer. Is it running?')
  }
}

let onLogout = () => {}
export const whenLoggedOut = (listener) => (onLogout = listener)

/**
 * The cookie counts only with this secret: browsers send the cookie to every port of this machine, but keep a page's
 * storage within its origin. Each tab logs in separately.
 */
const SECRET = 'chronym-session'

export function sessionHeaders() {
  const secret = sessionStorage.getItem(SECRET)
  return secret === null ? {} : { 'X-Session-Secret': secret }
}

/** `credential`: `{token}`, or `{link}` of a login link. */
export async function logIn(credential) {
  const { secret, scopes } = await post('/session', credential)
  sessionStorage.setItem(SECRET, secret)
  return scopes
}

export async function logOut() {
  await remove('/session')
  sessionStorage.removeItem(SECRET)
}

/** The session has ended: the page asks for the token. */
export const loggedOut = () => onLogout()

/** `accept`: statuses beside 2xx whose body is an answer, not a problem. */
async function send(method, path, { body, headers: given = {}, credentials = 'same-origin', accept = [] } = {}) {
  const headers = credentials === 'omit' ? { ...given } : { ...given, ...sessionHeaders() }
  const request = { method, headers, credentials }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json'
    request.body = JSON.stringify(body)
  }
  let response
  try {
    response = await fetch(path, request)
  } catch {
    noteLost()
    throw new Unreachable()
  }
  noteAnswer()
  if (response.ok || accept.includes(response.status)) return response
  const problem = new Problem(await problemOf(response))
  if (response.status === 401 && path !== '/session') onLogout()
  throw problem
}

/** A proxy between page and daemon may answer with something else. */
const problemOf = (response) =>
  response.json().catch(() => ({
    code: `HTTP ${response.status}`,
    title: 'Something else answered',
    detail: 'This is no answer of the daemon. Is a proxy between?'
  }))

const parsed = async (response) => (response.status === 204 ? undefined : response.json())

export const get = async (path, options) => parsed(await send('GET', path, options))
/** For an answer whose headers matter. */
export const getResponse = (path) => send('GET', path)
/** What anybody is answered: without the session. */
export const getPublic = async (path) => parsed(await send('GET', path, { credentials: 'omit' }))
export const post = async (path, body, headers) => parsed(await send('POST', path, { body, headers }))
export const remove = async (path, headers) => parsed(await send('DELETE', path, { headers }))
