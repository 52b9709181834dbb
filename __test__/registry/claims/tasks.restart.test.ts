import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import { FakePool, full, taskWhere, until } from './fakes.ts'
import { DAY, workbench } from './workbench.ts'

const at = workbench()

describe('a restart', () => {
  it('goes on from the last checkpoint with the same commitment and plan, and shows its progress', async () => {
    const { id, run } = await at.running()
    run.checkpoint(200)
    await at.stateFiles(1)
    await at.reach(run, 450)
    const shown = at.manager.get(id)!.progress
    expect(shown).toBe(450)
    // A crash: what was not yet written is gone.
    const crashed = at.manager
    run.stop = () => run.finish({ kind: 'stopped' })
    await crashed.stop()
    await at.start()
    expect(at.manager.get(id)).toMatchObject({ progress: 200, resumed: 1 })
    const again = await at.evaluation()
    expect(again.current.squarings).toBe(200)
    expect(Buffer.from(again.request.seed)).toEqual(Buffer.from(run.request.seed))
    await at.reach(again, 300)
    expect(at.manager.get(id)!.progress).toBe(300)
    await at.reach(again, 600)
    expect(at.manager.get(id)!.progress).toBe(600)
    await at.end(id, again)
    expect(at.steps.sent.filter((effect) => effect.startsWith('commit'))).toHaveLength(1)
  })

  it('sends the commitment again, hourly and at once after it', async () => {
    await at.running()
    await at.clock.advance(500)
    at.steps.sent.length = 0
    await at.clock.advance(60 * 60 * 1000)
    expect(at.steps.sent).toEqual([expect.stringMatching(/^remind draft 1/)])
    await at.restart()
    await at.clock.advance(500)
    expect(at.steps.sent).toHaveLength(2)
  })

  it('goes back to an older checkpoint when the kernel refuses the newest', async () => {
    const { run } = await at.running()
    for (const squarings of [200, 300]) {
      run.checkpoint(squarings)
      await at.stateFiles(squarings / 100 - 1)
    }
    run.stop = () => run.finish({ kind: 'stopped' })
    await at.manager.stop()
    at.pool = new FakePool()
    at.pool.onEvaluate = (again) => {
      if (again.current.squarings === 300)
        again.finish({ kind: 'failed', code: 'INVALID_CHECKPOINT', message: 'not a form' })
    }
    at.manager = at.build()
    await at.manager.start()
    expect((await at.evaluation(1)).current.squarings).toBe(200)
  })

  it('forgets ended tasks after thirty days', async () => {
    await at.completed()
    at.certainMs = at.clock.now() + 31 * DAY
    await at.restart()
    await at.clock.advance(500)
    expect(at.manager.list()).toEqual([])
  })

  it('forgets nothing because the clock is a year ahead', async () => {
    await at.completed()
    at.certainMs = at.clock.now()
    at.clock.set(at.clock.now() + 365 * DAY)
    await at.restart()
    await at.clock.advance(2 * 60 * 60 * 1000)
    expect(at.manager.list()).toHaveLength(1)
  })

  it('shows the time of the newest pulse when the clock is behind it', async () => {
    at.certainMs = at.clock.now()
    at.clock.set(at.clock.now() - DAY)
    expect(Date.parse(at.manager.get(at.register())!.created_at)).toBe(at.certainMs)
  })

  it('works with a clock that was set back', async () => {
    const first = at.register('one.chronym')
    await at.evaluation()
    at.clock.set(at.clock.now() - DAY)
    const second = at.register('two.chronym')
    await at.restart()
    expect(at.manager.list().map((view) => view.task_id)).toEqual([first, second])
    const view = at.manager.get(first)!
    expect(Date.parse(view.updated_at)).toBeGreaterThanOrEqual(Date.parse(view.created_at))
  })
})

describe('a finished proof', () => {
  async function failAtReveal(): Promise<void> {
    at.pool.onEvaluate = (run) => run.finish()
    at.steps.fail('reveal', new ServiceError('SVC-REG-001', 'refused'))
    const id = at.register()
    await taskWhere(at.manager, id, (view) => view.status === 'failed')
    await at.manager.remove(id)
    at.steps.before = () => undefined
  }

  it('is taken up by a new registration of the same name', async () => {
    await failAtReveal()
    const id = at.register()
    await at.end(id)
    expect(at.pool.evaluations).toHaveLength(1)
    expect(at.steps.sent.filter((effect) => effect.startsWith('commit'))).toHaveLength(1)
  })

  it.each([
    ['it would no longer be accepted', () => (at.steps.proofUsable = false)],
    ['it is older than thirty days', () => (at.certainMs = at.clock.now() + 31 * DAY)]
  ])('is left alone when %s', async (_reason, change) => {
    await failAtReveal()
    change()
    await at.restart()
    await at.clock.advance(500)
    await at.running()
  })

  it('is not taken up again once it was published', async () => {
    await at.completed()
    at.register()
    await at.evaluation(1)
  })

  it('is not taken up again when it was found invalid', async () => {
    at.pool.onEvaluate = (run) => run.finish()
    at.steps.fail('reveal', new ServiceError('SVC-PUB-001', 'the proof does not verify'))
    const id = at.register()
    await taskWhere(at.manager, id, (view) => view.status === 'failed')
    at.register()
    await at.evaluation(1)
  })

  it('is kept in memory while the disk is full, and published when there is room', async () => {
    const { id, run } = await at.running()
    at.store.onWrite = full
    run.finish()
    await until(() => at.clock.waiting > 1)
    at.store.onWrite = () => undefined
    await at.clock.advance(1000)
    await at.end(id)
  })
})
