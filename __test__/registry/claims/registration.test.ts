import { beforeEach, describe, expect, it } from 'vitest'
import { prefixes } from '../../../src/store/keys.ts'
import { StoreError } from '../../../src/store/types.ts'
import { withDaemon } from '../../../src/util/shell-commands.ts'
import { full, MemoryStore, until } from './fakes.ts'
import { profile } from '../test-profile.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, code, DAY, SECOND, useWorkbench, ZONE } from '../workbench.ts'

const bench = useWorkbench()
const { start, finish, registered, held } = bench

let node: TestNode

beforeEach(async () => {
  node = await start()
})

describe('registering', () => {
  it('commits, waits for the pulse, evaluates, reveals, and the name resolves to its zone elsewhere', async () => {
    const view = await node.registry.register(ALICE, { zone: ZONE })
    expect(view).toMatchObject({ status: 'running', kind: 'register', iterations: 1_000_000, deadline: null })
    expect((await finish(node, view.task_id)).status).toBe('completed')
    const other = await start({ self: 'peer-1', seed: 2 })
    expect(await other.registry.publicZone(ALICE)).toEqual({
      source: 'network',
      state: 'published',
      zone: { serial: 1, ...ZONE }
    })
    const { confidence, reveal } = await other.registry.resolve(ALICE)
    expect(confidence).toBe('settled')
    expect(reveal.iterations).toBe(1_000_000)
    expect(node.registry.ownedNames()).toMatchObject([
      { name: ALICE, state: 'live', lease_end: expect.stringMatching(/^2026-01-08T/), serial: 1, published_serial: 1 }
    ])
    expect(node.registry.ownedNames()[0]!.records).toBe(Object.values(ZONE.records).flat().length)
  })

  it('without a zone is listed with no record', async () => {
    await registered()
    expect(node.registry.ownedNames()).toMatchObject([{ name: ALICE, records: 0 }])
  })

  it('shows nothing of K(name) before the reveal: only a probe and the commitment', async () => {
    await registered()
    expect(node.network.sent).toEqual([`probe ${ALICE}`, `commit ${ALICE}`, `reveal ${ALICE}`])
  })

  it('draws the pulse min_commit rounds after the peers saw the commitment', async () => {
    await registered()
    const seen = [...bench.world.peers[1]!.commitments.values()][0]!
    expect(held().drand_pulse).toBe(seen + profile.min_commit)
  })

  it.each([
    ['al_ice.chronym', 'SVC-NAM-001'],
    ['alice.example', 'SVC-NAM-001'],
    ['www.chronym', 'SVC-NAM-002']
  ])('refuses %s with %s', async (name, expected) => {
    await expect(node.registry.register(name, {})).rejects.toThrow(code(expected))
  })

  it('takes a name in any case and with a closing dot, and gives it back as it is', async () => {
    const { name, task_id } = await node.registry.register('Alice.CHRONYM.', {})
    expect(name).toBe(ALICE)
    expect(await finish(node, task_id)).toMatchObject({ status: 'completed' })
    expect((await node.registry.resolve('ALICE.chronym.')).reveal.name).toBe(ALICE)
    expect(node.registry.saveZone('ALICE.chronym', ZONE)).toEqual({ serial: 2 })
    await node.registry.publishZone('Alice.chronym.')
    expect((await node.registry.publicZone(ALICE)).zone).toEqual({ serial: 2, ...ZONE })
    await expect(node.registry.register('alice', {})).rejects.toThrow('did you mean alice.chronym?')
  })

  it('draws a pulse that comes after the commitment was seen, though its own pulses come late', async () => {
    expect(node.beacon.latest()).toBeDefined()
    node.beacon.silent = true
    await bench.clock.advance(3 * SECOND)
    const { task_id } = await node.registry.register(ALICE, {})
    await until(() => node.tasks.get(task_id)!.phase === 'pulse')
    node.beacon.silent = false
    await finish(node, task_id)
    const seen = [...bench.world.peers[1]!.commitments.values()]
    expect(seen).toHaveLength(1)
    expect(held().drand_pulse).toBe(seen[0]! + profile.min_commit)
  })

  it('refuses a zone that breaks a rule before anything else happens', async () => {
    await expect(
      node.registry.register(ALICE, { zone: { records: { '@': [{ type: 'A', value: 'nonsense' }] } } })
    ).rejects.toThrow(code('SVC-ZON-002'))
    expect(node.network.sent).toEqual([])
  })

  it('refuses a name that another key holds, with SVC-REG-001', async () => {
    await registered()
    const other = await start({ self: 'peer-1', seed: 2 })
    await expect(other.registry.register(ALICE, {})).rejects.toThrow(code('SVC-REG-001'))
    // A claim that nobody witnessed keeps the name from later commitments too.
    for (const { reveals } of bench.world.peers) reveals.set(ALICE, { ...reveals.get(ALICE)!, state: 'provisional' })
    await expect(other.registry.register(ALICE, {})).rejects.toThrow(code('SVC-REG-001'))
    expect(other.tasks.list()).toEqual([])
  })

  it('refuses a name of this daemon, and says which command renews it', async () => {
    await registered(node)
    const refused = node.registry.register(ALICE, {})
    await expect(refused).rejects.toThrow(code('SVC-REG-001'))
    await expect(refused).rejects.toMatchObject({ extensions: { owned: true } })
    const text = await refused.catch((error: unknown) => withDaemon((error as Error).message, { dataDir: '/names' }))
    expect(text).toContain('chronym --data-dir /names renew alice.chronym')
  })

  it.each([
    ['register', 'name', () => node.registry.register('no name', {})],
    [
      'publish',
      'reveal/name',
      () => registered(node).then(() => node.registry.publish({ ...held(), name: 'no name' }))
    ],
    ['adopt', 'id', () => node.registry.adopt('no name')],
    ['adopt', 'id', () => node.registry.adopt('did:web:example')],
    ['pins', 'after', async () => node.registry.pins('no name')]
  ])('says that what is refused of %s is the field %s', async (_what, path, ask) => {
    await expect(ask()).rejects.toMatchObject({ errors: [{ path }] })
  })

  it('believes a majority that the name is taken, once one shows its record among others', async () => {
    const other = await start({ self: 'peer-1', seed: 2 })
    await registered(other)
    bench.world.peers[2]!.reveals.delete(ALICE)
    await expect(node.registry.register(ALICE, {})).rejects.toThrow(code('SVC-REG-001'))
    expect(node.network.sent).toEqual([`probe ${ALICE}`])
    bench.world.peers[3]!.reveals.delete(ALICE)
    expect((await node.registry.register(ALICE, {})).status, 'half are not most').toBe('running')
  })

  it('takes a name up again that the network holds for our key and this daemon has forgotten', async () => {
    await registered()
    const restored = await start({ store: new MemoryStore() })
    expect(restored.registry.ownedNames()).toEqual([])
    await expect(restored.registry.register(ALICE, {})).rejects.toThrow(
      code('SVC-REG-001', { message: expect.stringContaining('taken it up') as string, extensions: { taken_up: true } })
    )
    expect(restored.registry.ownedNames()).toHaveLength(1)
  })

  it('refuses a second task for the name with SVC-REG-002 and its id', async () => {
    node.pool.instant = false
    const { task_id } = await node.registry.register(ALICE, {})
    await expect(node.registry.register(ALICE, {})).rejects.toThrow(code('SVC-REG-002', { extensions: { task_id } }))
  })

  it('says SVC-VDF-001 where there is no addon, before anything is sent', async () => {
    await registered()
    node.pool.missingAddon = 'There is no native addon for this machine.'
    const before = node.network.sent.length
    await expect(node.registry.register('bob.chronym', {})).rejects.toThrow(code('SVC-VDF-001'))
    await expect(node.registry.renew(ALICE, {})).rejects.toThrow(code('SVC-VDF-001'))
    expect(node.network.sent).toHaveLength(before)
  })

  it('says SVC-BCN-001 while the beacon is silent', async () => {
    node.beacon.silent = true
    const refused = expect(node.registry.register(ALICE, {})).rejects.toThrow(code('SVC-BCN-001'))
    await bench.clock.advance(5_000)
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
    node.store.onWrite = full
    await expect(node.registry.register(ALICE, { zone: ZONE })).rejects.toThrow(code('SVC-STO-001'))
    node.store.onWrite = () => undefined
    await registered()
  })

  it('leaves no zone behind where the queue is full, and asks nobody', async () => {
    node.pool.instant = false
    for (let number = 0; number <= 10; number++) await node.registry.register(`name-${number}.chronym`, {})
    await expect(node.registry.register(ALICE, { zone: ZONE })).rejects.toThrow(code('SVC-TSK-002'))
    expect(node.registry.drafts()).toEqual([])
    expect(node.network.sent, 'no peer is asked').not.toContain(`probe ${ALICE}`)
  })

  it('and renewing leave no zone behind where the task cannot be saved', async () => {
    await registered()
    node.store.onWrite = (operations) => {
      if (operations.some((operation) => 'put' in operation && operation.put.startsWith(prefixes.tasks)))
        throw new StoreError('full', 'no space')
    }
    await expect(node.registry.register('bob.chronym', { zone: ZONE })).rejects.toThrow(code('SVC-STO-001'))
    await expect(node.registry.renew(ALICE, { zone: ZONE })).rejects.toThrow(code('SVC-STO-001'))
    expect(node.registry.drafts()).toEqual([])
  })

  it('again takes a lapsed name from the list once it is accepted, and no sooner', async () => {
    await registered()
    bench.clock.set(bench.clock.now() + 9 * DAY)
    bench.holdEverywhere(undefined)
    await node.registry.setMode('offline')
    await expect(node.registry.register(ALICE, { zone: ZONE })).rejects.toThrow(code('SVC-RES-001'))
    expect(node.registry.ownedNames()).toMatchObject([{ name: ALICE, state: 'lapsed', serial: 1 }])
    await node.registry.setMode('full')
    const { task_id } = await node.registry.register(ALICE, { zone: ZONE })
    expect(node.registry.ownedNames()).toEqual([])
    expect(await finish(node, task_id)).toMatchObject({ status: 'completed' })
    expect(node.registry.ownedNames()).toMatchObject([{ name: ALICE, state: 'live' }])
    expect((await node.registry.publicZone(ALICE)).zone.records).toEqual(ZONE.records)
  })

  it('waits with the pulse until more than half of the peers have confirmed the commitment', async () => {
    for (const peer of bench.world.peers.slice(0, 3)) peer.refuses = 'busy'
    const { task_id } = await node.registry.register(ALICE, {})
    await bench.clock.advance(5 * SECOND)
    expect(node.tasks.get(task_id)).toMatchObject({ phase: 'commit', status: 'running' })
    bench.refuseEverywhere(undefined)
    expect((await finish(node, task_id)).status).toBe('completed')
  })

  it('draws a new salt when the commitment grew too old before its pulse was chosen', async () => {
    for (const peer of bench.world.peers.slice(0, 3)) peer.refuses = 'busy'
    const { task_id } = await node.registry.register(ALICE, {})
    await bench.clock.advance(profile.pulse_window * SECOND + 70 * SECOND)
    bench.refuseEverywhere(undefined)
    await bench.clock.advance(70 * SECOND)
    expect((await finish(node, task_id)).status).toBe('completed')
    const commitments = [...bench.world.peers[4]!.commitments.values()]
    expect(commitments.length).toBeGreaterThan(1)
    const p = held().drand_pulse
    const last = commitments.at(-1)!
    expect(last < p && p <= last + profile.pulse_window).toBe(true)
  })

  it('draws a new salt when the machine slept while its peers confirmed the commitment', async () => {
    const commit = node.network.commit.bind(node.network)
    const { promise: awake, resolve: wake } = Promise.withResolvers<undefined>()
    let sent = 0
    node.network.commit = async (...of) => {
      const outcome = await commit(...of)
      if (sent++ === 0) await awake
      return outcome
    }
    const { task_id } = await node.registry.register(ALICE, {})
    await until(() => sent === 1)
    await bench.clock.advance(profile.pulse_window * SECOND)
    wake(undefined)
    expect((await finish(node, task_id)).status).toBe('completed')
    const seen = [...bench.world.peers[4]!.commitments.values()]
    const p = held().drand_pulse
    expect(seen.map((round) => round < p && p <= round + profile.pulse_window)).toEqual([false, true])
  })

  it('never sends a proof that does not verify', async () => {
    node.pool.breakProofs = true
    const task = await finish(node, (await node.registry.register(ALICE, {})).task_id)
    expect(task.error?.code).toBe('SVC-PUB-001')
    expect(node.network.sent).not.toContain(`reveal ${ALICE}`)
    node.pool.breakProofs = false
    await registered()
  })

  it('keeps trying to publish a finished proof while too few peers store it', async () => {
    node.network.before = (kind) => {
      if (kind === 'reveal') bench.refuseEverywhere('busy')
    }
    const { task_id } = await node.registry.register(ALICE, {})
    await bench.clock.advance(5 * SECOND)
    await until(() => node.tasks.get(task_id)!.phase === 'reveal')
    await bench.clock.advance(20 * SECOND)
    expect(node.network.sent.filter((message) => message === `reveal ${ALICE}`).length).toBeGreaterThan(2)
    expect(node.tasks.get(task_id)).toMatchObject({ phase: 'reveal', status: 'running' })
    node.network.before = () => undefined
    bench.refuseEverywhere(undefined)
    expect((await finish(node, task_id)).status).toBe('completed')
  })

  it('ends with SVC-REG-001 when another key was faster', async () => {
    const other = await start({ self: 'peer-1', seed: 2 })
    node.pool.instant = false
    const { task_id } = await node.registry.register(ALICE, {})
    await registered(other)
    await bench.clock.advance(3 * SECOND)
    await until(() => node.pool.evaluations.length > 0)
    node.pool.prove()
    expect((await finish(node, task_id)).error?.code).toBe('SVC-REG-001')
  })

  it('works for a node that is alone in the local network', async () => {
    for (const peer of bench.world.peers.slice(1)) peer.away = true
    await registered()
    expect((await node.registry.resolve(ALICE)).reveal.name).toBe(ALICE)
    await expect(node.registry.resolve('bob.chronym')).rejects.toThrow(code('SVC-RES-001'))
  })

  it('knows that a name is free only where it was told of no other nodes', async () => {
    for (const peer of bench.world.peers.slice(1)) peer.away = true
    node.network.isWhole = true
    await expect(node.registry.resolve('bob.chronym')).rejects.toThrow(code('SVC-RES-002'))
  })
})
