/** Tasks that their owner moves between this machine and a worker: a real server, a real kernel, a real database. */
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { NatsServer } from '../../scripts/nats-server.ts'
import { Farm } from '../../src/farm/farm.ts'
import { type FarmTimes, openLink } from '../../src/farm/link.ts'
import { jobOf } from '../../src/farm/messages.ts'
import { readState } from '../../src/farm/saved-state.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import type { NativePool } from '../../src/native/types.ts'
import type { PlannedClaim, TaskManager } from '../../src/registry/tasks.ts'
import { keys } from '../../src/store/keys.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/types.ts'
import { systemClock } from '../../src/time/clock.ts'
import type { TaskView } from '../../src/views/task.ts'
import { FakeSteps, silentLog, taskWhere } from '../registry/claims/fakes.ts'
import { taskManager } from '../registry/claims/workbench.ts'
import { temporary } from '../temporary.ts'
import { waitFor } from '../wait-for.ts'
import { questionOf, planOf, WorkerProcess } from './processes.ts'
import { FEW, HALF, SteppedPool } from './stepped-pool.ts'

const TIMES: FarmTimes = { reportMs: 100, silentMs: 10_000, lookMs: 200, homeMs: 120_000 }
/** More than is done within a test. */
const ENDLESS = 10 ** 9
const NETWORK = 'moves'

/** Steps whose plan is a real evaluation, and which keep each proof. */
class RealSteps extends FakeSteps {
  readonly proofs: Uint8Array[] = []
  evaluation = planOf(1, ENDLESS)

  override async plan(...args: Parameters<FakeSteps['plan']>): Promise<PlannedClaim> {
    return { ...(await super.plan(...args)), evaluation: this.evaluation }
  }
  override async reveal(...args: Parameters<FakeSteps['reveal']>): Promise<void> {
    this.proofs.push(args[2])
    await super.reveal(...args)
  }
}

let server: NatsServer
/** Verifies; what is squared here is at `local`. */
let pool: NativePool
let local: SteppedPool
let store: Store
let farm: Farm
let worker: WorkerProcess
let steps: RealSteps
let manager: TaskManager
const dataDir = temporary()
const address = () => ({ url: server.url, credentials: '', ca: '', network: NETWORK })
/** Squarings of each checkpoint from which it went on here. */
const resumed: number[] = []

async function start(): Promise<void> {
  farm = new Farm({ address: address(), pool, log: silentLog, times: TIMES })
  await farm.start()
  const info = (fields: object, message: string): void => {
    if (message.endsWith('resumes from a checkpoint')) resumed.push((fields as { squarings: number }).squarings)
  }
  const options = { maxTasks: 1, queue: 10, checkpointSeconds: 0.05, memoryBytes: 1 << 22 }
  const log = { ...silentLog, info }
  manager = taskManager({ store, dataDir, pool: local, farm, steps, options, clock: systemClock, log })
  await manager.start()
}

/** As the daemon ends. */
async function stop(): Promise<void> {
  farm.leave()
  await manager.stop()
  await farm.close()
}

/** What the farm has saved. */
async function saved(plan = steps.evaluation): Promise<number | undefined> {
  const link = await openLink(address(), TIMES)
  const state = await readState(link, jobOf(plan))
  await link.close()
  return state?.squarings
}

/** At work there: what is at the farm may still wait for its worker. */
const isAt = (id: string, place: TaskView['place'], least: number): Promise<TaskView> =>
  taskWhere(
    manager,
    id,
    (view) => view.place === place && view.worker === (place === 'farm' ? 'w1' : null) && view.progress > least
  )

beforeEach(async () => {
  server = await NatsServer.started(temporary())
  pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
  store = openStore(join(dataDir, 'chronym.db'))
  steps = new RealSteps()
  local = new SteppedPool()
  await start()
})

async function startWorker(heldAt: number | null = null): Promise<void> {
  // Where it is not back in time to hear that nobody wants its work, it finds out soon.
  const times = { ...TIMES, homeMs: 1500 }
  worker = new WorkerProcess({ url: server.url, network: NETWORK, name: 'w1', times, heldAt })
  await waitFor(() => expect(farm.room()).toBe(1))
}

afterEach(async () => {
  await stop()
  await worker.kill()
  store.close()
  await pool.close()
  await server.kill()
})

it('goes on where it was moved from what it had reached, also after a restart', async () => {
  await startWorker()
  const { task_id: id } = manager.create({ name: 'alice.chronym', kind: 'register' })
  const { progress } = await isAt(id, 'local', 0)
  manager.move(id, 'farm')
  expect(await isAt(id, 'farm', progress)).toMatchObject({ worker: 'w1', moved_to: 'farm' })
  await stop()
  await start()
  // The slot here is free.
  const { progress: there } = await isAt(id, 'farm', progress)
  const before = await saved()
  manager.move(id, 'local')
  await isAt(id, 'local', there)
  expect(resumed.at(-1)).toBeGreaterThanOrEqual(before!)
  expect(worker.stretches).toHaveLength(1)
  expect(worker.stretches[0]!.from).toBeGreaterThanOrEqual(progress)
  await manager.remove(id)
})

it('gives one proof, wherever it was moved meanwhile', async () => {
  steps.evaluation = planOf(2, FEW)
  local.hold(HALF)
  await startWorker(HALF + HALF / 2)
  const { task_id: id } = manager.create({ name: 'carol.chronym', kind: 'register' })
  await isAt(id, 'local', 0)
  manager.move(id, 'farm')
  await isAt(id, 'farm', HALF)
  manager.move(id, 'local')
  local.release()
  await taskWhere(manager, id, ({ status }) => status === 'completed')
  expect(steps.proofs).toHaveLength(1)
  expect(await pool.verifyProof(questionOf(steps.evaluation, steps.proofs[0]!))).toBe(true)
  await waitFor(async () => expect(await saved()).toBeUndefined())
  await waitFor(() => expect(farm.view()).toMatchObject({ tasks: 0, workers: [{ busy: 0 }] }))
})

it('stops at the farm what was cancelled without it, once its server is back, also after a restart', async () => {
  await startWorker()
  // One at work there, and one that waits there.
  const plans = [planOf(3, ENDLESS), planOf(4, ENDLESS)]
  const ids: string[] = []
  for (const plan of plans) {
    steps.evaluation = plan
    const { task_id: id } = manager.create({ name: `bob${ids.length}.chronym`, kind: 'register' })
    ids.push(id)
    await isAt(id, 'local', 0)
    manager.move(id, 'farm')
    await waitFor(async () => expect(await saved(plan)).toBeGreaterThan(0))
  }
  await server.kill()
  await waitFor(() => expect(farm.view().connected).toBe(false))
  for (const id of ids) await manager.remove(id)
  const cleared = ids[0]!
  await manager.remove(cleared)
  await stop()
  await start()
  expect(ids.map((id) => manager.get(id)?.status)).toEqual([undefined, 'failed'])
  await server.start()
  await waitFor(() => expect(worker.said).toContain('stopped'))
  for (const plan of plans) await waitFor(async () => expect(await saved(plan)).toBeUndefined())
  await waitFor(() => expect(store.get(keys.task(cleared))).toBeUndefined())
})
