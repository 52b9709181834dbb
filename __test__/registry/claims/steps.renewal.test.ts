import { beforeEach, describe, expect, it } from 'vitest'
import { roundTimeMs } from '../../../src/protocol/time.ts'
import { linksOf } from '../../../src/protocol/claim/reveal.ts'
import type { TaskView } from '../../../src/views/task.ts'
import { until } from './fakes.ts'
import { profile } from '../test-profile.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, code, copyOf, DAY, publish, SECOND, useWorkbench, ZONE } from '../workbench.ts'

const bench = useWorkbench()
const { start, finish, registered, held } = bench

let node: TestNode

beforeEach(async () => {
  node = await start()
})

describe('renewing', () => {
  it('extends the lease by a quarter of the work, on top of the chain', async () => {
    await registered()
    const first = held()
    await bench.clock.advance(60 * SECOND)
    const view = await node.registry.renew(ALICE, {})
    expect(view).toMatchObject({ kind: 'renew', iterations: 250_000 })
    expect((await finish(node, view.task_id)).status).toBe('completed')
    const links = linksOf(held())
    expect(links.map(({ iterations }) => iterations)).toEqual([1_000_000, 250_000])
    expect(links[0]!.p).toBe(first.drand_pulse)
    expect(held().drand_pulse).toBeGreaterThan(first.drand_pulse + 59)
    expect(node.network.sent.filter((message) => message.startsWith('commit'))).toHaveLength(1)
  })

  it('in the round of the link before it waits for the next pulse', async () => {
    await registered()
    const first = held().drand_pulse
    await bench.closeAll()
    bench.clock.set(roundTimeMs(first, profile.beacon))
    node = await start({ store: node.store })
    expect(node.beacon.latest()!.round).toBe(first)
    await bench.renewed(node)
    expect(held().drand_pulse).toBe(first + 1)
  })

  it('of a name that is not ours is SVC-OWN-001', async () => {
    await expect(node.registry.renew(ALICE, {})).rejects.toThrow(code('SVC-OWN-001'))
  })
})

describe('a renewal beside another daemon with the same seed, whose link has the earlier pulse', () => {
  let other: TestNode
  let theirs: string
  let ours: string

  /** As far as the evaluation. */
  const begun = async (at: TestNode): Promise<string> => {
    const before = at.pool.evaluations.length
    at.pool.instant = false
    const { task_id } = await at.registry.renew(ALICE, {})
    await until(() => at.pool.evaluations.length > before)
    return task_id
  }
  const proved = (at: TestNode, taskId: string): Promise<TaskView> => {
    at.pool.prove()
    return finish(at, taskId)
  }
  const renewedAnew = async (): Promise<void> => {
    node.pool.instant = true
    const evaluations = node.pool.evaluations.length
    await bench.renewed(node)
    expect(node.pool.evaluations).toHaveLength(evaluations + 1)
    expect(linksOf(held())).toHaveLength(3)
  }

  beforeEach(async () => {
    await registered()
    const copy = copyOf(node)
    other = await start({ self: 'peer-1', store: copy })
    // By the rounds alone our link would fit behind theirs.
    await bench.clock.advance(10 * SECOND)
    theirs = await begun(other)
    await bench.clock.advance(10 * SECOND)
    ours = await begun(node)
  })

  it('comes after one link only: it says so, and the next one squares again', async () => {
    expect(await proved(other, theirs)).toMatchObject({ status: 'completed' })
    await node.registry.publish(held())
    expect(await proved(node, ours)).toMatchObject({
      status: 'failed',
      error: { code: 'SVC-PUB-001', message: expect.stringContaining('Renew the name again') as string }
    })
    expect(node.network.own.get(ALICE)).toEqual(held())
    await renewedAnew()
  })

  it('is not taken up later with a proof that comes after another link', async () => {
    const renewal = { name: ALICE, kind: 'renew' } as const
    node.network.fail('reveal')
    expect(await proved(node, ours)).toMatchObject({ status: 'failed' })
    node.network.before = () => undefined
    expect(node.tasks.finishedProof(renewal)).toBeDefined()
    // Another zone on the same link leaves it usable.
    await publish(node, ZONE)
    expect(node.tasks.finishedProof(renewal)).toBeDefined()
    expect(await proved(other, theirs)).toMatchObject({ status: 'completed' })
    await node.registry.publish(held())
    expect(node.tasks.finishedProof(renewal)).toBeUndefined()
    await renewedAnew()
  })
})

describe('a lease that has ended', () => {
  beforeEach(async () => {
    await bench.closeAll()
    node = await start({ registry: { automaticRenewal: () => false } })
    await registered()
  })

  it('makes the name unresolvable in the grace (SVC-RES-003), while its owner may renew', async () => {
    bench.clock.set(bench.clock.now() + 7.5 * DAY)
    await expect(node.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-003'))
    expect(node.registry.ownedNames()).toMatchObject([{ state: 'grace' }])
    await bench.renewed(node)
    expect((await node.registry.resolve(ALICE)).reveal.drand_pulse).toBe(held().drand_pulse)
  })

  it('leaves the name free after the grace', async () => {
    bench.clock.set(bench.clock.now() + 9 * DAY)
    await expect(node.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-002'))
    await expect(node.registry.renew(ALICE, {})).rejects.toThrow(code('SVC-RES-003'))
    await expect(node.registry.publishZone(ALICE)).rejects.toThrow()
    expect(node.registry.ownedNames()).toMatchObject([{ state: 'lapsed' }])
  })

  describe('with a renewal under way, whose own lease has ended too,', () => {
    let taskId: string
    const begun = async (): Promise<void> => {
      await bench.clock.advance(SECOND)
      node.pool.instant = false
      taskId = (await node.registry.renew(ALICE, { zone: ZONE })).task_id
      await until(() => node.pool.evaluations.length === 2)
    }
    const endsUnspent = async (cure: string, evaluations = 2): Promise<void> => {
      await until(() => node.tasks.get(taskId)!.status !== 'running' || node.pool.evaluations.length > evaluations)
      expect(node.pool.evaluations).toHaveLength(evaluations)
      expect(node.tasks.get(taskId)!.error).toEqual({
        code: 'SVC-RES-003',
        message: expect.stringMatching(
          new RegExp(`ended at 2026-01-08T.*, so nothing was published. ${cure}\\.$`)
        ) as string
      })
      expect(linksOf(held())).toHaveLength(1)
      expect(node.registry.localZone(ALICE)?.zone, 'its zone is a draft').toMatchObject(ZONE)
    }

    it('resumed in the grace squares nothing and is not counted; another one renews the name', async () => {
      await begun()
      node.tasks.pause(taskId)
      bench.clock.set(bench.clock.now() + 7.5 * DAY)
      node.tasks.resume(taskId)
      await endsUnspent(`Renew ${ALICE} again`)
      expect(node.registry.ownedNames()).toMatchObject([{ state: 'grace', renewal: { left: profile.chain_max } }])
      node.pool.instant = true
      await bench.renewed(node)
      expect(linksOf(held())).toHaveLength(2)
    })

    it('at a start squares nothing: it waits for the first pulse, which tells the time', async () => {
      await begun()
      await bench.closeAll()
      bench.clock.set(bench.clock.now() + 9 * DAY)
      node = await start({ store: node.store, isBeaconDown: true })
      await until(() => node.beacon.waiting > 0 || node.pool.evaluations.length > 0)
      node.beacon.speak()
      await endsUnspent(`Register ${ALICE} again`, 0)
    })

    it('at a start resumes where no pulse comes', async () => {
      await begun()
      await bench.closeAll()
      node = await start({ store: node.store, isBeaconDown: true })
      await until(() => node.beacon.waiting > 0 || node.pool.evaluations.length > 0)
      await bench.clock.advance(5 * SECOND)
      await until(() => node.pool.evaluations.length === 1)
    })

    it('with its proof is not published', async () => {
      await begun()
      bench.clock.set(bench.clock.now() + 7.5 * DAY)
      node.pool.prove()
      await endsUnspent(`Renew ${ALICE} again`)
    })
  })

  it('does not end by the clock alone while the beacon is silent', async () => {
    node.beacon.silent = true
    bench.clock.set(bench.clock.now() + 365 * DAY)
    expect((await node.registry.resolve(ALICE)).reveal.name).toBe(ALICE)
  })
})
