/** Attacks on owners and what their daemons believe, each under the name that docs/protocol/ gives it. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { RevealLookup } from '../../../src/network/types.ts'
import { linksOf } from '../../../src/protocol/claim/reveal.ts'
import type { TestNode } from '../../registry/test-node.ts'
import { ALICE, DAY, SECOND, useWorkbench } from '../../registry/workbench.ts'
import { until } from '../../registry/claims/fakes.ts'

describe('an owner', () => {
  const bench = useWorkbench()
  const state = (): string => node.registry.ownedNames()[0]!.state
  const renewals = () => node.tasks.list().filter(({ kind }) => kind === 'renew')

  let node: TestNode
  /** All who answer name the thief, as settled. */
  let lies: RevealLookup
  let areLying: boolean

  beforeEach(async () => {
    const thief = await bench.start({ self: 'peer-1', seed: 2 })
    await bench.registered(thief)
    lies = await thief.network.getReveals(ALICE)
    await thief.close()
    for (const peer of bench.world.peers) peer.reveals.delete(ALICE)
    node = await bench.start()
    await bench.registered(node)
    // It has never resolved its own name before it is lied to: no pin holds.
    areLying = true
    const honestly = node.network.getReveals.bind(node.network)
    node.network.getReveals = (name) => (areLying ? Promise.resolve(lies) : honestly(name))
    await bench.clock.advance(40 * SECOND)
    await until(() => state() === 'lost')
  })

  it('[an owner who is told that its name is lost] renews it all the same, even against a lying majority', async () => {
    expect(node.registry.ownedNames()[0]!.warnings).toMatchObject([{ code: 'lost' }])
    bench.clock.set(bench.clock.now() + 6.5 * DAY)
    await bench.clock.advance(30 * SECOND)
    await until(() => renewals().length === 1)
    expect(await bench.finish(node, renewals()[0]!.task_id)).toMatchObject({ status: 'completed', error: null })
    expect(linksOf(bench.held())).toHaveLength(2)
    // By hand as well.
    expect((await node.registry.renew(ALICE, {})).kind).toBe('renew')
  })

  it('[an owner who is told that its name is lost] has it back at the next look of those who do not lie', async () => {
    areLying = false
    await bench.clock.advance(40 * SECOND)
    await until(() => state() === 'live')
  })

  it('[an owner who is told that its name is lost] rightly computes one renewal and keeps its proof', async () => {
    areLying = false
    const thiefs = lies.answers.find(({ reveal }) => reveal !== undefined)!
    for (const peer of bench.world.peers) peer.reveals.set(ALICE, { state: 'settled', reveal: thiefs.reveal! })
    bench.clock.set(bench.clock.now() + 6.5 * DAY)
    const before = node.pool.evaluations.length
    for (let hour = 0; hour < 3; hour++) {
      await bench.clock.advance(30 * SECOND)
      await until(() => renewals().length === hour + 1)
      const task = renewals().find(({ status }) => status === 'running') ?? renewals().at(-1)!
      expect((await bench.finish(node, task.task_id)).error?.code).toBe('SVC-REG-001')
      await bench.clock.advance(3600 * SECOND)
    }
    expect(node.pool.evaluations.length - before).toBe(1)
    expect(state()).toBe('lost')
  })
})
