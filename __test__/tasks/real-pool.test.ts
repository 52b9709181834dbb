/** Tasks on the real kernel, the real pool and a real database: stopped and taken up until the proof is there. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createNativePool } from '../../src/native/pool.ts'
import type { NativePool } from '../../src/native/types.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/types.ts'
import { systemClock } from '../../src/tasks/clock.ts'
import { createTaskManager } from '../../src/tasks/manager.ts'
import type { EvaluationPlan, TaskManager } from '../../src/tasks/types.ts'
import { FakeSteps, silentLog, taskWhere } from './fakes.ts'

/** Stopping takes under 200 ms where cores are free (`npm run bench:tasks` measures it); without it these would go on for minutes. */
const AT_ONCE_MS = 3_000

const SEED = new Uint8Array(32).fill(9)
const BITS = 512

let dataDir: string
let pool: NativePool
let store: Store
let steps: RealSteps
let manager: TaskManager

/** Steps whose plan is a real evaluation, and which keep the proof. */
class RealSteps extends FakeSteps {
  readonly evaluation: Pick<EvaluationPlan, 'iterations' | 'split'>
  proof: Uint8Array | undefined

  constructor(evaluation: Pick<EvaluationPlan, 'iterations' | 'split'>) {
    super()
    this.evaluation = evaluation
  }
  override async plan(...args: Parameters<FakeSteps['plan']>): Promise<EvaluationPlan> {
    return { ...(await super.plan(...args)), ...this.evaluation, seed: SEED, discriminantBits: BITS }
  }
  override async reveal(...args: Parameters<FakeSteps['reveal']>): Promise<void> {
    this.proof = args[2]
    await super.reveal(...args)
  }
}

async function start(): Promise<void> {
  store = openStore(join(dataDir, 'chronym.db'))
  manager = createTaskManager({
    store,
    dataDir,
    pool,
    steps,
    options: { maxTasks: 1, queue: 10, checkpointSeconds: 0.02, memoryBytes: 1 << 22 },
    clock: systemClock,
    certainMs: () => 0,
    log: silentLog
  })
  await manager.start()
}

async function stop(): Promise<void> {
  await manager.stop()
  store.close()
}

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chronym-real-tasks-'))
  pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
})

afterEach(async () => {
  await stop()
  await pool.close()
  await rm(dataDir, { recursive: true, force: true })
})

describe('a task on the real kernel', () => {
  it.each([
    ['one segment', null],
    ['two segments', 90_000]
  ])('that is stopped and started again ends with a proof of %s that verifies, and its progress never decreased', async (_form, split) => {
    steps = new RealSteps({ iterations: 100_000, split })
    await start()
    const { task_id } = manager.create({ name: 'alice.chronym', kind: 'register' })
    let shown = 0
    for (let life = 0; life < 3; life++) {
      await taskWhere(manager, task_id, (view) => view.progress > shown || view.status !== 'running')
      const { progress } = manager.get(task_id)!
      expect(progress).toBeGreaterThanOrEqual(shown)
      shown = progress
      await stop()
      await start()
      expect(manager.get(task_id)!.progress).toBeGreaterThanOrEqual(shown)
    }
    const ended = await taskWhere(manager, task_id, (view) => view.status !== 'running')
    expect(ended).toMatchObject({ status: 'completed', error: null, progress: 100_000 })
    expect(await pool.verifyProof({ seed: SEED, bits: BITS, iterations: 100_000, split, proof: steps.proof! })).toBe(true)
  })

  it('stops at once when it is cancelled', async () => {
    steps = new RealSteps({ iterations: 1_000_000_000, split: null })
    await start()
    const { task_id } = manager.create({ name: 'alice.chronym', kind: 'register' })
    await taskWhere(manager, task_id, (view) => view.progress > 0)
    const before = performance.now()
    expect(await manager.remove(task_id)).toBe(true)
    expect(performance.now() - before).toBeLessThan(AT_ONCE_MS)
    expect(manager.get(task_id)).toMatchObject({ status: 'failed', error: { code: 'SVC-TSK-003' } })
  })
})
