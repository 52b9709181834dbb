import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import { DAY, OPTIONS, workbench } from './workbench.ts'
import { full } from './fakes.ts'

const at = workbench()

describe('the queue', () => {
  it('shows who is next, and moves up', async () => {
    const [first, second, third] = ['one.chronym', 'two.chronym', 'three.chronym'].map((name) => at.register(name))
    const places = (): (number | null)[] => [first, second, third].map((id) => at.manager.get(id!)!.queue_position)
    ;(await at.evaluation()).reach(1)
    expect(places()).toEqual([null, 1, 2])
    at.manager.pause(second!)
    expect(places()).toEqual([null, null, 1])
    at.manager.resume(second!)
    expect(places()).toEqual([null, 1, 2])
    at.pool.evaluations[0]!.finish()
    await at.evaluation(1)
    expect(places()).toEqual([null, null, 1])
  })

  it('refuses a second task for a name and names the first', () => {
    const id = at.register()
    expect(() => at.register()).toThrow(expect.objectContaining({ code: 'SVC-REG-002', extensions: { task_id: id } }))
  })

  it('runs as many as there are slots, oldest first, and refuses more than may wait', async () => {
    const first = at.register('one.chronym')
    const second = at.register('two.chronym')
    const third = at.register('three.chronym')
    expect(() => at.register('four.chronym')).toThrow(expect.objectContaining({ code: 'SVC-TSK-002' }))
    expect(at.manager.list().map((view) => view.task_id)).toEqual([first, second, third])
    const run = await at.evaluation()
    expect([at.status(first), at.status(second), at.status(third)]).toEqual([
      'running/evaluate',
      'running/queued',
      'running/queued'
    ])
    expect(at.steps.sent).toHaveLength(1)
    run.finish()
    await at.evaluation(1)
    expect([at.status(second), at.status(third)]).toEqual(['running/evaluate', 'running/queued'])
  })

  it('takes a renewal however many registrations wait, and counts it among none of them', async () => {
    const first = at.register('one.chronym')
    const second = at.register('two.chronym')
    await at.evaluation()
    const renewals = ['mine.chronym', 'ours.chronym'].map((name) => at.manager.create({ name, kind: 'renew' }).task_id)
    const third = at.register('three.chronym')
    expect(() => at.register('four.chronym')).toThrow(expect.objectContaining({ code: 'SVC-TSK-002' }))
    const last = at.manager.create({ name: 'last.chronym', kind: 'renew' }).task_id
    expect(() => at.manager.create({ name: 'last.chronym', kind: 'renew' }), 'one task a name').toThrow(
      expect.objectContaining({ code: 'SVC-REG-002' })
    )
    expect(at.manager.list().map((view) => view.task_id)).toEqual([first, second, ...renewals, third, last])
  })

  it('gives the slot on while a finished proof still waits to be published', async () => {
    at.steps.before = (step, task) => {
      if (step === 'reveal' && task.name === 'one.chronym') throw new ServiceError('SVC-RES-001', 'offline')
    }
    const first = at.register('one.chronym')
    const second = at.register('two.chronym')
    ;(await at.evaluation()).finish()
    await at.evaluation(1)
    expect([at.status(first), at.status(second)]).toEqual(['running/reveal', 'running/evaluate'])
  })

  it('gives the slot of a cancelled task on once that has stopped', async () => {
    const { id, run } = await at.running('one.chronym')
    const second = at.register('two.chronym')
    run.stop = () => undefined
    const removed = at.manager.remove(id)
    await at.clock.advance(1_000)
    expect(at.status(second)).toBe('running/queued')
    run.finish({ kind: 'stopped' })
    await removed
    await at.evaluation(1)
  })

  it('says SVC-STO-001 and keeps nothing when the journal cannot be written', () => {
    at.store.onWrite = full
    expect(() => at.register()).toThrow(expect.objectContaining({ code: 'SVC-STO-001' }))
    expect(at.manager.list()).toEqual([])
  })
})

describe('deadlines', () => {
  const renewal = (name: string, ...days: number[]): string => {
    at.steps.deadlines.set(
      name,
      days.map((day) => at.clock.now() + day * DAY)
    )
    return at.manager.create({ name, kind: 'renew' }).task_id
  }
  it('are compared once for a list of all, and once for all places that move up', async () => {
    const [first] = Array.from({ length: 40 }, (_, index) => renewal(`in${index}.chronym`, 10 + index))
    const run = await at.evaluation()
    const looks = vi.spyOn(at.clock, 'now')
    expect(
      at.manager
        .list()
        .map(({ queue_position: place }) => place)
        .slice(0, 3)
    ).toEqual([null, 1, 2])
    expect(looks).toHaveBeenCalledTimes(1)
    await at.end(first!, run)
    await at.evaluation(1)
    looks.mockClear()
    await at.clock.advance(500)
    expect(looks.mock.calls.length).toBeLessThan(20)
    expect(at.manager.list().at(-1)!.queue_position).toBe(38)
  })

  const places = (...ids: string[]): (number | null)[] => ids.map((id) => at.manager.get(id)!.queue_position)

  beforeEach(() => at.restart({ ...OPTIONS, queue: 10 }))

  it('decide who is next: of renewals that whose lease ends first, then registrations, oldest first', async () => {
    const first = renewal('first.chronym', 1, 31)
    const run = await at.evaluation()
    const fresh = at.register('fresh.chronym')
    const late = renewal('late.chronym', 30, 60)
    const soon = renewal('soon.chronym', 20, 50)
    expect(places(first, fresh, late, soon)).toEqual([null, 3, 2, 1])
    run.finish()
    ;(await at.evaluation(1)).finish()
    ;(await at.evaluation(2)).finish()
    await at.evaluation(3)
    expect(at.manager.list().map(({ name, status }) => `${name} ${status}`)).toEqual([
      'first.chronym completed',
      'fresh.chronym running',
      'late.chronym completed',
      'soon.chronym completed'
    ])
  })

  it('that are earlier take the slot, and who gave it up goes on from its checkpoint', async () => {
    const long = renewal('long.chronym', 40)
    const run = await at.evaluation()
    await at.reach(run, 300)
    const soon = renewal('soon.chronym', 20)
    ;(await at.evaluation(1)).reach(1)
    expect([at.status(long), at.status(soon)]).toEqual(['running/queued', 'running/evaluate'])
    at.register('fresh.chronym')
    await at.clock.advance(500)
    expect(at.status(soon), 'which no registration takes').toBe('running/evaluate')
    at.pool.evaluations[1]!.finish()
    const again = await at.evaluation(2)
    expect(again.request.resume).toBeDefined()
    expect(again.current.squarings).toBe(300)
    expect(at.manager.get(long)).toMatchObject({ phase: 'evaluate', progress: 300, resumed: 0 })
  })

  it('take no more slots than they need, and none of who has as little time', async () => {
    await at.restart({ ...OPTIONS, maxTasks: 2, queue: 10 })
    const [one, other] = [renewal('one.chronym', 40), renewal('other.chronym', 30)]
    await at.evaluation(1)
    const equal = renewal('equal.chronym', 40)
    await at.clock.advance(500)
    expect(places(one, other, equal)).toEqual([null, null, 1])
    const soon = renewal('soon.chronym', 20)
    await at.evaluation(2)
    await at.clock.advance(500)
    expect([one, other, equal, soon].map((id) => at.status(id))).toEqual([
      'running/queued',
      'running/evaluate',
      'running/queued',
      'running/evaluate'
    ])
  })

  it('that have passed hold up nobody who can still meet his', async () => {
    const missed = renewal('missed.chronym', 1, 31)
    await at.evaluation()
    const soon = renewal('soon.chronym', 20, 50)
    expect(at.status(soon)).toBe('running/queued')
    at.clock.set(at.clock.now() + 2 * DAY)
    await at.clock.advance(500)
    await at.evaluation(1)
    expect([at.status(missed), at.status(soon)]).toEqual(['running/queued', 'running/evaluate'])
  })
})

describe('pausing', () => {
  it('frees the slot, keeps the phase, and resumes from the checkpoint', async () => {
    const first = at.register('one.chronym')
    const second = at.register('two.chronym')
    const run = await at.evaluation()
    await at.reach(run, 300)
    expect(at.manager.pause(first)).toMatchObject({ paused: true, status: 'running' })
    const other = await at.evaluation(1)
    expect(at.status(first)).toBe('running/evaluate')
    expect(at.manager.resume(first)).toMatchObject({ paused: false, phase: 'queued' })
    other.finish()
    const again = await at.evaluation(2)
    expect(again.request.resume).toBeDefined()
    expect(again.current.squarings).toBe(300)
    expect(at.manager.get(second)!.status).toBe('completed')
    expect(at.manager.get(first)!.progress).toBe(300)
  })

  it('of a task that waits keeps it from starting, across a restart too', async () => {
    const first = at.register('one.chronym')
    const second = at.register('two.chronym')
    at.manager.pause(second)
    ;(await at.evaluation()).finish()
    await at.end(first)
    await at.restart()
    expect(at.manager.get(second)).toMatchObject({ paused: true, phase: 'queued' })
    expect(at.pool.evaluations).toHaveLength(0)
    at.manager.resume(second)
    await at.evaluation()
  })

  it('of an unknown task is undefined', () => {
    expect(at.manager.pause('nobody')).toBeUndefined()
    expect(at.manager.resume('nobody')).toBeUndefined()
  })
})
