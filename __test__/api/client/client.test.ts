import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { OWN_HOST } from '../../../scripts/loopback.ts'
import { createClient, ProblemError, UnreachableError } from '../../../src/api/client/client.ts'
import { parseEvents, readEventStream } from '../../../src/api/client/events.ts'
import { serve, type ApiServer } from '../../../src/api/serve.ts'
import { DID, NAME, pinOf, REVEAL, REVEAL_BODY, ownedName } from '../helpers/endpoints.ts'
import { CHECK_CODE } from '../helpers/registry.ts'
import { createWorld, MAIN_TOKEN, type World } from '../helpers/world.ts'

const opened: { close(): unknown }[] = []

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

async function start(world: World, port = 0): Promise<ApiServer> {
  const server = await serve(world.services, { host: OWN_HOST, port })
  opened.push(server)
  return server
}

async function connected() {
  const world = createWorld()
  const server = await start(world)
  return { world, server, client: createClient({ baseUrl: `${server.url}/`, token: MAIN_TOKEN }) }
}

describe('the client', () => {
  it('follows nobody to another address, with its token or without', async () => {
    const asked: string[] = []
    const listen = async (status: number, to?: string): Promise<string> => {
      const server = createServer((request, response) => {
        asked.push(request.url!)
        response.writeHead(status, to === undefined ? {} : { location: `${to}/secret` }).end('{}')
      })
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      opened.push(server)
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    }
    const elsewhere = await listen(200)
    for (const status of [301, 302, 303, 307, 308]) {
      const client = createClient({ baseUrl: await listen(status, elsewhere), token: MAIN_TOKEN })
      await expect(client.networkStatus()).rejects.toThrow('leads to another address, which is not followed')
    }
    expect(asked).not.toContain('/secret')
  })

  it('speaks to every part of the interface', async () => {
    const { world, client } = await connected()
    world.registry.reveals.set(NAME, REVEAL)
    world.registry.owned.set(NAME, ownedName(NAME))
    const zone = { records: { '@': [{ type: 'A', value: '192.0.2.1' }] } }
    expect(await client.health()).toEqual({ status: 'ok', version: '1.2.3' })
    expect(await client.networkStatus()).toMatchObject({ status: 'online' })
    expect(await client.resolve(NAME)).toEqual({ ...REVEAL_BODY, check_code: CHECK_CODE, source: 'network' })
    expect(await client.explain(NAME)).toMatchObject({ name: NAME })
    expect(await client.publish(REVEAL_BODY)).toEqual({ success: true, stored_by: 3, of: 4 })
    expect(
      await client.commit({ name: NAME, commitment: { hash: Buffer.alloc(32).toString('base64url') } })
    ).toMatchObject({ success: true })
    expect(await client.publishKid({ document: { id: DID, verificationMethod: [] } })).toMatchObject({ did: DID })
    expect(await client.publishManifest({ manifest: { id: DID, capabilities: [] } })).toMatchObject({ did: DID })
    expect(await client.resolveKid(DID)).toMatchObject({ kid_document: { id: DID } })
    expect(await client.ownedNames()).toEqual([NAME])
    expect(await client.names()).toMatchObject([{ name: NAME, state: 'live' }])
    expect(await client.release(NAME)).toMatchObject({ name: NAME, renewal: { state: 'released' } })
    expect(await client.takeBack(NAME)).toMatchObject({ name: NAME, renewal: { state: 'scheduled' } })
    for (const label of ['c', 'a', 'b']) world.registry.pinned.set(`${label}.chronym`, pinOf(`${label}.chronym`))
    world.registry.pinned = new Map([...world.registry.pinned].sort())
    expect((await client.pins()).map(({ name }) => name)).toEqual(['a.chronym', 'b.chronym', 'c.chronym'])
    expect(await client.forgetPin('a.chronym')).toEqual({ success: true })
    await expect(client.forgetPin('a.chronym')).rejects.toThrow('SVC-PIN-001')
    expect(await client.saveZone(NAME, zone)).toEqual({ success: true, serial: 1 })
    expect(await client.zone(NAME)).toEqual({
      zone: { ...zone, serial: 1 },
      source: 'local',
      state: 'draft',
      etag: '"1"'
    })
    expect(await client.drafts()).toMatchObject([{ name: NAME, serial: 1 }])
    expect(await client.patchZone(NAME, { remove: [{ label: '@' }] }, { ifMatch: '"1"' })).toMatchObject({
      success: true
    })
    expect(await client.publishZone(NAME)).toEqual({ success: true, serial: 2, stored_by: 3, of: 4 })
    expect(await client.estimate(NAME)).toMatchObject({ iterations: 1_000_000 })
    const { task_id: taskId } = await client.register(NAME, { zone, idempotencyKey: 'key' })
    expect(await client.register(NAME, { zone, idempotencyKey: 'key' })).toMatchObject({ task_id: taskId })
    expect(await client.tasks()).toHaveLength(1)
    expect(await client.pauseTask(taskId)).toMatchObject({ paused: true })
    expect(await client.resumeTask(taskId)).toMatchObject({ paused: false })
    expect(await client.moveTask(taskId, 'farm')).toMatchObject({ moved_to: 'farm' })
    expect(await client.cancelTask(taskId)).toEqual({ success: true })
    expect(await client.task(taskId)).toMatchObject({ status: 'failed' })
    await expect(client.cancelTask(taskId)).rejects.toThrow('SVC-TSK-004')
    expect(await client.clearTask(taskId)).toEqual({ success: true })
    await expect(client.task(taskId)).rejects.toThrow('SVC-TSK-001')
    expect(await client.renew(NAME)).toMatchObject({ task_id: 'task-1' })
    expect(await client.config()).toMatchObject({ mode: 'full' })
    expect(await client.changeConfig({ mode: 'light' })).toMatchObject({ mode: 'light' })
    const { id } = await client.createToken({ scopes: ['read'] })
    expect(await client.tokens()).toMatchObject([{ id }])
    expect(await client.revokeToken(id)).toEqual({ success: true })
    expect(await client.metrics()).toContain('chronym_http_request_duration_seconds')
    expect(await client.rotateToken()).toEqual({ token: world.mainToken() })
    await expect(client.config()).rejects.toThrow('SVC-AUT-001')
  })

  it('tells readiness without rejecting', async () => {
    const { world, client } = await connected()
    world.state.checks = [{ name: 'beacon', ok: false, detail: 'no pulse' }]
    expect(await client.readiness()).toEqual({ ready: false, checks: world.state.checks })
  })

  it('turns a problem into an error with its code, fields and members', async () => {
    const { client } = await connected()
    const failure = (await client
      .saveZone(NAME, { records: { www: [{ type: 'A', value: 'x' }] } })
      .catch((error: unknown) => error)) as ProblemError
    expect(failure).toBeInstanceOf(ProblemError)
    expect(failure).toMatchObject({
      code: 'SVC-ZON-002',
      status: 422,
      detail: 'The zone breaks a rule.',
      errors: [{ path: 'records/www/0/value' }]
    })
    await client.register(NAME)
    const running = (await client.register(NAME).catch((error: unknown) => error)) as ProblemError
    expect(running.problem['task_id']).toBe('task-1')
  })

  it('says that nobody answers', async () => {
    const server = await start(createWorld())
    await server.close()
    const { url } = server
    await expect(createClient({ baseUrl: url }).health()).rejects.toThrow(
      `No daemon answers at ${url}. Start it with \`chronym daemon\`, or name it with --api or --data-dir.`
    )
  })

  it('says that something else answers', async () => {
    const other: Server = createServer((_request, response) =>
      response.writeHead(404, { 'Content-Type': 'text/html' }).end('<h1>Not found</h1>')
    )
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    opened.push(other)
    const baseUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    await expect(createClient({ baseUrl }).health()).rejects.toBeInstanceOf(UnreachableError)
  })

  it('passes on that its caller gave up', async () => {
    const { client } = await connected()
    await expect(client.health({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('the events of a task', () => {
  it('come until it ends', async () => {
    const { world, client } = await connected()
    const { task_id: taskId } = await client.register(NAME)
    world.tasks.change(taskId, 'progress', { progress: 5 })
    const types: string[] = []
    for await (const { type } of client.taskEvents(taskId)) {
      types.push(type)
      if (type === 'progress') world.tasks.change(taskId, 'completed', { status: 'completed' })
    }
    expect(types).toEqual(['progress', 'completed'])
  })

  it('go on after a restart of the daemon, none twice', async () => {
    const world = createWorld()
    const first = await start(world)
    const client = createClient({ baseUrl: first.url, token: MAIN_TOKEN })
    const { task_id: taskId } = await client.register(NAME)
    world.tasks.change(taskId, 'progress', { progress: 1 })
    const seen: [number, string][] = []
    for await (const { id, type } of client.taskEvents(taskId)) {
      seen.push([id, type])
      if (id === 1) {
        await first.close()
        world.tasks.change(taskId, 'progress', { progress: 2 })
        await start(world, first.port)
      } else if (id === 2) world.tasks.change(taskId, 'completed', { status: 'completed' })
    }
    expect(seen).toEqual([
      [1, 'progress'],
      [2, 'progress'],
      [3, 'completed']
    ])
  })

  it('are asked for again when the daemon was killed before the first of them', async () => {
    const cut = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(new TypeError('terminated')) })
    const lost: string[] = []
    const events: unknown[] = []
    const bodies: (ReadableStream<Uint8Array> | string)[] = [cut, 'id: 1\nevent: phase\ndata: {}\n\n']
    const connect = () => Promise.resolve(bodies.length === 0 ? undefined : new Response(bodies.shift()))
    for await (const event of readEventStream(connect, undefined, () => lost.push('lost'))) events.push(event)
    expect(events).toEqual([{ id: '1', event: 'phase', data: {} }])
    expect(lost.length).toBeGreaterThan(0)
  })

  it('tell the end of a task that ended while the daemon could not be reached', async () => {
    const world = createWorld()
    const first = await start(world)
    const client = createClient({ baseUrl: first.url, token: MAIN_TOKEN })
    const { task_id: taskId } = await client.register(NAME)
    world.tasks.change(taskId, 'progress', { progress: 1 })
    const types: string[] = []
    for await (const { type } of client.taskEvents(taskId)) {
      types.push(type)
      if (type !== 'progress') continue
      await first.close()
      world.tasks.change(taskId, 'failed', { status: 'failed', error: { code: 'SVC-BCN-001', message: 'No pulse' } })
      await start(world, first.port)
    }
    expect(types).toEqual(['progress', 'failed'])
  })

  it('end at once when the caller gives up', async () => {
    const { client } = await connected()
    const { task_id: taskId } = await client.register(NAME)
    const closed = new AbortController()
    const events = client.taskEvents(taskId, { signal: closed.signal })
    const next = events.next()
    setImmediate(() => closed.abort())
    expect((await next).done).toBe(true)
  })

  it('of an unknown task are a problem', async () => {
    const { client } = await connected()
    await expect(client.taskEvents('none').next()).rejects.toMatchObject({ code: 'SVC-TSK-001' })
  })
})

describe('the reader of event streams', () => {
  const read = async (...chunks: string[]) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
        controller.close()
      }
    })
    const messages = []
    for await (const message of parseEvents(body)) messages.push(message)
    return messages
  }

  it('puts together what came in pieces', async () => {
    expect(await read('id: 1\neve', 'nt: progress\ndata: {"a"', ': 1}\n', '\n')).toEqual([
      { id: '1', event: 'progress', data: { a: 1 } }
    ])
  })

  it('takes the other line endings and data of several lines, as a proxy may send them', async () => {
    expect(await read('id: 1\r\ndata: [1,\r', '\ndata: 2]\r\n\r\n')).toEqual([
      { id: '1', event: 'message', data: [1, 2] }
    ])
  })

  it('passes over comments, retry and an event that was cut off', async () => {
    expect(await read(': hello\n\nretry: 5\n\ndata: 1\n\nid: 2\ndata: {"cut')).toEqual([
      { id: '', event: 'message', data: 1 }
    ])
  })

  it('closes a silent connection, and resumes after the last event on the next', async () => {
    const seen: (string | undefined)[] = []
    let cancelled = false
    let lost = 0
    const connect = (lastEventId: string | undefined) => {
      seen.push(lastEventId)
      if (seen.length > 1) return Promise.resolve(undefined)
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode('id: 7\ndata: 1\n\n')),
        cancel: () => void (cancelled = true)
      })
      return Promise.resolve(new Response(body))
    }
    const messages = []
    for await (const message of readEventStream(connect, undefined, () => lost++, 20)) messages.push(message.id)
    expect({ messages, seen, cancelled, lost }).toEqual({
      messages: ['7'],
      seen: [undefined, '7'],
      cancelled: true,
      lost: 1
    })
  })
})
