/** A daemon whose seed is locked: what needs no signature goes on, what needs one waits or is refused. */
import { describe, expect, it } from 'vitest'
import type { Name } from '../../../src/protocol/name/names.ts'
import { LocalZones, type LocalZone } from '../../../src/registry/stored/local-zones.ts'
import { until } from './fakes.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, code, SECOND, useWorkbench, ZONE } from '../workbench.ts'

const bench = useWorkbench()
const { start, finish, registered } = bench
const LOCKED = code('SVC-KEY-006')
const stalledBy = (node: TestNode, taskId: string): string | undefined => node.tasks.get(taskId)!.stalled?.code

/** Lets the clock run until the task is at this phase. */
async function reach(node: TestNode, taskId: string, phase: string): Promise<void> {
  while (node.tasks.get(taskId)!.phase !== phase) await bench.clock.advance(SECOND)
}

describe('a locked daemon', () => {
  it('resolves, shows its names and explains them', async () => {
    const node = await start()
    await registered(node)
    node.seed.lock()
    expect(node.registry.ownedNames()).toMatchObject([{ name: ALICE, state: 'live' }])
    expect((await node.registry.resolve(ALICE)).reveal.name).toBe(ALICE)
    expect(await node.registry.explain(ALICE, { withOwn: true })).toMatchObject({ own: { name: { name: ALICE } } })
    expect(node.registry.saveZone(ALICE, ZONE)).toEqual({ serial: 2 })
  })

  it('refuses what needs a signature at once, and changes nothing', async () => {
    const node = await start()
    await registered(node)
    node.registry.saveZone(ALICE, ZONE)
    node.seed.lock()
    const sent = node.network.sent.length
    await expect(node.registry.register('bob.chronym', { zone: ZONE })).rejects.toThrow(LOCKED)
    await expect(node.registry.publishZone(ALICE)).rejects.toThrow(LOCKED)
    await expect(node.registry.adopt('carol.chronym')).rejects.toThrow(LOCKED)
    expect(node.network.sent).toHaveLength(sent)
    expect(node.registry.adoptions()).toEqual([])
    expect(node.tasks.list()).toHaveLength(1)
    expect(node.registry.drafts()).toMatchObject([{ name: ALICE, serial: 2 }])
    node.unlock()
    expect(await node.registry.publishZone(ALICE)).toMatchObject({ serial: 2 })
  })

  it('refuses to publish before it gives the zone another serial', async () => {
    const node = await start()
    await registered(node)
    const zones = new LocalZones(node.store)
    // Of the serial that is published, with other records: it needs a new one.
    zones.save(ALICE, { serial: 1, ...ZONE } as LocalZone)
    node.seed.lock()
    await expect(node.registry.publishZone(ALICE)).rejects.toThrow(LOCKED)
    expect(zones.get(ALICE as Name)!.serial).toBe(1)
  })

  it('accepts a foreign reveal of an unknown name only while it can tell whether it is its own', async () => {
    const other = await start({ self: 'peer-1', seed: 2 })
    await registered(other)
    const { reveal } = await other.registry.resolve(ALICE)
    const node = await start({ isLocked: true })
    await expect(node.registry.publish(reveal)).rejects.toThrow(LOCKED)
    expect(node.network.sent.filter((each) => each.startsWith('reveal'))).toEqual([])
    node.unlock()
    expect(await node.registry.publish(reveal)).toMatchObject({ stored_by: expect.any(Number) as number })
  })

  it('squares a registration whose commitment was sent, and reveals it as soon as it is unlocked', async () => {
    const node = await start()
    const { task_id } = await node.registry.register(ALICE, { zone: ZONE })
    await reach(node, task_id, 'pulse')
    node.seed.lock()
    await reach(node, task_id, 'reveal')
    await until(() => stalledBy(node, task_id) !== undefined)
    expect(node.tasks.get(task_id)).toMatchObject({
      status: 'running',
      stalled: { code: 'SVC-KEY-006' },
      progress: 1_000_000
    })
    await bench.clock.advance(600 * SECOND)
    expect(node.network.sent.filter((each) => each.startsWith('reveal'))).toEqual([])
    // No time has to pass.
    node.unlock()
    await until(() => node.tasks.get(task_id)!.status !== 'running')
    expect(node.tasks.get(task_id)).toMatchObject({ status: 'completed', error: null })
    const other = await start({ self: 'peer-1', seed: 2 })
    expect((await other.registry.publicZone(ALICE)).zone).toEqual({ serial: 1, ...ZONE })
  })

  it('renews what is owned but for the signature', async () => {
    const node = await start()
    await registered(node)
    node.seed.lock()
    const { task_id } = await node.registry.renew(ALICE, {})
    await reach(node, task_id, 'reveal')
    await until(() => stalledBy(node, task_id) === 'SVC-KEY-006')
    node.unlock()
    expect((await finish(node, task_id)).status).toBe('completed')
    expect(node.registry.ownedNames()).toMatchObject([{ name: ALICE, state: 'live' }])
  })

  it('gives the slot of a registration that has no commitment to a task that can go on', async () => {
    const node = await start()
    await registered(node)
    node.network.before = (kind) => (kind === 'commit' ? new Promise(() => undefined) : Promise.resolve())
    const { task_id: bob } = await node.registry.register('bob.chronym', {})
    await reach(node, bob, 'commit')
    node.seed.lock()
    const { task_id: renewal } = await node.registry.renew(ALICE, {})
    await reach(node, renewal, 'reveal')
    expect(node.tasks.get(bob)).toMatchObject({ status: 'running', phase: 'queued', stalled: { code: 'SVC-KEY-006' } })
    node.network.before = () => Promise.resolve()
    node.unlock()
    expect((await finish(node, renewal)).status).toBe('completed')
    expect((await finish(node, bob)).status).toBe('completed')
    expect(node.registry.ownedNames()).toHaveLength(2)
  })

  it('looks for wanted names once it is unlocked', async () => {
    const owner = await start()
    await registered(owner)
    await owner.close()
    const node = await start({ self: 'peer-0' })
    node.network.mode = 'offline'
    await node.registry.adopt(ALICE)
    node.network.mode = 'full'
    node.seed.lock()
    await bench.clock.advance(60 * SECOND)
    expect(node.registry.adoptions()).toMatchObject([{ id: ALICE, state: 'looking' }])
    node.unlock()
    await bench.clock.advance(60 * SECOND)
    await until(() => node.registry.adoptions().length === 0)
    expect(node.registry.ownedNames()).toMatchObject([{ name: ALICE }])
  })
})
