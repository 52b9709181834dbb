/**
 * A task that runs for thirty days, on a fast clock: its disk and memory must not grow with time. Real database,
 * progress files, checkpoint files and event log. The evaluation is a fake, whose intermediate forms the kernel bounds
 * (crates/vdf, docs/architecture.md).
 */
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GENERATIONS } from '../../../src/evaluations/checkpoints.ts'
import { taskDirectory } from '../../../src/evaluations/directories.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/types.ts'
import type { PlannedClaim, TaskEvent, TaskManager } from '../../../src/registry/tasks.ts'
import { temporary } from '../../temporary.ts'
import { FakePool, FakeSteps, until, type FakeEvaluation } from './fakes.ts'
import { taskManager } from './workbench.ts'
import { ManualClock } from '../../time/manual-clock.ts'

const DAYS_MS = 24 * 60 * 60 * 1000
const ITERATIONS = 10 ** 12
/** Looks at the evaluation in thirty days. */
const LOOKS = (30 * DAYS_MS) / 500
/** Looks in each of the two spans that are compared. */
const SAMPLE = 120

class LongSteps extends FakeSteps {
  override iterations(): number {
    return ITERATIONS
  }
  override async plan(...args: Parameters<FakeSteps['plan']>): Promise<PlannedClaim> {
    const plan = await super.plan(...args)
    return { ...plan, evaluation: { ...plan.evaluation, iterations: ITERATIONS }, deadlineMs: null }
  }
}

let dataDir: string
let store: Store
let clock: ManualClock
let steps: LongSteps
let pool: FakePool
let manager: TaskManager

beforeEach(async () => {
  dataDir = temporary()
  store = openStore(join(dataDir, 'chronym.db'))
  clock = new ManualClock()
  steps = new LongSteps()
  pool = new FakePool()
  manager = taskManager({ store, dataDir, pool, steps, clock })
  await manager.start()
})

afterEach(async () => {
  await manager.stop()
  store.close()
})

async function begin(): Promise<{ id: string; run: FakeEvaluation }> {
  const { task_id: id } = manager.create({ name: 'alice.chronym', kind: 'register' })
  await until(() => pool.evaluations.length > 0)
  return { id, run: pool.evaluations[0]! }
}

/** Bytes of every file of the data directory, those of its intermediates apart. */
async function bytesOnDisk(): Promise<number> {
  const files = (await readdir(dataDir, { recursive: true, withFileTypes: true })).filter(
    (file) => file.isFile() && !['intermediates', 'state.tmp'].includes(file.name)
  )
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Looks repeatedly, each time with new progress, and a checkpoint every ten seconds. */
async function work(id: string, run: FakeEvaluation, looks: number): Promise<void> {
  for (let look = 0; look < looks; look++) {
    const squarings = run.current.squarings + 150_000
    run.current = { ...run.current, squarings }
    // The fake stores a form for each ten squarings; this one stores none.
    if (look % 20 === 0) run.save(Buffer.alloc(600, look))
    await clock.advance(500)
    await until(() => manager.get(id)!.progress === squarings)
  }
}

describe('a task of thirty days', () => {
  it('takes no more room on the disk for each of its five million looks and quarter million checkpoints', async () => {
    const { id, run } = await begin()
    await work(id, run, SAMPLE)
    // A busy disk gets the newest checkpoint alone: both generations are there before the first measurement.
    await until(() => GENERATIONS.every((file) => existsSync(join(taskDirectory(dataDir, id), file))))
    const before = await bytesOnDisk()
    await work(id, run, SAMPLE)
    const grown = (await bytesOnDisk()) - before
    // Numbers get longer; nothing else may: a byte a look would be five megabytes in thirty days.
    expect((grown * LOOKS) / SAMPLE).toBeLessThan(2 ** 20)
  })

  it('keeps the newest events only', async () => {
    const { id } = await begin()
    let told = 0
    manager.subscribe(() => told++)
    for (let turn = 0; turn < 100; turn++) {
      manager.pause(id)
      manager.resume(id)
    }
    expect(told).toBeGreaterThan(150)
    const abort = new AbortController()
    const kept: TaskEvent[] = []
    for await (const event of manager.events(id, 0, abort.signal)!) {
      kept.push(event)
      if (event.id === kept[0]!.id + 63) abort.abort()
    }
    expect(kept).toHaveLength(64)
  })

  it('sends its commitment again every hour, each time once', async () => {
    const { run } = await begin()
    const day = clock.now() + DAYS_MS
    // Half a second at a time would be a hundred thousand turns: the clock is moved between them by less than a sleep.
    while (clock.now() < day) {
      clock.set(clock.now() + 50_000)
      run.current = { ...run.current, squarings: run.current.squarings + 1 }
      await clock.advance(500)
    }
    const sent = steps.sent.filter((effect) => effect.startsWith('remind')).length
    expect(sent).toBeGreaterThanOrEqual(23)
    expect(sent).toBeLessThanOrEqual(24)
  })
})
