import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import { taskEventDetail } from '../../../src/registry/claims/ledger.ts'
import { taskWhere } from './fakes.ts'
import { settle } from '../../time/manual-clock.ts'
import { workbench } from './workbench.ts'

const at = workbench()

describe('cancelling', () => {
  it('takes a reveal back that would be sent again by itself, before it is answered', async () => {
    at.steps.fail('revealed', new ServiceError('SVC-PUB-002', 'too few peers'))
    at.pool.onEvaluate = (run) => run.finish()
    const id = at.register()
    await taskWhere(at.manager, id, (view) => view.stalled !== null)
    expect([...at.steps.standing]).toEqual([id])
    await at.manager.remove(id)
    expect([...at.steps.standing]).toEqual([])
  })

  it('is told with its code, so that it can be told from a failure', async () => {
    const { id } = await at.running()
    expect(taskEventDetail(at.manager.get(id)!)).not.toHaveProperty('error')
    await at.manager.remove(id)
    expect(taskEventDetail(at.manager.get(id)!)).toMatchObject({ task_id: id, status: 'failed', error: 'SVC-TSK-003' })
  })

  it('writes no checkpoint that nobody needs', async () => {
    const { id, run } = await at.running()
    run.reach(300)
    await at.manager.remove(id)
    await at.manager.stop()
    expect(await readdir(join(at.dataDir, 'tasks'))).toEqual([])
  })

  it('stops the evaluation, ends as failed with SVC-TSK-003 and publishes nothing afterwards', async () => {
    const { id, run } = await at.running()
    const sent = [...at.steps.sent]
    expect(await at.manager.remove(id)).toBe(true)
    expect(run.stops).toBe(1)
    expect(at.manager.get(id)).toMatchObject({ status: 'failed', error: { code: 'SVC-TSK-003' } })
    run.finish()
    await at.clock.advance(2 * 60 * 60 * 1000)
    await at.restart()
    await at.clock.advance(2 * 60 * 60 * 1000)
    expect(at.steps.sent).toEqual(sent)
    expect(await readdir(join(at.dataDir, 'tasks'))).toEqual([])
  })

  it.each(['commit', 'plan', 'reveal'])('in the middle of %s lets that step reach no effect', async (phase) => {
    const { entered, release } = at.steps.holdBack(phase)
    at.pool.onEvaluate = (run) => run.finish()
    const id = at.register()
    await entered
    const sent = [...at.steps.sent]
    const removed = at.manager.remove(id)
    release()
    expect(await removed).toBe(true)
    expect(at.steps.sent).toEqual(sent)
  })

  it('waits for a message that is under way, so that nothing follows its answer', async () => {
    const { entered, release } = at.steps.holdBack('revealed')
    at.pool.onEvaluate = (run) => run.finish()
    const id = at.register()
    await entered
    let answered = false
    const removed = at.manager.remove(id).then(() => (answered = true))
    await settle()
    expect(answered).toBe(false)
    release()
    await removed
    expect(at.manager.get(id)!.error?.code).toBe('SVC-TSK-003')
  })

  it('of a cancelled task clears it; once it is unknown, that is false', async () => {
    const { id } = await at.running()
    await at.manager.remove(id)
    expect(await at.manager.remove(id)).toBe(true)
    expect(at.manager.get(id)).toBeUndefined()
    expect(await at.manager.remove(id)).toBe(false)
  })

  it('twice at once of a task that has ended clears it once', async () => {
    const { id } = await at.running()
    await at.manager.remove(id)
    expect((await Promise.all([at.manager.remove(id), at.manager.remove(id)])).sort()).toEqual([false, true])
  })

  it.each(['pause', 'resume'] as const)('leaves nothing to %s, and neither does completing', async (verb) => {
    const cancelled = at.register()
    await at.evaluation()
    await at.manager.remove(cancelled)
    expect(() => at.manager[verb](cancelled)).toThrow(
      expect.objectContaining({ code: 'SVC-TSK-004', message: expect.stringContaining('was cancelled') as string })
    )
    at.pool.onEvaluate = (run) => run.finish()
    const completed = at.register()
    await at.end(completed)
    expect(() => at.manager[verb](completed)).toThrow(
      expect.objectContaining({ code: 'SVC-TSK-004', message: expect.stringContaining('is completed') as string })
    )
    expect(at.manager.get(completed)).toMatchObject({ status: 'completed', paused: false })
  })

  it('of running tasks only leaves one that has ended', async () => {
    const id = await at.completed()
    await expect(at.manager.remove(id, { onlyRunning: true })).rejects.toThrow(
      expect.objectContaining({ code: 'SVC-TSK-004' })
    )
    expect(at.manager.get(id)).toMatchObject({ status: 'completed' })
  })

  it('of a completed task clears it', async () => {
    const id = await at.completed()
    expect(await at.manager.remove(id)).toBe(true)
    expect(at.manager.list()).toEqual([])
    await at.restart()
    expect(at.manager.list()).toEqual([])
  })
})
