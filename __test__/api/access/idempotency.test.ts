import { describe, expect, it } from 'vitest'
import { createIdempotency } from '../../../src/api/access/idempotency.ts'
import { ServiceError } from '../../../src/errors.ts'
import { MemoryStore } from '../../registry/claims/fakes.ts'
import { createWorld, MAIN_TOKEN, type World } from '../helpers/world.ts'

const HOUR_MS = 3600 * 1000
const register = (world: World, key: string, name = 'alice.chronym', kind = 'register') =>
  world.request('POST', `/api/vdf/${kind}`, { token: MAIN_TOKEN, body: { name }, headers: { 'Idempotency-Key': key } })

describe('an Idempotency-Key', () => {
  it('gets the first answer again, and starts nothing twice', async () => {
    const world = createWorld()
    const first = await register(world, 'key-1')
    const second = await register(world, 'key-1')
    expect([first.status, second.status]).toEqual([202, 202])
    expect([first.headers.get('Idempotency-Replayed'), second.headers.get('Idempotency-Replayed')]).toEqual([
      null,
      'true'
    ])
    expect(second.headers.get('Location')).toBe(first.headers.get('Location'))
    expect(await second.json()).toEqual(await first.json())
    expect(world.node.tasks.list()).toHaveLength(1)
  })

  it('gets the first answer while the first still runs', async () => {
    const world = createWorld()
    const gate = Promise.withResolvers<undefined>()
    world.answers.register = async (name, options) => {
      await gate.promise
      return world.node.registry.register(name, options)
    }
    const both = [register(world, 'key-1'), register(world, 'key-1')]
    gate.resolve(undefined)
    const [first, second] = await Promise.all(both)
    expect(await second?.json()).toEqual(await first?.json())
    expect(world.node.tasks.list()).toHaveLength(1)
  })

  it('with another body is SVC-REQ-006', async () => {
    const world = createWorld()
    await register(world, 'key-1')
    const response = await register(world, 'key-1', 'bob.chronym')
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ code: 'SVC-REQ-006' })
  })

  it('of one route is another request on another route', async () => {
    const world = createWorld()
    await register(world, 'key-1')
    expect((await register(world, 'key-1', 'alice.chronym', 'renew')).status).toBe(422)
  })

  it('stays free when the request failed', async () => {
    const world = createWorld()
    world.failures.set('register', new ServiceError('SVC-RES-001', 'No peer.'))
    expect((await register(world, 'key-1')).status).toBe(503)
    world.failures.clear()
    expect((await register(world, 'key-1')).status).toBe(202)
  })

  it('is forgotten after 24 hours', async () => {
    const world = createWorld()
    await register(world, 'key-1')
    world.pass(24 * HOUR_MS - 1)
    expect((await register(world, 'key-1')).headers.get('Idempotency-Replayed')).toBe('true')
    world.pass(1)
    expect((await register(world, 'key-1')).status).toBe(409)
  })

  it.each(['', ' ', 'a b', 'ä', 'x'.repeat(256)])('may not be "%s"', async (key) => {
    const response = await register(createWorld(), key)
    expect(response.status).toBe(400)
  })
})

describe('the answers kept', () => {
  it('survive a restart', () => {
    const store = new MemoryStore()
    const options = { store, prefix: 'idempotency/', now: () => 0 }
    createIdempotency(options).remember('key', 'hash', { status: 202 })
    expect(createIdempotency(options).find('key', 'hash')).toEqual({ status: 'replay', response: { status: 202 } })
    expect(createIdempotency(options).find('key', 'other')).toEqual({ status: 'conflict' })
  })

  it('are dropped from the store when they are past their time', () => {
    const store = new MemoryStore()
    const clock = { now: 0 }
    const service = createIdempotency({ store, prefix: 'idempotency/', now: () => clock.now })
    service.remember('old', 'hash', {})
    clock.now = 25 * HOUR_MS
    service.remember('new', 'hash', {})
    expect(store.count('')).toBe(1)
    expect(service.find('old', 'hash')).toEqual({ status: 'new' })
  })

  it.each([
    'null',
    '[]',
    '"x"',
    '{"at":"now","bodyHash":"hash","response":{}}',
    '{"at":0,"bodyHash":"hash"}',
    '{"at":0,"bodyHash":"hash","response":null}'
  ])('are none where the store holds %s', (json) => {
    const store = new MemoryStore()
    const service = createIdempotency({ store, prefix: 'idempotency/', now: () => 0 })
    service.remember('key', 'hash', {})
    const [key = ''] = store.keys('')
    store.put(key, new TextEncoder().encode(json))
    expect(service.find('key', 'hash')).toEqual({ status: 'new' })
    createIdempotency({ store, prefix: 'idempotency/', now: () => 0 }).remember('other', 'hash', {})
    expect(store.get(key)).toBeUndefined()
  })

  it('are not kept until a clock that was set back has caught up', () => {
    const store = new MemoryStore()
    const clock = { now: 100 * HOUR_MS }
    const service = createIdempotency({ store, prefix: 'idempotency/', now: () => clock.now })
    service.remember('key', 'hash', {})
    clock.now -= HOUR_MS
    expect(service.find('key', 'hash')).toMatchObject({ status: 'replay' })
    clock.now -= 24 * HOUR_MS
    expect(service.find('key', 'hash')).toEqual({ status: 'new' })
  })

  it('never have the words of a client as their key', () => {
    const store = new MemoryStore()
    createIdempotency({ store, prefix: 'idempotency/', now: () => 0 }).remember('../../etc', 'hash', {})
    expect([...store.keys('')]).toEqual([expect.stringMatching(/^idempotency\/[0-9a-f]{64}$/)])
  })
})
