import { describe, expect, it } from 'vitest'
import { parseEvents } from '../../../src/api/client/events.ts'
import { createEventLog } from '../../../src/api/event-log.ts'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

const token = MAIN_TOKEN
const PATH = '/api/vdf/status/task-1/events'

function withTask(options = {}) {
  const world = createWorld(options)
  return { ...world, change: world.scriptTask() }
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}

/** Chunks of a stream as text, one at a time. */
function chunks(response: Response) {
  const reader = response.body!.getReader()
  return { next: async () => new TextDecoder().decode((await reader.read()).value), cancel: () => reader.cancel() }
}

describe('the events of a task', () => {
  it('come with ids and the task as data, and end with it', async () => {
    const world = withTask()
    const response = await world.request('GET', PATH, { token })
    expect(response.headers.get('Content-Type')).toBe('text/event-stream')
    world.change('phase', { phase: 'evaluate' })
    world.change('progress', { progress: 500 })
    world.change('completed', { status: 'completed', phase: 'done' })
    const events = await all(parseEvents(response.body!))
    expect(events.map(({ id, event }) => [id, event])).toEqual([
      ['1', 'phase'],
      ['2', 'progress'],
      ['3', 'completed']
    ])
    expect(events[1]?.data).toMatchObject({ task_id: 'task-1', progress: 500, phase: 'evaluate' })
    expect(world.openStreams()).toBe(0)
  })

  it('go on after Last-Event-ID', async () => {
    const world = withTask()
    world.change('progress', { progress: 1 })
    world.change('progress', { progress: 2 })
    world.change('failed', { status: 'failed' })
    const response = await world.request('GET', PATH, { token, headers: { 'Last-Event-ID': '2' } })
    expect((await all(parseEvents(response.body!))).map(({ id }) => id)).toEqual(['3'])
  })

  it('end, with nothing more sent, when the token is revoked', async () => {
    const world = withTask()
    const made = (await (await world.request('POST', '/api/tokens', { token, body: { scopes: ['read'] } })).json()) as {
      id: string
      token: string
    }
    const response = await world.request('GET', PATH, { token: made.token })
    world.change('progress', { progress: 1 })
    const { next } = chunks(response)
    expect(await next()).toContain('retry')
    expect(await next()).toContain('"progress":1')
    await world.request('DELETE', `/api/tokens/${made.id}`, { token })
    world.change('progress', { progress: 2 })
    expect(await next()).toBe('')
    await expect.poll(world.openStreams).toBe(0)
  })

  it.each(['abc', '-1', '1.5', '9'.repeat(20)])('start over for Last-Event-ID: %s, which we never gave', async (id) => {
    const world = withTask()
    world.change('failed', { status: 'failed' })
    const response = await world.request('GET', PATH, { token, headers: { 'Last-Event-ID': id } })
    expect(await all(parseEvents(response.body!))).toHaveLength(1)
  })

  it('are written as the standard says, after the time to wait before connecting again', async () => {
    const world = withTask()
    const stream = chunks(await world.request('GET', PATH, { token }))
    expect(await stream.next()).toBe('retry: 2000\n\n')
    world.change('progress', { progress: 7 })
    expect(await stream.next()).toMatch(/^id: 1\nevent: progress\ndata: \{.*"progress":7.*\}\n\n$/)
    await stream.cancel()
  })

  it('are kept company by a comment while nothing happens', async () => {
    const stream = chunks(await withTask({ heartbeatMs: 5 }).request('GET', PATH, { token }))
    await stream.next()
    expect(await stream.next()).toBe(': heartbeat\n\n')
    expect(await stream.next()).toBe(': heartbeat\n\n')
    await stream.cancel()
  })

  it('do not get lost to a heartbeat that came first', async () => {
    const world = withTask({ heartbeatMs: 5 })
    const stream = chunks(await world.request('GET', PATH, { token }))
    await stream.next()
    await stream.next()
    world.change('progress', { progress: 7 })
    let text = await stream.next()
    while (text.startsWith(':')) text = await stream.next()
    expect(text).toContain('"progress":7')
    await stream.cancel()
  })

  it('let go of the source when the client goes away', async () => {
    const world = withTask()
    const stream = chunks(await world.request('GET', PATH, { token }))
    await stream.next()
    world.change('progress', { progress: 1 })
    await stream.next()
    expect(world.openStreams()).toBe(1)
    await stream.cancel()
    await expect.poll(world.openStreams).toBe(0)
  })

  it('end when the server closes', async () => {
    const shutdown = new AbortController()
    const world = withTask({ shutdown: shutdown.signal })
    const response = await world.request('GET', PATH, { token })
    const events = all(parseEvents(response.body!))
    shutdown.abort()
    expect(await events).toEqual([])
    expect(world.openStreams()).toBe(0)
  })

  it('are a hundred streams of one token at once, and of each other as many', async () => {
    const world = withTask()
    const stream = (path = PATH, by = token) => world.request('GET', path, { token: by })
    const open = await Promise.all(Array.from({ length: 50 }, () => [stream(), stream('/api/events')]).flat())
    const refused = await stream()
    expect(refused.headers.get('Retry-After')).toBe('15')
    expect(await refused.json()).toMatchObject({
      code: 'SVC-REQ-005',
      detail: expect.stringContaining('100 event streams open') as string
    })
    expect((await stream('/api/events')).status).toBe(429)
    expect((await world.request('HEAD', PATH, { token })).status).toBe(200)
    const narrow = await stream(PATH, world.services.tokens.create(['read']).token)
    expect(narrow.status).toBe(200)
    await open[0]!.body!.cancel()
    open.push(await stream())
    expect(open.map(({ status }) => status)).toEqual(Array(101).fill(200))
    expect((await stream()).status).toBe(429)
    for (const { body } of [narrow, ...open.slice(1)]) await body!.cancel()
    expect((await stream()).status).toBe(200)
  })

  it('of an unknown task are SVC-TSK-001, not an empty stream', async () => {
    expect((await createWorld().request('GET', PATH, { token })).status).toBe(404)
  })
})

describe('the events of the daemon', () => {
  it('are those kept, then new ones', async () => {
    const shutdown = new AbortController()
    const world = createWorld({ shutdown: shutdown.signal })
    world.events.append('peer:connect', { peer: 'a' })
    const response = await world.request('GET', '/api/events', { token })
    world.events.append('mode', { mode: 'light' })
    const seen: unknown[] = []
    for await (const { id, data } of parseEvents(response.body!)) {
      seen.push([id, data])
      if (seen.length === 2) break
    }
    const started = Date.parse('2026-11-21T12:00:00Z')
    expect(seen).toEqual([
      [
        `${started + 1}`,
        { id: started + 1, at: '2026-11-21T12:00:00.000Z', type: 'peer:connect', detail: { peer: 'a' } }
      ],
      [`${started + 2}`, { id: started + 2, at: '2026-11-21T12:00:00.000Z', type: 'mode', detail: { mode: 'light' } }]
    ])
  })
})

describe('the event log', () => {
  const take = async (log: ReturnType<typeof createEventLog>, after: number | undefined, amount: number) => {
    const closed = new AbortController()
    const ids: number[] = []
    for await (const { id } of log.stream(after, closed.signal)) {
      ids.push(id)
      if (ids.length === amount) closed.abort()
    }
    return ids
  }

  it('keeps the newest events only, and goes on after the one that was seen', async () => {
    const log = createEventLog({ capacity: 3, now: () => 0 })
    for (let event = 1; event <= 5; event++) log.append('test', {})
    expect(await take(log, undefined, 3)).toEqual([3, 4, 5])
    expect(await take(log, 1, 3)).toEqual([3, 4, 5])
    expect(await take(log, 4, 1)).toEqual([5])
  })

  it('shows everything to a reader with an id from before a restart, whatever the number of events', async () => {
    const former = createEventLog({ capacity: 100, now: () => 5_000 })
    for (let event = 0; event < 50; event++) former.append('test', {})
    const last = (await take(former, undefined, 50)).at(-1)
    const log = createEventLog({ capacity: 100, now: () => 6_000 })
    for (let event = 0; event < 60; event++) log.append('test', {})
    expect(await take(log, last, 60)).toEqual(await take(log, undefined, 60))
  })

  it('shows everything to a reader whose id is from before the clock was set back', async () => {
    const log = createEventLog({ capacity: 3, now: () => 0 })
    log.append('test', {})
    expect(await take(log, 1000, 1)).toEqual([1])
  })

  it('lets a slow reader lose the oldest', async () => {
    const log = createEventLog({ capacity: 2, now: () => 0 })
    const closed = new AbortController()
    const reader = log.stream(undefined, closed.signal)[Symbol.asyncIterator]()
    log.append('test', {})
    expect((await reader.next()).value).toMatchObject({ id: 1 })
    for (let event = 2; event <= 9; event++) log.append('test', {})
    expect((await reader.next()).value).toMatchObject({ id: 8 })
    closed.abort()
    expect((await reader.next()).done).toBe(true)
  })

  it('ends for a reader that waits when its signal aborts', async () => {
    const closed = new AbortController()
    const events = createEventLog({ capacity: 2, now: () => 0 }).stream(undefined, closed.signal)
    const reader = events[Symbol.asyncIterator]()
    const next = reader.next()
    closed.abort()
    expect((await next).done).toBe(true)
  })
})
