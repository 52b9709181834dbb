/** Names whose owner lets them lapse, and takes back. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { TestNode } from '../test-node.ts'
import { ALICE, code, DAY, publish, SECOND, useWorkbench } from '../workbench.ts'

const bench = useWorkbench()

let node: TestNode
const renewals = () => node.tasks.list().filter(({ kind }) => kind === 'renew')
const owned = () => node.registry.ownedNames()[0]!
const look = (): Promise<void> => bench.clock.advance(30 * SECOND)

beforeEach(async () => {
  node = await bench.start()
  await bench.registered()
})

describe('a released name', () => {
  it('is not renewed by itself, after a restart neither, and says when it lapses', async () => {
    expect(node.registry.release(ALICE)).toMatchObject({
      name: ALICE,
      renewal: { state: 'released', due: null },
      warnings: [{ code: 'released' }]
    })
    const { store } = node
    await bench.closeAll()
    node = await bench.start({ store })
    bench.clock.set(bench.clock.now() + 6.5 * DAY)
    await look()
    await look()
    expect(renewals()).toEqual([])
    expect(owned()).toMatchObject({ state: 'live', renewal: { state: 'released' }, warnings: [{ code: 'released' }] })
  })

  it('that is taken back is renewed by itself again, in the grace too', async () => {
    node.registry.release(ALICE)
    bench.clock.set(bench.clock.now() + 7.01 * DAY)
    expect(node.registry.takeBack(ALICE)).toMatchObject({ state: 'grace', renewal: { state: 'scheduled' } })
    await look()
    expect(renewals()).toHaveLength(1)
  })

  it('that is renewed by hand is taken back', async () => {
    node.registry.release(ALICE)
    await bench.clock.advance(SECOND)
    await bench.renewed(node)
    expect(owned().renewal.state).toBe('scheduled')
  })

  it('stays released when its zone is published', async () => {
    node.registry.release(ALICE)
    await publish(node, { records: {} })
    expect(owned().renewal.state).toBe('released')
  })
})

describe('a release', () => {
  it('is refused while a renewal runs, which it names', async () => {
    node.pool.instant = false
    await bench.clock.advance(SECOND)
    const { task_id } = await node.registry.renew(ALICE, {})
    expect(() => node.registry.release(ALICE)).toThrow(
      expect.objectContaining({ code: 'SVC-REG-002', extensions: { task_id } })
    )
    expect(owned().renewal.state).toBe('running')
  })

  it('is refused for what is not owned, and for what has lapsed', () => {
    expect(() => node.registry.release('bob.chronym')).toThrow(code('SVC-OWN-001'))
    expect(() => node.registry.takeBack('nope')).toThrow(code('SVC-NAM-001'))
    bench.clock.set(bench.clock.now() + 100 * DAY)
    expect(() => node.registry.release(ALICE)).toThrow(code('SVC-RES-003'))
    expect(() => node.registry.takeBack(ALICE)).toThrow(code('SVC-RES-003'))
  })
})
