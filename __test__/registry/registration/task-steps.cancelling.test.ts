import { beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../tasks/fakes.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, SECOND, useWorkbench } from '../workbench.ts'

const bench = useWorkbench()
const { start, registered, held } = bench

let node: TestNode

beforeEach(async () => {
  node = await start()
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
    await bench.clock.advance(3 * SECOND)
    await sending.promise
    expect(node.network.own.has(ALICE)).toBe(true)
    const sent = [...node.network.sent]
    const removed = node.tasks.remove(task_id)
    expect(node.network.own.has(ALICE)).toBe(false)
    gate.resolve(undefined)
    expect(await removed).toBe(true)
    await bench.clock.advance(2 * 60 * 60 * SECOND)
    expect(node.network.sent).toEqual(sent)
    expect(node.network.own.has(ALICE)).toBe(false)
    expect(node.registry.ownedNames()).toEqual([])
  })

  it('takes it out too when it had reached too few peers and waits for another try', async () => {
    for (const peer of bench.world.peers) peer.refuses = 'busy'
    node.network.before = (kind) => {
      for (const peer of bench.world.peers) peer.refuses = kind === 'commit' ? undefined : 'busy'
    }
    const { task_id } = await node.registry.register(ALICE, {})
    await bench.clock.advance(3 * SECOND)
    await until(() => node.tasks.get(task_id)!.stalled?.code === 'SVC-PUB-002')
    expect(node.network.own.has(ALICE)).toBe(true)
    expect(await node.tasks.remove(task_id)).toBe(true)
    expect(node.network.own.has(ALICE)).toBe(false)
    const sent = [...node.network.sent]
    await bench.clock.advance(2 * 60 * 60 * SECOND)
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
    await bench.clock.advance(SECOND)
    const { task_id } = await node.registry.renew(ALICE, {})
    await bench.clock.advance(2 * SECOND)
    await sending.promise
    expect(node.network.own.get(ALICE)!.drand_pulse).toBeGreaterThan(before.drand_pulse)
    expect(await node.tasks.remove(task_id)).toBe(true)
    expect(node.network.own.get(ALICE)).toEqual(before)
    expect(held()).toEqual(before)
  })
})
