import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { roundTimeMs } from '../../src/protocol/beacon-time.ts'
import type { Reveal } from '../../src/protocol/reveal.ts'
import { linksOf, signReveal } from '../../src/protocol/reveal.ts'
import { nameKey } from '../../src/protocol/keys.ts'
import type { Name } from '../../src/protocol/names.ts'
import { profileHash } from '../../src/protocol/profile.ts'
import { serializeZone } from '../../src/protocol/zone.ts'
import { StoreError } from '../../src/store/types.ts'
import { ManualClock, MemoryStore, until } from '../tasks/fakes.ts'
import { FakeWorld, profile, startNode, type TestNode, type TestNodeOptions } from './fakes.ts'

const ALICE = 'alice.chronym'
const ZONE = { records: { '@': [{ type: 'A', value: '192.0.2.1' }] } }
const SECOND = 1000
const DAY = 24 * 60 * 60 * SECOND

let dataDir: string
let clock: ManualClock
let world: FakeWorld
let node: TestNode
const open: TestNode[] = []

async function start(options: Partial<TestNodeOptions> = {}): Promise<TestNode> {
  const started = await startNode({ world, clock, dataDir: join(dataDir, String(open.length)), self: 'peer-0', ...options })
  open.push(started)
  return started
}

/** Lets the clock run until the task has ended. It stands while the task is at work: files take real time. */
async function finish(at: TestNode, taskId: string): Promise<ReturnType<TestNode['tasks']['get']>> {
  const view = (): NonNullable<ReturnType<TestNode['tasks']['get']>> => at.tasks.get(taskId)!
  while (view().status === 'running') {
    await until(() => view().phase !== 'evaluate' && view().phase !== 'prove')
    if (view().status === 'running') await clock.advance(SECOND)
  }
  return view()
}

async function registered(at: TestNode = node, name = ALICE): Promise<void> {
  const task = await finish(at, (await at.registry.register(name, {})).task_id)
  expect(task).toMatchObject({ status: 'completed', error: null })
}

function held(name = ALICE): Reveal {
  return world.peers[1]!.reveals.get(name)!.reveal
}

const code = (expected: string): Error => expect.objectContaining({ code: expected }) as Error

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chronym-registry-'))
  clock = new ManualClock()
  world = new FakeWorld(clock, 5)
  node = await start()
})

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()))
  await rm(dataDir, { recursive: true, force: true })
})

describe('registering', () => {
  it('commits, waits for the pulse, evaluates, reveals, and the name resolves to its zone elsewhere', async () => {
    const view = await node.registry.register(ALICE, { zone: ZONE })
    expect(view).toMatchObject({ status: 'running', kind: 'register', iterations: 1_000_000, deadline: null })
    expect((await finish(node, view.task_id))?.status).toBe('completed')
    const other = await start({ self: 'peer-1', seed: 2 })
    expect(await other.registry.publicZone(ALICE)).toEqual({ source: 'network', zone: { serial: 1, ...ZONE } })
    const { confidence, reveal } = await other.registry.resolve(ALICE)
    expect(confidence).toBe('settled')
    expect(reveal.iterations).toBe(1_000_000)
    expect(node.registry.ownedNames()).toMatchObject([
      { name: ALICE, state: 'live', lease_end: expect.stringMatching(/^2026-01-08T/), serial: 1, published_serial: 1 }
    ])
  })

  it('shows nothing of K(name) before the reveal: only a probe and the commitment', async () => {
    await registered()
    expect(node.network.sent).toEqual([`probe ${ALICE}`, `commit ${ALICE}`, `reveal ${ALICE}`])
  })

  it('draws the pulse min_commit rounds after our own round, and only after the commitment', async () => {
    await registered()
    const seen = [...world.peers[1]!.commitments.values()][0]!
    expect(held().drand_pulse).toBe(seen + profile.min_commit)
  })

  it.each([
    ['Alice.chronym', 'SVC-NAM-001'],
    ['alice.example', 'SVC-NAM-001'],
    ['www.chronym', 'SVC-NAM-002']
  ])('refuses %s with %s', async (name, expected) => {
    await expect(node.registry.register(name, {})).rejects.toThrow(code(expected))
  })

  it('draws a pulse that comes after the commitment was seen, though its own pulses come late', async () => {
    expect(node.beacon.latest()).toBeDefined()
    node.beacon.silent = true
    await clock.advance(3 * SECOND)
    const { task_id } = await node.registry.register(ALICE, {})
    await until(() => node.tasks.get(task_id)!.phase === 'pulse')
    node.beacon.silent = false
    await finish(node, task_id)
    const seen = [...world.peers[1]!.commitments.values()]
    expect(seen).toHaveLength(1)
    expect(held().drand_pulse).toBe(seen[0]! + 1)
  })

  it('refuses a zone that breaks a rule before anything else happens', async () => {
    await expect(node.registry.register(ALICE, { zone: { records: { '@': [{ type: 'A', value: 'nonsense' }] } } })).rejects.toThrow(code('SVC-ZON-002'))
    expect(node.network.sent).toEqual([])
  })

  it('refuses a name that another key holds, with SVC-REG-001', async () => {
    await registered()
    const other = await start({ self: 'peer-1', seed: 2 })
    await expect(other.registry.register(ALICE, {})).rejects.toThrow(code('SVC-REG-001'))
    expect(other.tasks.list()).toEqual([])
  })

  it('believes a third of the peers that the name is taken, without asking for it, and one of many does not stop it', async () => {
    const other = await start({ self: 'peer-1', seed: 2 })
    await registered(other)
    for (const peer of world.peers.slice(2, 4)) peer.reveals.delete(ALICE)
    await expect(node.registry.register(ALICE, {})).rejects.toThrow(code('SVC-REG-001'))
    expect(node.network.sent).toEqual([`probe ${ALICE}`])
    world.peers[4]!.reveals.delete(ALICE)
    expect((await node.registry.register(ALICE, {})).status).toBe('running')
  })

  it('points to the renewal when the name is ours already', async () => {
    await registered()
    await expect(node.registry.register(ALICE, {})).rejects.toThrow(/renew/)
  })

  it('takes a name up again that the network holds for our key and this daemon has forgotten', async () => {
    await registered()
    const restored = await start({ store: new MemoryStore() })
    expect(restored.registry.ownedNames()).toEqual([])
    await expect(restored.registry.register(ALICE, {})).rejects.toThrow(code('SVC-REG-001'))
    expect(restored.registry.ownedNames()).toHaveLength(1)
  })

  it('refuses a second task for the name with SVC-REG-002 and its id', async () => {
    node.pool.instant = false
    const { task_id } = await node.registry.register(ALICE, {})
    await expect(node.registry.register(ALICE, {})).rejects.toThrow(expect.objectContaining({ code: 'SVC-REG-002', extensions: { task_id } }) as Error)
  })

  it('says SVC-BCN-001 while the beacon is silent', async () => {
    node.beacon.silent = true
    const refused = expect(node.registry.register(ALICE, {})).rejects.toThrow(code('SVC-BCN-001'))
    await clock.advance(5_000)
    await refused
  })

  it('waits for the first pulse right after the start', async () => {
    node.beacon.silent = true
    const started = node.registry.register(ALICE, {})
    expect(node.beacon.waiting).toBe(1)
    node.beacon.speak()
    await expect(started).resolves.toMatchObject({ name: ALICE, status: 'running' })
    expect(node.beacon.waiting).toBe(0)
  })

  it('says SVC-RES-001 when nobody can be asked', async () => {
    await node.registry.setMode('offline')
    await expect(node.registry.register(ALICE, {})).rejects.toThrow(code('SVC-RES-001'))
  })

  it('says SVC-STO-001 when the disk is full, and goes on when there is room', async () => {
    node.store.onWrite = () => {
      throw new StoreError('full', 'no space')
    }
    await expect(node.registry.register(ALICE, { zone: ZONE })).rejects.toThrow(code('SVC-STO-001'))
    node.store.onWrite = () => undefined
    await registered()
  })

  it('waits with the pulse until more than half of the peers have confirmed the commitment', async () => {
    for (const peer of world.peers.slice(0, 3)) peer.refuses = 'busy'
    const { task_id } = await node.registry.register(ALICE, {})
    await clock.advance(5 * SECOND)
    expect(node.tasks.get(task_id)).toMatchObject({ phase: 'commit', status: 'running' })
    for (const peer of world.peers) peer.refuses = undefined
    expect((await finish(node, task_id))?.status).toBe('completed')
  })

  it('draws a new salt when the commitment grew too old before its pulse was chosen', async () => {
    for (const peer of world.peers.slice(0, 3)) peer.refuses = 'busy'
    const { task_id } = await node.registry.register(ALICE, {})
    await clock.advance(profile.pulse_window * SECOND + 70 * SECOND)
    for (const peer of world.peers) peer.refuses = undefined
    await clock.advance(70 * SECOND)
    expect((await finish(node, task_id))?.status).toBe('completed')
    const commitments = [...world.peers[4]!.commitments.values()]
    expect(commitments.length).toBeGreaterThan(1)
    const p = held().drand_pulse
    const last = commitments.at(-1)!
    expect(last < p && p <= last + profile.pulse_window).toBe(true)
  })

  it('never sends a proof that does not verify', async () => {
    node.pool.breakProofs = true
    const task = await finish(node, (await node.registry.register(ALICE, {})).task_id)
    expect(task?.error?.code).toBe('SVC-PUB-001')
    expect(node.network.sent).not.toContain(`reveal ${ALICE}`)
    node.pool.breakProofs = false
    await registered()
  })

  it('keeps trying to publish a finished proof while too few peers store it', async () => {
    node.network.before = (kind) => {
      if (kind === 'reveal') for (const peer of world.peers) peer.refuses = 'busy'
    }
    const { task_id } = await node.registry.register(ALICE, {})
    await clock.advance(5 * SECOND)
    await until(() => node.tasks.get(task_id)!.phase === 'reveal')
    await clock.advance(20 * SECOND)
    expect(node.network.sent.filter((message) => message === `reveal ${ALICE}`).length).toBeGreaterThan(2)
    expect(node.tasks.get(task_id)).toMatchObject({ phase: 'reveal', status: 'running' })
    node.network.before = () => undefined
    for (const peer of world.peers) peer.refuses = undefined
    expect((await finish(node, task_id))?.status).toBe('completed')
  })

  it('ends with SVC-REG-001 when another key was faster', async () => {
    const other = await start({ self: 'peer-1', seed: 2 })
    node.pool.instant = false
    const { task_id } = await node.registry.register(ALICE, {})
    await registered(other)
    await clock.advance(3 * SECOND)
    await until(() => node.pool.evaluations.length > 0)
    const [evaluation] = node.pool.evaluations
    evaluation!.finish({ kind: 'proof', proof: node.pool.proofFor(evaluation!.request) })
    expect((await finish(node, task_id))?.error?.code).toBe('SVC-REG-001')
  })

  it('works for a node that is alone in the local network', async () => {
    for (const peer of world.peers.slice(1)) peer.away = true
    await registered()
    expect((await node.registry.resolve(ALICE)).reveal.name).toBe(ALICE)
    await expect(node.registry.resolve('bob.chronym')).rejects.toThrow(code('SVC-RES-001'))
  })

  it('knows that a name is free only where it was told of no other nodes', async () => {
    for (const peer of world.peers.slice(1)) peer.away = true
    node.network.isWhole = true
    await expect(node.registry.resolve('bob.chronym')).rejects.toThrow(code('SVC-RES-002'))
  })
})

describe('renewing', () => {
  it('extends the lease by a quarter of the work, on top of the chain', async () => {
    await registered()
    const first = held()
    await clock.advance(60 * SECOND)
    const view = await node.registry.renew(ALICE, {})
    expect(view).toMatchObject({ kind: 'renew', iterations: 250_000 })
    expect((await finish(node, view.task_id))?.status).toBe('completed')
    const links = linksOf(held())
    expect(links.map(({ iterations }) => iterations)).toEqual([1_000_000, 250_000])
    expect(links[0]!.p).toBe(first.drand_pulse)
    expect(held().drand_pulse).toBeGreaterThan(first.drand_pulse + 59)
    expect(node.network.sent.filter((message) => message.startsWith('commit'))).toHaveLength(1)
  })

  it('in the round of the link before it waits for the next pulse', async () => {
    await registered()
    const first = held().drand_pulse
    await Promise.all(open.splice(0).map((each) => each.close()))
    clock.set(roundTimeMs(first, profile.beacon))
    node = await start({ store: node.store })
    expect(node.beacon.latest()!.round).toBe(first)
    const { task_id } = await node.registry.renew(ALICE, {})
    expect(await finish(node, task_id)).toMatchObject({ status: 'completed', error: null })
    expect(held().drand_pulse).toBe(first + 1)
  })

  it('of a name that is not ours is SVC-OWN-001', async () => {
    await expect(node.registry.renew(ALICE, {})).rejects.toThrow(code('SVC-OWN-001'))
  })
})

describe('cancelling while the reveal is being sent', () => {
  it('takes the record out of what is republished, and leaves the name unowned', async () => {
    const sending = Promise.withResolvers<undefined>()
    const gate = Promise.withResolvers<undefined>()
    node.network.before = async (kind) => {
      if (kind !== 'reveal') return
      sending.resolve(undefined)
      await gate.promise
    }
    const { task_id } = await node.registry.register(ALICE, {})
    await clock.advance(3 * SECOND)
    await sending.promise
    expect(node.network.own.has(ALICE)).toBe(true)
    const sent = [...node.network.sent]
    const removed = node.tasks.remove(task_id)
    expect(node.network.own.has(ALICE)).toBe(false)
    gate.resolve(undefined)
    expect(await removed).toBe(true)
    await clock.advance(2 * 60 * 60 * SECOND)
    expect(node.network.sent).toEqual(sent)
    expect(node.network.own.has(ALICE)).toBe(false)
    expect(node.registry.ownedNames()).toEqual([])
  })

  it('takes it out too when it had reached too few peers and waits for another try', async () => {
    for (const peer of world.peers) peer.refuses = 'busy'
    node.network.before = (kind) => {
      for (const peer of world.peers) peer.refuses = kind === 'commit' ? undefined : 'busy'
    }
    const { task_id } = await node.registry.register(ALICE, {})
    await clock.advance(3 * SECOND)
    await until(() => node.tasks.get(task_id)!.stalled?.code === 'SVC-PUB-002')
    expect(node.network.own.has(ALICE)).toBe(true)
    expect(await node.tasks.remove(task_id)).toBe(true)
    expect(node.network.own.has(ALICE)).toBe(false)
    const sent = [...node.network.sent]
    await clock.advance(2 * 60 * 60 * SECOND)
    expect(node.network.sent).toEqual(sent)
  })

  it('leaves the record of before a renewal to be republished', async () => {
    await registered()
    const before = held()
    const sending = Promise.withResolvers<undefined>()
    node.network.before = async (kind) => {
      if (kind !== 'reveal') return
      sending.resolve(undefined)
      await new Promise(() => undefined)
    }
    await clock.advance(SECOND)
    const { task_id } = await node.registry.renew(ALICE, {})
    await clock.advance(2 * SECOND)
    await sending.promise
    expect(node.network.own.get(ALICE)!.drand_pulse).toBeGreaterThan(before.drand_pulse)
    expect(await node.tasks.remove(task_id)).toBe(true)
    expect(node.network.own.get(ALICE)).toEqual(before)
    expect(held()).toEqual(before)
  })
})

describe('a name of ours that peers give to another key', () => {
  /** Another daemon's claim takes the place of ours at so many of the peers, as an earlier claim does in a contest. */
  async function replaceAt(count: number, state: 'fresh' | 'settled'): Promise<void> {
    const other = await start({ seed: 2, self: 'peer-1' })
    for (const peer of world.peers) peer.reveals.delete(ALICE)
    node.network.mode = 'offline'
    await registered(other)
    node.network.mode = 'full'
    const theirs = held()
    const ours = node.network.own.get(ALICE)!
    for (const [index, peer] of world.peers.entries()) peer.reveals.set(ALICE, index <= count ? { state, reveal: theirs } : { state, reveal: ours })
  }

  let events: string[]
  beforeEach(async () => {
    await registered()
    events = []
    node.registry.subscribe(({ type, detail }) => events.push(`${type} ${detail.name}`))
    expect(node.registry.ownedNames()).toMatchObject([{ state: 'live' }])
  })

  it('is lost once they have settled on it, and says so', async () => {
    await replaceAt(5, 'settled')
    await clock.advance(40 * SECOND)
    await until(() => node.registry.ownedNames()[0]!.state === 'lost')
    expect(events).toEqual([`name:lost ${ALICE}`])
    await expect(node.registry.renew(ALICE, {})).rejects.toThrow(code('SVC-REG-001'))
    await expect(node.registry.register(ALICE, {})).rejects.toThrow(code('SVC-REG-001'))
  })

  it('is still lost after a restart', async () => {
    await replaceAt(5, 'settled')
    await clock.advance(40 * SECOND)
    await until(() => node.registry.ownedNames()[0]!.state === 'lost')
    const again = await start({ store: node.store })
    expect(again.registry.ownedNames()).toMatchObject([{ name: ALICE, state: 'lost' }])
  })

  it('is contested while they have not, and held again when they come back', async () => {
    await replaceAt(5, 'fresh')
    await clock.advance(40 * SECOND)
    await until(() => node.registry.ownedNames()[0]!.state === 'contested')
    for (const peer of world.peers) peer.reveals.set(ALICE, { state: 'settled', reveal: node.network.own.get(ALICE)! })
    await clock.advance(40 * SECOND)
    await until(() => node.registry.ownedNames()[0]!.state === 'live')
    expect(events).toEqual([`name:contested ${ALICE}`, `name:held ${ALICE}`])
  })

  it('is only contested when we have seen it settled as ours; our own store taking another record is reason to look at once', async () => {
    await clock.advance(40 * SECOND)
    await replaceAt(5, 'settled')
    node.network.emit({ type: 'record:stored', detail: { kind: 'reveal', id: ALICE, state: 'settled' } })
    await until(() => node.registry.ownedNames()[0]!.state === 'contested')
  })

  it('stays live while nobody answers', async () => {
    await replaceAt(5, 'settled')
    for (const peer of world.peers) peer.away = true
    await clock.advance(40 * SECOND)
    expect(node.registry.ownedNames()).toMatchObject([{ state: 'live' }])
    expect(events).toEqual([])
  })
})

describe('a lease that has ended', () => {
  beforeEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()))
    node = await start({ registry: { automaticRenewal: () => false } })
    await registered()
  })

  it('makes the name unresolvable in the grace (SVC-RES-003), while its owner may renew', async () => {
    clock.set(clock.now() + 7.5 * DAY)
    await expect(node.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-003'))
    expect(node.registry.ownedNames()).toMatchObject([{ state: 'grace' }])
    const { task_id } = await node.registry.renew(ALICE, {})
    expect((await finish(node, task_id))?.status).toBe('completed')
    expect((await node.registry.resolve(ALICE)).reveal.drand_pulse).toBe(held().drand_pulse)
  })

  it('leaves the name free after the grace', async () => {
    clock.set(clock.now() + 9 * DAY)
    await expect(node.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-002'))
    await expect(node.registry.renew(ALICE, {})).rejects.toThrow(code('SVC-RES-003'))
    await expect(node.registry.publishZone(ALICE)).rejects.toThrow()
    expect(node.registry.ownedNames()).toMatchObject([{ state: 'lapsed' }])
  })

  it('does not end by the clock alone while the beacon is silent', async () => {
    node.beacon.silent = true
    clock.set(clock.now() + 365 * DAY)
    expect((await node.registry.resolve(ALICE)).reveal.name).toBe(ALICE)
  })
})

describe('zones', () => {
  it('are saved here only, with a serial higher than any seen, and published when asked', async () => {
    await registered()
    expect(node.registry.saveZone(ALICE, ZONE)).toEqual({ serial: 2 })
    expect(node.registry.localZone(ALICE)).toEqual({ source: 'local', zone: { serial: 2, ...ZONE } })
    expect((await node.registry.publicZone(ALICE)).zone.records).toEqual({})
    expect(await node.registry.publishZone(ALICE)).toEqual({ serial: 2, stored_by: 5, of: 5 })
    expect((await node.registry.publicZone(ALICE)).zone).toEqual({ serial: 2, ...ZONE })
    expect(node.registry.ownedNames()).toMatchObject([{ serial: 2, published_serial: 2 }])
  })

  it('may be prepared before the name is registered', async () => {
    expect(node.registry.saveZone(ALICE, ZONE)).toEqual({ serial: 1 })
    await registered()
    expect((await node.registry.publicZone(ALICE)).zone).toEqual({ serial: 1, ...ZONE })
  })

  it('go out unchanged when published twice: two payloads of one serial would be an equivocation', async () => {
    await registered()
    node.registry.saveZone(ALICE, ZONE)
    await node.registry.publishZone(ALICE)
    const before = held()
    expect(await node.registry.publishZone(ALICE)).toMatchObject({ serial: 2 })
    expect(held()).toEqual(before)
  })

  it('get a serial above what another device with the same seed has published', async () => {
    await registered()
    const { seed, key } = { seed: new Uint8Array(32).fill(1), key: profileHash(profile) }
    const { name, drand_pulse, iterations, vdf_proof } = held()
    const payload = serializeZone({ records: {} }, 41, profile)
    await node.registry.publish(signReveal({ name, drand_pulse, iterations, vdf_proof, payload }, nameKey(seed, key, ALICE as Name), key))
    expect(node.registry.saveZone(ALICE, ZONE)).toEqual({ serial: 42 })
  })

  it('are refused when they break a rule, with the place of each problem', () => {
    expect(() => node.registry.saveZone(ALICE, { records: { www: [{ type: 'A', value: 'x' }] } })).toThrow(
      expect.objectContaining({ code: 'SVC-ZON-002', errors: [expect.objectContaining({ path: 'records/www/0/value' })] }) as Error
    )
  })

  it('are not overwritten when they changed since (SVC-ZON-004)', () => {
    const { serial } = node.registry.saveZone(ALICE, ZONE)
    expect(node.registry.saveZone(ALICE, ZONE, serial)).toEqual({ serial: 2 })
    expect(() => node.registry.saveZone(ALICE, ZONE, serial)).toThrow(code('SVC-ZON-004'))
    expect(() => node.registry.saveZone('new.chronym', ZONE, 1)).toThrow(code('SVC-ZON-004'))
  })

  it('can be published by the owner only, and only when there is one', async () => {
    await expect(node.registry.publishZone(ALICE)).rejects.toThrow(code('SVC-OWN-001'))
    await registered()
    await expect(node.registry.publishZone(ALICE)).rejects.toThrow(code('SVC-ZON-003'))
  })

  it('say how many peers hold them when those are too few (SVC-PUB-002)', async () => {
    await registered()
    node.registry.saveZone(ALICE, ZONE)
    for (const peer of world.peers.slice(1)) peer.refuses = 'busy'
    await expect(node.registry.publishZone(ALICE)).rejects.toThrow(expect.objectContaining({ code: 'SVC-PUB-002', extensions: { stored_by: 1, of: 5 } }) as Error)
    expect(node.registry.ownedNames()).toMatchObject([{ serial: 2, published_serial: 1 }])
  })

  it('of others that do not parse are SVC-ZON-001', async () => {
    await registered()
    const key = profileHash(profile)
    const { name, drand_pulse, iterations, vdf_proof } = held()
    const broken = signReveal({ name, drand_pulse, iterations, vdf_proof, payload: Buffer.from('not a zone') }, nameKey(new Uint8Array(32).fill(1), key, ALICE as Name), key)
    for (const peer of world.peers) peer.reveals.set(ALICE, { state: 'settled', reveal: broken })
    const other = await start({ self: 'peer-1', seed: 2 })
    await expect(other.registry.publicZone(ALICE)).rejects.toThrow(code('SVC-ZON-001'))
  })

  it('have no local view where none was saved', () => {
    expect(node.registry.localZone(ALICE)).toBeUndefined()
  })
})

describe('the manual flow', () => {
  it('sends a commitment and says who stored it', async () => {
    expect(await node.registry.commit(ALICE, new Uint8Array(32))).toEqual({ stored_by: 5, of: 5 })
    await expect(node.registry.commit(ALICE, new Uint8Array(31))).rejects.toThrow(code('SVC-REQ-001'))
    await expect(node.registry.commit('x', new Uint8Array(32))).rejects.toThrow(code('SVC-NAM-001'))
    for (const peer of world.peers) peer.refuses = 'busy'
    await expect(node.registry.commit(ALICE, new Uint8Array(32))).rejects.toThrow(code('SVC-PUB-002'))
    await node.registry.setMode('offline')
    await expect(node.registry.commit(ALICE, new Uint8Array(32))).rejects.toThrow(code('SVC-RES-001'))
  })

  it('publishes a Reveal that is valid, and names the rule that another breaks', async () => {
    await registered()
    const reveal = held()
    const other = await start({ self: 'peer-1', seed: 2 })
    expect(await other.registry.publish(reveal)).toEqual({ stored_by: 5, of: 5 })
    expect(other.registry.ownedNames()).toEqual([])
    const forged = { ...reveal, signature: reveal.signature.map((byte) => byte ^ 1) }
    await expect(other.registry.publish(forged)).rejects.toThrow(expect.objectContaining({ code: 'SVC-PUB-001', extensions: { rule: 'signature' } }) as Error)
  })

  it('owns a name whose Reveal too few peers have stored so far: it is sent again by itself', async () => {
    const other = await start({ self: 'peer-1', store: new MemoryStore() })
    await registered()
    const reveal = held()
    expect(other.registry.ownedNames()).toEqual([])
    for (const peer of world.peers) peer.refuses = 'busy'
    await expect(other.registry.publish(reveal)).rejects.toThrow(code('SVC-PUB-002'))
    expect(other.registry.ownedNames()).toMatchObject([{ name: ALICE, published_serial: 0 }])
  })

  it('refuses a Reveal that is older than the one published, here and at a daemon that has never seen the newer', async () => {
    await registered()
    const older = held()
    node.registry.saveZone(ALICE, ZONE)
    await node.registry.publishZone(ALICE)
    const other = await start({ self: 'peer-1', seed: 2 })
    const stale = expect.objectContaining({ code: 'SVC-PUB-001', extensions: { rule: 'stale' } }) as Error
    await expect(node.registry.publish(older)).rejects.toThrow(stale)
    await expect(other.registry.publish(older)).rejects.toThrow(stale)
    expect(node.registry.ownedNames()).toMatchObject([{ serial: 2, published_serial: 2 }])
    expect(await node.registry.publish(held())).toEqual({ stored_by: 5, of: 5 })
  })

  it('says SVC-REG-001 when the name is another key’s', async () => {
    const other = await start({ self: 'peer-1', seed: 2 })
    await registered(other)
    const theirs = held()
    for (const peer of world.peers) peer.reveals.clear()
    await registered()
    await expect(other.registry.publish(theirs)).rejects.toThrow(code('SVC-REG-001'))
  })
})

describe('estimates and status', () => {
  it('say how long a name takes here and when its lease runs', async () => {
    const estimate = await node.registry.estimate(ALICE)
    expect(estimate).toMatchObject({ iterations: 1_000_000, lease_start: '2026-01-01T00:00:02.000Z', lease_end: '2026-01-08T00:00:02.000Z' })
    expect(estimate.seconds).toBeGreaterThanOrEqual(3)
    await registered()
    expect(await node.registry.estimate(ALICE)).toMatchObject({ iterations: 250_000 })
    await expect(node.registry.estimate('nope')).rejects.toThrow(code('SVC-NAM-001'))
  })

  it('count the tasks that go before, and shift the lease with them', async () => {
    node.pool.instant = false
    const free = await node.registry.estimate(ALICE)
    expect(free).toMatchObject({ kind: 'register', queued_seconds: 0, iterations_per_second: 1_000_000, proving_seconds: 1 })
    await node.registry.register('bob.chronym', {})
    const behind = await node.registry.estimate(ALICE)
    expect(behind.queued_seconds).toBe(2)
    expect(behind.seconds).toBeGreaterThan(free.seconds)
    expect(Date.parse(behind.lease_start) - Date.parse(free.lease_start)).toBeGreaterThanOrEqual(2_000)
  })

  it('measure in slices, between which others have their turn', async () => {
    const asked: number[] = []
    node.pool.measureRate = (...[, milliseconds]: number[]) => Promise.resolve(asked.push(milliseconds!) * 1_000_000)
    expect((await node.registry.estimate(ALICE)).iterations_per_second).toBe(2_500_000)
    expect(asked).toEqual([100, 100, 100, 100])
  })

  it('count nothing where a finished proof is kept: it is taken up, with the lease of then', async () => {
    node.network.before = (kind) => {
      for (const peer of world.peers) peer.refuses = kind === 'commit' ? undefined : 'busy'
    }
    const { task_id } = await node.registry.register(ALICE, {})
    await clock.advance(3 * SECOND)
    await until(() => node.tasks.get(task_id)!.stalled?.code === 'SVC-PUB-002')
    await node.tasks.remove(task_id)
    await clock.advance(60 * SECOND)
    expect(await node.registry.estimate(ALICE)).toMatchObject({ proof_kept: true, seconds: 0, queued_seconds: 0, proving_seconds: 0, lease_start: '2026-01-01T00:00:02.000Z', lease_end: '2026-01-08T00:00:02.000Z' })
    expect(await node.registry.estimate('bob.chronym')).toMatchObject({ proof_kept: false, lease_start: expect.stringMatching(/T00:01/) })
  })

  it('say what network and beacon are doing', async () => {
    expect(node.registry.networkStatus()).toEqual({
      status: 'online', peers: 4, mode: 'full', peer_id: 'peer-0', network: 'local', records: 0,
      beacon: { round: expect.any(Number), age_seconds: 0 }
    })
    await node.registry.setMode('offline')
    expect(node.registry.networkStatus()).toMatchObject({ status: 'offline', mode: 'offline' })
  })
})
