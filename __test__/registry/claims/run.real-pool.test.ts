/**
 * Tasks on the real kernel and a real database: stopped and taken up until the proof is there. The pool is the real one,
 * but where the disk has to have what was squared.
 */
import type { Log } from '../../../src/evaluations/evaluator.ts'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createNativePool } from '../../../src/native/pool/pool.ts'
import type { Evaluation, NativePool } from '../../../src/native/types.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/types.ts'
import { loadCheckpoints } from '../../../src/evaluations/checkpoints.ts'
import { taskDirectory } from '../../../src/evaluations/directories.ts'
import { systemClock } from '../../../src/time/clock.ts'
import type { PlannedClaim, TaskManager } from '../../../src/registry/tasks.ts'
import { SteppedPool } from '../../farm/stepped-pool.ts'
import { temporary } from '../../temporary.ts'
import { waitFor } from '../../wait-for.ts'
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
  readonly evaluation: Pick<Evaluation, 'iterations' | 'split'>
  proof: Uint8Array | undefined

  constructor(evaluation: Pick<Evaluation, 'iterations' | 'split'>) {
    super()
    this.evaluation = evaluation
  }
  override async plan(...args: Parameters<FakeSteps['plan']>): Promise<PlannedClaim> {
    return { ...(await super.plan(...args)), evaluation: { ...this.evaluation, seed: SEED, discriminantBits: BITS } }
  }
  override async reveal(...args: Parameters<FakeSteps['reveal']>): Promise<void> {
    this.proof = args[2]
    await super.reveal(...args)
  }
}

async function start(log: Log = silentLog, squaring: Pick<NativePool, 'evaluate'> = pool): Promise<void> {
  store = openStore(join(dataDir, 'chronym.db'))
  const options = { maxTasks: 1, queue: 10, checkpointSeconds: 0.02, memoryBytes: 1 << 22 }
  manager = taskManager({ store, dataDir, pool: squaring, steps, options, clock: systemClock, log })
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

  const [REPAIRED, A_CHECKPOINT, LEFT_AT] = [8000, 200, [600, 1200, 1800, 2400, 3000]]

  /** Begins a task, and stops the daemon at the last of `LEFT_AT`. It waits at each until the disk has it, however slow. */
  async function leave() {
    const stepped = new SteppedPool(0)
    await start(silentLog, stepped)
    const { task_id } = manager.create({ name: 'alice.chronym', kind: 'register' })
    const directory = taskDirectory(dataDir, task_id)
    const task = { taskId: task_id, name: 'alice.chronym', kind: 'register' } as const
    const plan = await steps.plan(task, Buffer.alloc(32), new AbortController().signal)
    for (const squarings of LEFT_AT) {
      stepped.hold(squarings)
      await waitFor(
        async () => expect((await loadCheckpoints(directory, plan.evaluation)).believed[0]?.squarings).toBe(squarings),
        10
      )
    }
    await stop()
    return { task_id, directory, plan }
  }

  async function damage(directory: string, share: number): Promise<void> {
    const bytes = await readFile(join(directory, 'intermediates'))
    bytes.fill(0, Math.floor(bytes.length * share), Math.floor(bytes.length * share) + 300)
    await writeFile(join(directory, 'intermediates'), bytes)
  }

  it.each([
    ['one segment', null, 0.3],
    ['one segment', null, 0.7],
    ['two segments', 7200, 0.5],
    ['two segments', 2000, 0.5]
  ])(
    'repeats only lost squarings of %s (split %s, at %f of them), and its proof verifies',
    async (_form, split, share) => {
      steps = new RealSteps({ iterations: REPAIRED, split })
      const { task_id, directory, plan } = await leave()
      const kept = (await loadCheckpoints(directory, plan.evaluation)).believed[0]!.squarings
      await damage(directory, share)
      const before = (await loadCheckpoints(directory, plan.evaluation)).believed[0]!.squarings
      const went: [string, number][] = []
      const info = (fields: object, message: string): void => {
        if ('squarings' in fields) went.push([message, fields.squarings as number])
      }
      const stepped = new SteppedPool(before)
      await start({ ...silentLog, info }, stepped)
      for (let to = before + A_CHECKPOINT; went.length < 2; to += A_CHECKPOINT) {
        stepped.hold(to)
        await waitFor(async () => {
          const { believed } = await loadCheckpoints(directory, plan.evaluation)
          expect(went.length >= 2 || believed.some((each) => each.squarings === to)).toBe(true)
        }, 10)
      }
      stepped.release()
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
      expect([from, onwards]).toEqual([before, kept])
      expect(before).toBeGreaterThan(0)
      expect(to).toBeLessThan(kept)
      expect(await isProved()).toBe(true)
    }
  )

  it('leaves nothing behind when it is cancelled while a damage is made good', async () => {
    steps = new RealSteps({ iterations: REPAIRED, split: null })
    const { task_id, directory } = await leave()
    await damage(directory, 0.3)
    const { promise: repairing, resolve } = Promise.withResolvers<undefined>()
    const info = (_fields: object, message: string): void => {
      if (message.includes('later checkpoints are kept')) resolve(undefined)
    }
    await start({ ...silentLog, info }, new SteppedPool())
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
