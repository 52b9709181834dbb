/**
 * The daemon's own task manager on a real pool, a real database and real files; only the network's steps are left out.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNativePool } from '../../src/native/pool/pool.ts'
import type { EvaluationHandle, NativePool } from '../../src/native/types.ts'
import { openStore } from '../../src/store/open.ts'
import { CheckpointWriter } from '../../src/evaluations/checkpoint-writer.ts'
import { taskDirectory } from '../../src/evaluations/directories.ts'
import { systemClock } from '../../src/time/clock.ts'
import { createTaskManager } from '../../src/registry/claims/tasks.ts'
import type { PlannedClaim, TaskManager } from '../../src/registry/tasks.ts'
import type { ClaimSteps } from '../../src/registry/claims/run.ts'
import { SeedHolder } from '../../src/registry/seed-holder.ts'

export const BITS = 1024
export const SEED = new Uint8Array(32).fill(7)
export const MEMORY_BYTES = 256 * 2 ** 20

interface RealTasks {
  readonly manager: TaskManager
  /** Of the evaluation begun last; undefined before the first. */
  handle(): EvaluationHandle | undefined
  close(): Promise<void>
}

interface RealTasksOptions {
  readonly iterations: number
  readonly checkpointSeconds: number
  /** Instead of the daemon's own. */
  readonly pool?: Pick<NativePool, 'evaluate'>
  /** A checkpoint that every task finds in its directory. */
  readonly checkpoint?: { readonly state: Uint8Array; readonly intermediates: Uint8Array }
}

export async function startTasks({
  iterations,
  checkpointSeconds,
  checkpoint,
  pool
}: RealTasksOptions): Promise<RealTasks> {
  const dataDir = mkdtempSync(join(tmpdir(), 'chronym-bench-tasks-'))
  const store = openStore(join(dataDir, 'chronym.db'))
  const own = pool === undefined ? createNativePool({ evaluationThreads: 1 }) : undefined
  const { evaluate } = (pool ?? own)!
  let handle: EvaluationHandle | undefined
  const manager = createTaskManager({
    store,
    seed: new SeedHolder(new Uint8Array(32)),
    dataDir,
    pool: { evaluate: (...given) => (handle = evaluate(...given)) },
    steps: stepsOf(iterations, (taskId, plan) => leaveCheckpoint(taskDirectory(dataDir, taskId), plan, checkpoint)),
    options: { maxTasks: 1, queue: 1000, checkpointSeconds, memoryBytes: MEMORY_BYTES },
    clock: systemClock,
    certainMs: () => 0,
    log: { info: () => undefined, warn: complain, error: complain }
  })
  await manager.start()
  return {
    manager,
    handle: () => handle,
    async close() {
      await manager.stop()
      await own?.close()
      store.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
}

export function complain(fields: object, message: string): void {
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
}

async function leaveCheckpoint(
  directory: string,
  plan: PlannedClaim,
  checkpoint: RealTasksOptions['checkpoint']
): Promise<void> {
  if (checkpoint === undefined) return
  const writer = await CheckpointWriter.open(directory, plan.evaluation, undefined, (error) => {
    throw error
  })
  writer.accept({
    state: checkpoint.state,
    appended: checkpoint.intermediates,
    appendedFrom: 0,
    squarings: plan.evaluation.iterations
  })
  await writer.close()
}

/**
 * @param prepare called once the evaluation is known
 * @param seedOf of a task; 32 bytes
 */
export function stepsOf(
  iterations: number,
  prepare: (taskId: string, plan: PlannedClaim) => Promise<void> = () => Promise.resolve(),
  seedOf: (taskId: string) => Uint8Array = () => SEED
): ClaimSteps {
  return {
    iterations: () => iterations,
    deadlinesMs: () => [],
    commit: () => Promise.resolve(new Uint8Array(1)),
    async plan({ taskId }) {
      const evaluation = { seed: seedOf(taskId), discriminantBits: BITS, iterations, split: null }
      const plan: PlannedClaim = { evaluation, deadlineMs: null, context: new Uint8Array(0) }
      await prepare(taskId, plan)
      return plan
    },
    remind: () => Promise.resolve(),
    withdraw: () => undefined,
    usable: () => false,
    requireUse: () => Promise.resolve(),
    reveal: () => Promise.resolve()
  }
}
