import { beforeEach, describe, expect, it } from 'vitest'
import { until } from './fakes.ts'
import type { TestNode } from '../test-node.ts'
import { linksOf } from '../../../src/protocol/claim/reveal.ts'
import { OwnedNames } from '../../../src/registry/stored/owned-names.ts'
import { profile } from '../test-profile.ts'
import { ALICE, code, SECOND, useWorkbench, ZONE } from '../workbench.ts'

const bench = useWorkbench()
const { start, registered, held } = bench

let node: TestNode

beforeEach(async () => {
  node = await start()
})

const revealsSent = (): number => node.network.sent.filter((message) => message.startsWith('reveal')).length

describe('cancelling while the reveal is being sent', () => {
  /** Cancelled while its Reveal is under way to the peers. */
  const cancelledLate = async (): Promise<void> => {
    const { sending, release } = node.network.holdBack('reveal')
    const { task_id } = await node.registry.register(ALICE, { zone: ZONE })
    await bench.clock.advance(3 * SECOND)
    await sending
    expect(node.network.own.has(ALICE)).toBe(true)
    const removed = node.tasks.remove(task_id)
    expect(node.network.own.has(ALICE)).toBe(false)
    release()
    expect(await removed).toBe(true)
    node.network.before = () => undefined
    expect(node.tasks.get(task_id)!.error).toMatchObject({
      code: 'SVC-TSK-003',
      message: expect.stringContaining('it is listed as released') as string
    })
  }

  it('takes the record out of what is republished, and lists the name as released', async () => {
    await cancelledLate()
    const sent = revealsSent()
    await bench.clock.advance(2 * 60 * 60 * SECOND)
    expect(revealsSent()).toBe(sent)
    expect(node.network.own.has(ALICE)).toBe(false)
    expect(node.registry.ownedNames()).toMatchObject([
      { name: ALICE, state: 'live', published_serial: 0, renewal: { state: 'released' } }
    ])
  })

  it('leaves a name that can be taken back: its record is sent again', async () => {
    await cancelledLate()
    expect(node.registry.takeBack(ALICE)).toMatchObject({ renewal: { state: 'scheduled' } })
    expect(linksOf(node.network.own.get(ALICE)!)).toHaveLength(1)
    expect(await node.registry.publishZone(ALICE)).toMatchObject({ serial: 1, stored_by: 5 })
  })

  it('leaves a name that can be registered again, whether peers hold it or not', async () => {
    await cancelledLate()
    bench.holdEverywhere(undefined)
    const { task_id } = await node.registry.register(ALICE, {})
    expect(await bench.finish(node, task_id)).toMatchObject({ status: 'completed', error: null })
    expect(node.pool.evaluations, 'with the finished proof').toHaveLength(1)
    expect(node.registry.ownedNames()).toMatchObject([{ published_serial: 1, renewal: { state: 'scheduled' } }])
  })

  it('leaves a name that is taken up as it is where peers hold it', async () => {
    await cancelledLate()
    await node.network.putReveal(new OwnedNames(node.store, profile).get(ALICE)!.reveal)
    await expect(node.registry.register(ALICE, {})).rejects.toThrow(code('SVC-REG-001'))
    expect(node.registry.ownedNames()).toMatchObject([{ published_serial: 1, renewal: { state: 'scheduled' } }])
  })

  it('takes it out too when it had reached too few peers and waits for another try', async () => {
    bench.refuseEverywhere('busy')
    node.network.before = (kind) => {
      for (const peer of bench.world.peers) peer.refuses = kind === 'commit' ? undefined : 'busy'
    }
    const { task_id } = await node.registry.register(ALICE, {})
    await bench.clock.advance(3 * SECOND)
    await until(() => node.tasks.get(task_id)!.stalled?.code === 'SVC-PUB-002')
    expect(node.network.own.has(ALICE)).toBe(true)
    expect(await node.tasks.remove(task_id)).toBe(true)
    expect(node.network.own.has(ALICE)).toBe(false)
    const sent = revealsSent()
    await bench.clock.advance(2 * 60 * 60 * SECOND)
    expect(revealsSent()).toBe(sent)
  })

  it('leaves the record of before a renewal to be republished', async () => {
    await registered()
    const before = held()
    const { sending } = node.network.holdBack('reveal')
    await bench.clock.advance(SECOND)
    const { task_id } = await node.registry.renew(ALICE, {})
    await bench.clock.advance(2 * SECOND)
    await sending
    expect(node.network.own.get(ALICE)!.drand_pulse).toBeGreaterThan(before.drand_pulse)
    expect(await node.tasks.remove(task_id)).toBe(true)
    expect(node.network.own.get(ALICE)).toEqual(before)
    expect(held()).toEqual(before)
  })
})
