/**
 * A client that stops reading, on a real socket: what the daemon holds for it, and what it finds when it comes back.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { parseEvents } from '../../../src/api/client/events.ts'
import { serve, type ApiServer } from '../../../src/api/serve.ts'
import { TaskEventLog } from '../../../src/registry/claims/event-log.ts'
import type { TaskEvent } from '../../../src/registry/tasks.ts'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

/** More than the buffers of both sockets hold together: 40 MB of events. */
const EVENTS = 20_000
const PADDING = 'x'.repeat(2_000)
const HEARTBEAT_MS = 250

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** The daemon's HTTP interface over the real log of one task, whose events the test makes. */
async function start() {
  const world = createWorld()
  const { task_id: taskId } = world.node.tasks.create({ name: 'alice.chronym', kind: 'register' })
  const log = new TaskEventLog()
  let newest = 0
  let taken = 0
  let open = 0
  world.answers.events = (_id, after, signal) => {
    const source = log.read(after ?? 0, signal)
    return (async function* () {
      open++
      try {
        for await (const event of source) {
          taken++
          yield event
        }
      } finally {
        open--
      }
    })()
  }
  const append = (type: TaskEvent['type'], change: object = {}): void => {
    newest++
    log.append({
      id: newest,
      type,
      task: { ...world.node.tasks.get(taskId)!, progress: newest, name: PADDING, ...change }
    })
  }
  const server: ApiServer = await serve(world.services, { host: '127.0.0.1', port: 0 }, { heartbeatMs: HEARTBEAT_MS })
  cleanups.push(() => server.close())
  return {
    server,
    path: `/api/vdf/status/${taskId}/events`,
    append,
    newest: () => newest,
    taken: () => taken,
    open: () => open
  }
}

async function stalledClient(port: number, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  cleanups.push(() => socket.destroy())
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${MAIN_TOKEN}\r\n\r\n`)
  return socket
}

/** Makes events until the source is not asked for any more, then all the rest at once. */
async function makeEvents({ append, newest, taken }: Awaited<ReturnType<typeof start>>): Promise<number> {
  let idle = 0
  for (let before = taken(); newest() < EVENTS && idle < 200; before = taken()) {
    append('progress')
    await new Promise((resolve) => setImmediate(resolve))
    idle = taken() === before ? idle + 1 : 0
  }
  const stopped = taken()
  while (newest() < EVENTS) append('progress')
  return stopped
}

describe('a client that stops reading', () => {
  it('is not read for: thousands of events later the source was not asked, and the heap has not grown', async () => {
    const daemon = await start()
    await stalledClient(daemon.server.port, daemon.path)
    await expect.poll(daemon.open).toBe(1)
    const stopped = await makeEvents(daemon)
    expect(stopped).toBeLessThan(EVENTS)
    const before = process.memoryUsage()
    for (let more = 0; more < EVENTS; more++) daemon.append('progress')
    await new Promise((resolve) => setImmediate(resolve))
    // 20,000 more events of 2 KB would be 40 MB if kept; as text they would be outside the heap.
    const after = process.memoryUsage()
    expect(after.external + after.arrayBuffers - before.external - before.arrayBuffers).toBeLessThan(5e6)
    expect(daemon.taken()).toBe(stopped)
  })

  it('is dropped after four heartbeats, and with Last-Event-ID finds the newest progress and the end', async () => {
    const daemon = await start()
    const socket = await stalledClient(daemon.server.port, daemon.path)
    await expect.poll(daemon.open).toBe(1)
    daemon.append('phase', { phase: 'evaluate' })
    await makeEvents(daemon)
    // No client reads, and still the daemon closes it.
    await expect.poll(daemon.open).toBe(0)
    socket.destroy()
    const back = await fetch(`${daemon.server.url}${daemon.path}`, {
      headers: { Authorization: `Bearer ${MAIN_TOKEN}`, 'Last-Event-ID': '1' }
    })
    daemon.append('completed', { status: 'completed' })
    const events = []
    for await (const event of parseEvents(back.body!)) events.push(event)
    expect(events.map(({ event }) => event).at(-1)).toBe('completed')
    expect(events.length).toBeLessThanOrEqual(2)
  })

  it('but reads on keeps its stream however long it lasts', async () => {
    const daemon = await start()
    const response = await fetch(`${daemon.server.url}${daemon.path}`, {
      headers: { Authorization: `Bearer ${MAIN_TOKEN}` }
    })
    const text = response.text()
    await new Promise((resolve) => setTimeout(resolve, 8 * HEARTBEAT_MS))
    expect(daemon.open()).toBe(1)
    daemon.append('completed', { status: 'completed' })
    expect(await text).toContain('event: completed')
  })
})
