import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { OWN_HOST } from '../../../scripts/loopback.ts'
import { createClient, ProblemError, UnreachableError } from '../../../src/api/client/client.ts'
import { parseEvents, readEventStream } from '../../../src/api/client/events.ts'
import { serve, type ApiServer } from '../../../src/api/serve.ts'
import { CHECK_CODE, DID, IDENTITY, MANIFEST, NAME, pinOf, REVEAL, REVEAL_BODY } from '../helpers/records.ts'
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

const OWN = 'own.chronym'
const FREE = 'free.chronym'

async function connected(world = createWorld()) {
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
    world.hold(REVEAL)
    await world.own(OWN)
    const zone = { records: { '@': [{ type: 'A', value: '192.0.2.1' }] } }
    expect(await client.health()).toEqual({ status: 'ok', version: '1.2.3' })
    expect(await client.networkStatus()).toMatchObject({ status: 'online' })
    expect(await client.resolve(NAME)).toEqual({ ...REVEAL_BODY, check_code: CHECK_CODE, source: 'network' })
    expect(await client.explain(NAME)).toMatchObject({ name: NAME })
    expect(await client.publish(REVEAL_BODY)).toEqual({ success: true, stored_by: 5, of: 5 })
    expect(
      await client.commit({ name: NAME, commitment: { hash: Buffer.alloc(32).toString('base64url') } })
    ).toMatchObject({ success: true })
    expect(await client.publishKid({ document: IDENTITY })).toMatchObject({ did: DID })
    expect(await client.publishManifest({ manifest: MANIFEST })).toMatchObject({ did: DID })
    expect(await client.resolveKid(DID)).toMatchObject({ kid_document: { id: DID } })
    expect(await client.ownedNames()).toEqual([OWN])
    expect(await client.names()).toMatchObject([{ name: OWN, state: 'live' }])
    expect(await client.release(OWN)).toMatchObject({ name: OWN, renewal: { state: 'released' } })
    expect(await client.takeBack(OWN)).toMatchObject({ name: OWN, renewal: { state: 'scheduled' } })
    const pins = ['a', 'b', 'c'].map((label) => pinOf(`${label}.chronym`))
    world.answers.pins = (after = '') => pins.filter(({ name }) => name > after).slice(0, 2)
    expect((await client.pins()).map(({ name }) => name)).toEqual(['a.chronym', 'b.chronym', 'c.chronym'])
    expect(await client.forgetPin(NAME)).toEqual({ success: true })
    await expect(client.forgetPin(NAME)).rejects.toThrow('SVC-PIN-001')
    expect(await client.saveZone(OWN, zone)).toEqual({ success: true, serial: 2 })
    expect(await client.zone(OWN)).toEqual({
      zone: { ...zone, serial: 2 },
      source: 'local',
      state: 'draft',
      etag: '"2"'
    })
    expect(await client.drafts()).toMatchObject([{ name: OWN, serial: 2 }])
    expect(await client.patchZone(OWN, { remove: [{ label: '@' }] }, { ifMatch: '"2"' })).toMatchObject({
      success: true
    })
    expect(await client.publishZone(OWN)).toEqual({ success: true, serial: 3, stored_by: 5, of: 5 })
    expect(await client.estimate(FREE)).toMatchObject({ iterations: 1_000_000 })
    const { task_id: taskId } = await client.register(FREE, { zone, idempotencyKey: 'key' })
    expect(await client.register(FREE, { zone, idempotencyKey: 'key' })).toMatchObject({ task_id: taskId })
    expect(await client.tasks()).toHaveLength(1)
    expect(await client.pauseTask(taskId)).toMatchObject({ paused: true })
    expect(await client.resumeTask(taskId)).toMatchObject({ paused: false })
    world.answers.move = (id, place) => ({ ...world.node.tasks.get(id)!, moved_to: place })
    expect(await client.moveTask(taskId, 'farm')).toMatchObject({ moved_to: 'farm' })
    expect(await client.cancelTask(taskId)).toEqual({ success: true })
    expect(await client.task(taskId)).toMatchObject({ status: 'failed' })
    await expect(client.cancelTask(taskId)).rejects.toThrow('SVC-TSK-004')
    expect(await client.clearTask(taskId)).toEqual({ success: true })
    await expect(client.task(taskId)).rejects.toThrow('SVC-TSK-001')
    expect(await client.renew(OWN)).toMatchObject({ task_id: world.node.tasks.list()[0]?.task_id })
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
    const { client, world } = await connected()
    const failure = (await client
      .saveZone(NAME, { records: { www: [{ type: 'A', value: 'x' }] } })
      .catch((error: unknown) => error)) as ProblemError
    expect(failure).toBeInstanceOf(ProblemError)
    expect(failure).toMatchObject({
      code: 'SVC-ZON-002',
      status: 422,
      detail: expect.stringContaining('is not an IPv4 address') as string,
      errors: [{ path: 'records/www/0/value' }]
    })
    await client.register(NAME)
    const running = (await client.register(NAME).catch((error: unknown) => error)) as ProblemError
    expect(running.problem['task_id']).toBe(world.node.tasks.list()[0]!.task_id)
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
  const watched = async () => {
    const world = createWorld()
    const change = world.scriptTask()
    return { ...(await connected(world)), change, taskId: 'task-1' }
  }

  it('come until it ends', async () => {
    const { change, client, taskId } = await watched()
    change('progress', { progress: 5 })
    const types: string[] = []
    for await (const { type } of client.taskEvents(taskId)) {
      types.push(type)
      if (type === 'progress') change('completed', { status: 'completed' })
    }
    expect(types).toEqual(['progress', 'completed'])
  })

  it('go on after a restart of the daemon, none twice', async () => {
    const { change, client, taskId, world, server: first } = await watched()
    change('progress', { progress: 1 })
    const seen: [number, string][] = []
    for await (const { id, type } of client.taskEvents(taskId)) {
      seen.push([id, type])
      if (id === 1) {
        await first.close()
        change('progress', { progress: 2 })
        await start(world, first.port)
      } else if (id === 2) change('completed', { status: 'completed' })
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
    const { change, client, taskId, world, server: first } = await watched()
    change('progress', { progress: 1 })
    const types: string[] = []
    for await (const { type } of client.taskEvents(taskId)) {
      types.push(type)
      if (type !== 'progress') continue
      await first.close()
      change('failed', { status: 'failed', error: { code: 'SVC-BCN-001', message: 'No pulse' } })
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
