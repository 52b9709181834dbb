import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createWorld, MAIN_TOKEN } from '../../../api/helpers/world.ts'
import { stream } from '../../../../src/web/assets/lib/events.ts'
import {
  connection,
  everyReason,
  get,
  logIn,
  logOut,
  post,
  Problem,
  Unreachable,
  whenLoggedOut
} from '../../../../src/web/assets/lib/http.ts'

/** The page's own session code against the interface, with a browser's storage and cookies as far as it uses them. */

const ORIGIN = 'http://localhost:7468'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** `fetch` as the page's browser has it; storage is the tab's. */
function browser() {
  const world = createWorld({ heartbeatMs: 60_000 })
  const storage = new Map<string, string>()
  let cookie = ''
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('Host', 'localhost:7468')
    headers.set('Origin', ORIGIN)
    if (cookie !== '') headers.set('Cookie', cookie)
    const response = await world.app.request(path, { ...init, headers })
    cookie = response.headers.get('Set-Cookie')?.split(';')[0] ?? cookie
    return response
  }
  vi.stubGlobal('fetch', send)
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => void storage.set(key, value),
    removeItem: (key: string) => void storage.delete(key)
  })
  return { world, storage }
}

it('keeps the secret of a login in its tab, and sends it with requests and streams', async () => {
  const { world, storage } = browser()
  expect((await get('/session')).scopes).toEqual([])
  await logIn({ token: MAIN_TOKEN })
  expect(storage.size).toBe(1)
  expect((await get('/session')).scopes).toEqual(['admin'])

  const change = world.scriptTask()
  const ended = Promise.withResolvers<string>()
  const close = stream(
    '/api/vdf/status/task-1/events',
    (type, data) => {
      if (type === 'completed') ended.resolve((data as { task_id: string }).task_id)
    },
    undefined
  )
  await expect.poll(world.openStreams).toBe(1)
  change('completed', { status: 'completed', phase: 'done', progress: 1_000_000 })
  expect(await ended.promise).toBe('task-1')
  close()

  const [kept] = storage
  storage.clear()
  expect((await get('/session')).scopes, 'the cookie alone').toEqual([])
  storage.set(...kept!)
  await logOut()
  expect([(await get('/session')).scopes, storage.size]).toEqual([[], 0])
})

it('asks for the token where the session has ended, and not for late answers to the one before', async () => {
  const { storage } = browser()
  const isOver = vi.fn()
  whenLoggedOut(isOver)
  await logIn({ token: MAIN_TOKEN })
  for (const secret of storage.keys()) storage.set(secret, 'of a daemon that has begun again')
  const late = Promise.withResolvers<undefined>()
  const send = fetch
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const response = await send(path, init)
    if (path !== '/session') await late.promise
    return response
  })
  const before = [get('/api/names'), get('/api/tokens')].map((reading) =>
    expect(reading).rejects.toThrow('invalid token')
  )
  const close = stream('/api/events', () => undefined, undefined)
  await logIn({ token: MAIN_TOKEN })
  late.resolve(undefined)
  await Promise.all(before)
  close()
  expect(isOver).not.toHaveBeenCalled()
  for (const secret of storage.keys()) storage.set(secret, 'of a daemon that has begun again')
  await expect(get('/api/names')).rejects.toThrow('invalid token')
  expect(isOver).toHaveBeenCalledOnce()
})

describe('an answer that takes long', () => {
  /** Requests that wait, by path. What aborts one rejects it, as a browser does. */
  const hanging = () => {
    const waiting = new Map<string, (answer: Response) => void>()
    vi.stubGlobal('sessionStorage', { getItem: () => null })
    vi.stubGlobal('fetch', (path: string, { signal }: RequestInit) => {
      const { promise, resolve, reject } = Promise.withResolvers<Response>()
      waiting.set(path, resolve)
      signal?.addEventListener('abort', () => reject(signal.reason as Error))
      return promise
    })
    return waiting
  }
  beforeEach(() => {
    vi.useFakeTimers()
    return () => vi.useRealTimers()
  })

  it('is of a daemon that hangs where nothing else is answered either, until it answers again', async () => {
    const waiting = hanging()
    const reading = get('/session').catch((error: unknown) => error)
    const change = post('/api/tokens/rotate')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(connection.get().isLost).toBe(true)
    expect(await reading, 'a reading').toBeInstanceOf(Unreachable)
    waiting.delete('/healthz')
    await vi.advanceTimersByTimeAsync(2000)
    waiting.get('/healthz')!(new Response())
    await vi.advanceTimersByTimeAsync(0)
    expect(connection.get().isLost).toBe(false)
    waiting.get('/api/tokens/rotate')!(Response.json({ token: 'new' }))
    expect(await change, 'a change, which was made').toEqual({ token: 'new' })
  })

  it('is waited for where the daemon answers something else', async () => {
    const waiting = hanging()
    const reading = get('/session')
    await vi.advanceTimersByTimeAsync(5000)
    waiting.get('/healthz')!(new Response())
    await vi.advanceTimersByTimeAsync(60_000)
    expect(connection.get().isLost).toBe(false)
    waiting.get('/session')!(Response.json({ scopes: [] }))
    expect(await reading).toEqual({ scopes: [] })
  })
})

describe('a problem on the dashboard', () => {
  it('says what happened in words, with the code behind', () => {
    const problem = new Problem({ code: 'SVC-ZON-002', title: 'Invalid zone', detail: 'The zone breaks a rule.' })
    expect(problem.message).toBe('Invalid zone: The zone breaks a rule. (SVC-ZON-002)')
    expect(problem.errors).toEqual([])
  })

  it('names each field at fault, and says once what one field alone is refused for', () => {
    const said = (detail: string, path: string, message: string) =>
      everyReason(new Problem({ code: 'SVC-REQ-001', title: 'Refused', detail, errors: [{ path, message }] }))
    expect(said('The body is wrong.', 'name', 'Required')).toBe('The body is wrong. name: Required')
    expect(said('no such name', 'name', 'no such name')).toBe('no such name')
    expect(everyReason(new Error('No answer'))).toBe('No answer')
  })
})
