/** Tasks on the real kernel, the real pool and a real database: stopped and taken up until the proof is there. */
import type { Log } from '../../../src/evaluations/evaluation.ts'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createNativePool } from '../../../src/native/pool/pool.ts'
import type { NativePool } from '../../../src/native/types.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/types.ts'
import { loadCheckpoints, taskDirectory } from '../../../src/evaluations/checkpoints.ts'
import { systemClock } from '../../../src/time/clock.ts'
import type { ClaimPlan, TaskManager } from '../../../src/registry/tasks.ts'
import { temporary } from '../../temporary.ts'
import { FakeSteps, silentLog, taskWhere } from './fakes.ts'
import { taskManager } from './workbench.ts'

const SEED = new Uint8Array(32).fill(9)
const BITS = 512

let dataDir: string
let pool: NativePool
let store: Store
let steps: RealSteps
let manager: TaskManager

/** Steps whose plan is a real evaluation, and which keep the proof. */
class RealSteps extends FakeSteps {
  readonly evaluation: Pick<ClaimPlan, 'iterations' | 'split'>
  proof: Uint8Array | undefined

  constructor(evaluation: Pick<ClaimPlan, 'iterations' | 'split'>) {
    super()
    this.evaluation = evaluation
  }
  override async plan(...args: Parameters<FakeSteps['plan']>): Promise<ClaimPlan> {
    return { ...(await super.plan(...args)), ...this.evaluation, seed: SEED, discriminantBits: BITS }
  }
  override async reveal(...args: Parameters<FakeSteps['reveal']>): Promise<void> {
    this.proof = args[2]
    await super.reveal(...args)
  }
}

async function start(log: Log = silentLog): Promise<void> {
  store = openStore(join(dataDir, 'chronym.db'))
  const options = { maxTasks: 1, queue: 10, checkpointSeconds: 0.02, memoryBytes: 1 << 22 }
  manager = taskManager({ store, dataDir, pool, steps, options, clock: systemClock, log })
  await manager.start()
}

const isProved = (): Promise<boolean> =>
  pool.verifyProof({ seed: SEED, bits: BITS, ...steps.evaluation, proof: steps.proof! })

async function stop(): Promise<void> {
  await manager.stop()
  store.close()
}

beforeEach(() => {
  dataDir = temporary()
  pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
})

afterEach(async () => {
  await stop()
  await pool.close()
})

describe('a task on the real kernel', () => {
  it.each([
    ['one segment', null],
    ['two segments', 90_000]
  ])(
    'that is stopped and started again ends with a proof of %s that verifies, and its progress never decreased',
    async (_form, split) => {
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
      expect(await isProved()).toBe(true)
    }
  )

  /** Begins a task, and stops the daemon after `squarings`; returns the directory of its checkpoints. */
  async function leave(squarings: number): Promise<{ task_id: string; directory: string }> {
    await start()
    const { task_id } = manager.create({ name: 'alice.chronym', kind: 'register' })
    await taskWhere(manager, task_id, (view) => view.progress > squarings || view.status !== 'running')
    await stop()
    return { task_id, directory: taskDirectory(dataDir, task_id) }
  }

  async function damage(directory: string, share: number): Promise<void> {
    const bytes = await readFile(join(directory, 'intermediates'))
    bytes.fill(0, Math.floor(bytes.length * share), Math.floor(bytes.length * share) + 300)
    await writeFile(join(directory, 'intermediates'), bytes)
  }

  it.each([
    ['one segment', null, 150_000, 0.3],
    ['one segment', null, 150_000, 0.7],
    ['two segments', 360_000, 150_000, 0.5],
    ['two segments', 100_000, 150_000, 0.5]
  ])(
    'repeats only lost squarings of %s (split %s, at %i squarings, %f of them), and its proof verifies',
    async (_form, split, squarings, share) => {
      steps = new RealSteps({ iterations: 400_000, split })
      const { task_id, directory } = await leave(squarings)
      const plan = await steps.plan(
        { taskId: task_id, name: 'alice.chronym', kind: 'register' },
        Buffer.alloc(32),
        new AbortController().signal
      )
      const kept = (await loadCheckpoints(directory, plan)).believed[0]!.squarings
      await damage(directory, share)
      const before = (await loadCheckpoints(directory, plan)).believed[0]!.squarings
      const went: [string, number][] = []
      await start({
        ...silentLog,
        info: (fields, message) => 'squarings' in fields && went.push([message, fields.squarings as number])
      })
      expect(await taskWhere(manager, task_id, (view) => view.status !== 'running')).toMatchObject({
        status: 'completed',
        error: null
      })
      expect(went.map(([message]) => message)).toEqual([
        'the evaluation resumes before the damage; later checkpoints are kept',
        'the damaged part is squared again',
        'the evaluation resumes from a checkpoint'
      ])
      const [from, to, onwards] = went.map(([, each]) => each)
      // How long a stretch is at the most, repair.test.ts shows: here that is a matter of how far a slice of 100 ms
      // gets.
      expect([from, onwards]).toEqual([before, kept])
      expect(before).toBeGreaterThan(0)
      expect(to).toBeLessThan(kept)
      expect(await isProved()).toBe(true)
    }
  )

  it('leaves nothing behind when it is cancelled while a damage is made good', async () => {
    steps = new RealSteps({ iterations: 400_000, split: null })
    const { task_id, directory } = await leave(100_000)
    await damage(directory, 0.3)
    const { promise: repairing, resolve } = Promise.withResolvers<undefined>()
    await start({
      ...silentLog,
      info: (_fields, message) => message.includes('later checkpoints are kept') && resolve(undefined)
    })
    await repairing
    expect(await manager.remove(task_id)).toBe(true)
    expect(await readdir(join(dataDir, 'tasks'))).toEqual([])
  })

  it('stops when it is cancelled, though it would go on for hours', async () => {
    steps = new RealSteps({ iterations: 1_000_000_000, split: null })
    await start()
    const { task_id } = manager.create({ name: 'alice.chronym', kind: 'register' })
    await taskWhere(manager, task_id, (view) => view.progress > 0)
    expect(await manager.remove(task_id)).toBe(true)
    expect(manager.get(task_id)).toMatchObject({ status: 'failed', error: { code: 'SVC-TSK-003' } })
  })
})
