import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import { NativeError } from '../../../src/native/types.ts'
import { ITERATIONS, taskWhere, until } from './fakes.ts'
import { settle } from '../../time/manual-clock.ts'
import { workbench } from './workbench.ts'

const at = workbench()

describe('a registration', () => {
  it('commits, waits, evaluates, proves, reveals and completes', async () => {
    const phases: string[] = []
    at.manager.subscribe((event) => {
      if (event.type !== 'progress') phases.push(event.task.phase)
    })
    const { id, run } = await at.running()
    await at.reach(run, 400)
    expect(at.manager.get(id)).toMatchObject({
      phase: 'evaluate',
      progress: 400,
      iterations: ITERATIONS,
      iterations_per_second: 100,
      eta_seconds: 7,
      deadline: '2026-01-15T00:00:00.000Z'
    })
    run.prove(0.5)
    await at.clock.advance(1000)
    expect(at.manager.get(id)).toMatchObject({
      phase: 'prove',
      progress: ITERATIONS,
      phase_progress: 0.5,
      eta_seconds: 1
    })
    await at.end(id, run)
    expect(phases).toEqual(['commit', 'pulse', 'evaluate', 'prove', 'reveal', 'done'])
    expect(at.steps.sent).toHaveLength(2)
    expect(at.manager.get(id)).toMatchObject({ progress: ITERATIONS, eta_seconds: 0, error: null, resumed: 0 })
  })

  it('leaves no checkpoint behind once its proof is in the journal', async () => {
    const { id, run } = await at.running()
    run.checkpoint(500)
    await at.end(id, run)
    await at.manager.stop()
    expect(await readdir(join(at.dataDir, 'tasks'))).toEqual([])
  })

  it('fails with the code of a step that refuses for good', async () => {
    at.steps.fail('reveal', new ServiceError('SVC-REG-001', 'taken meanwhile'))
    at.pool.onEvaluate = (run) => run.finish()
    const id = at.register()
    const view = await taskWhere(at.manager, id, (task) => task.status === 'failed')
    expect(view.error).toEqual({ code: 'SVC-REG-001', message: 'taken meanwhile' })
  })

  it('shows SVC-INT-001 and no inner message when a step throws what nobody foresaw', async () => {
    at.steps.before = () => {
      throw new TypeError('secret detail')
    }
    const view = await taskWhere(at.manager, at.register(), (task) => task.status === 'failed')
    expect(view.error?.code).toBe('SVC-INT-001')
    expect(view.error?.message).not.toContain('secret')
  })

  it('tries a step again while the network is away, waiting longer each time', async () => {
    let failures = 3
    at.steps.before = (step) => {
      if (step === 'reveal' && failures-- > 0) throw new ServiceError('SVC-PUB-002', 'nobody stored it')
    }
    at.pool.onEvaluate = (run) => run.finish()
    const id = at.register()
    await taskWhere(at.manager, id, (view) => view.phase === 'reveal')
    await settle()
    await at.clock.advance(999)
    expect(failures).toBe(2)
    await at.clock.advance(1)
    expect(failures).toBe(1)
    await at.clock.advance(2000)
    await at.clock.advance(4000)
    expect(at.status(id)).toBe('completed/done')
  })

  it.each(['WORKER_FAILED', 'POOL_BUSY'] as const)('goes on when a worker is there again: %s', async (code) => {
    let isThere = false
    at.steps.before = (step) => {
      if (step === 'reveal' && !isThere) throw new NativeError(code, 'no worker')
    }
    const id = at.register()
    ;(await at.evaluation()).finish()
    const { stalled } = await taskWhere(at.manager, id, (view) => view.stalled !== null || view.status !== 'running')
    expect(stalled).toEqual({ code: 'SVC-INT-001', message: expect.stringContaining('no worker') as string })
    isThere = true
    await at.clock.advance(1000)
    await at.end(id)
  })

  it('gives up after the kernel has failed three times', async () => {
    at.pool.onEvaluate = (run) => run.finish({ kind: 'failed', code: 'KERNEL_FAULT', message: 'check failed' })
    const id = at.register()
    for (let index = 0; index < 3; index++) {
      await at.evaluation(index)
      await settle()
      await until(() => at.clock.waiting > 1 || at.manager.get(id)!.status === 'failed')
      await at.clock.advance(60_000)
    }
    expect(at.manager.get(id)).toMatchObject({ status: 'failed', error: { code: 'SVC-INT-001' } })
    expect(at.pool.evaluations).toHaveLength(3)
  })
})

describe('a proof that does not verify', () => {
  it('is computed again from ever earlier checkpoints, at last from the beginning', async () => {
    at.register()
    const first = await at.evaluation()
    for (const squarings of [200, 300]) {
      first.checkpoint(squarings)
      await at.stateFiles(squarings / 100 - 1)
    }
    const begins: number[] = []
    at.pool.onEvaluate = (run) => {
      begins.push(run.current.squarings)
      run.reach(ITERATIONS)
      if (begins.length < 2) run.finish({ kind: 'failed', code: 'KERNEL_FAULT', message: 'the proof does not verify' })
    }
    first.reach(ITERATIONS)
    first.finish({ kind: 'failed', code: 'KERNEL_FAULT', message: 'the proof does not verify' })
    await until(() => at.clock.waiting > 1)
    await at.clock.advance(1000)
    await until(() => begins.length === 1 && at.clock.waiting > 1)
    await at.clock.advance(2000)
    await until(() => begins.length === 2)
    expect(begins).toEqual([200, 0])
  })

  it('does not count against a task that gets further each time', async () => {
    const id = at.register()
    for (let index = 0; index < 6; index++) {
      const run = await at.evaluation(index)
      run.reach(100 * (index + 1))
      run.finish({ kind: 'failed', code: 'WORKER_FAILED', message: 'out of luck' })
      await until(() => at.clock.waiting > 1)
      await at.clock.advance(60_000)
    }
    await at.evaluation(6)
    expect(at.manager.get(id)!.status).toBe('running')
  })
})
