/** A daemon with many tasks at a farm stops and starts again: how soon it has taken up what workers square. */
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { Farm } from '../../src/farm/farm.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import { createTaskManager } from '../../src/registry/claims/tasks.ts'
import { SeedHolder } from '../../src/registry/seed-holder.ts'
import { openStore } from '../../src/store/open.ts'
import { systemClock } from '../../src/time/clock.ts'
import { measured, type Figure } from '../figure.ts'
import { say, scratchDirectory } from '../network/scratch.ts'
import { summary } from '../statistics.ts'
import { complain, MEMORY_BYTES, stepsOf } from '../tasks/real-tasks.ts'
import { DAY_OF_SQUARING, RECORDS_PER_SECOND } from './load.ts'
import { BENCH_NETWORK, startServer, startSimulated } from './scene.ts'

const TASKS = 300
/** At most half of a task's memory holds records of its squarings (src/farm/saved-state.ts). */
const RECORDS = RECORDS_PER_SECOND / 2
const POLL_MS = 10
/** Each task has left a checkpoint at the server by then. */
const HELD_MS = 20_000

export async function measureRestart(rounds: number): Promise<Figure> {
  const server = await startServer()
  const workers = startSimulated(server.url, 0, TASKS, RECORDS)
  const directory = scratchDirectory()
  let daemon = await start(directory, server.url)
  for (let index = 0; index < TASKS; index++) daemon.tasks.create({ name: `name${index}.chronym`, kind: 'renew' })
  await daemon.squares(TASKS)
  say('workers square each task')
  const seconds: number[] = []
  for (let round = 0; round < rounds; round++) {
    await delay(HELD_MS)
    await daemon.stop()
    const beganMs = performance.now()
    daemon = await start(directory, server.url)
    await daemon.squares(TASKS)
    seconds.push((performance.now() - beganMs) / 1000)
    say(`round ${round + 1}: all taken up after ${seconds.at(-1)!.toFixed(1)} s`)
  }
  await daemon.stop()
  await workers.kill()
  await server.stop()
  return measured({ name: `${TASKS} tasks at a farm, taken up after a restart`, unit: 's' }, summary(seconds))
}

async function start(directory: string, url: string) {
  const store = openStore(join(directory, 'chronym.db'))
  const pool = createNativePool({ evaluationThreads: 1 })
  const log = { info: () => undefined, warn: complain, error: complain }
  const farm = new Farm({ address: { url, credentials: '', ca: '', network: BENCH_NETWORK }, pool, log })
  const tasks = createTaskManager({
    store,
    seed: new SeedHolder(new Uint8Array(32)),
    dataDir: directory,
    pool,
    farm,
    steps: stepsOf(DAY_OF_SQUARING, undefined, (id) => createHash('sha256').update(id).digest()),
    options: { maxTasks: 0, queue: 1000, checkpointSeconds: 10, memoryBytes: MEMORY_BYTES },
    clock: systemClock,
    certainMs: () => 0,
    log
  })
  await farm.start()
  await tasks.start()
  return {
    tasks,
    async squares(count: number): Promise<void> {
      while (tasks.list().filter(({ place }) => place === 'farm').length < count) await delay(POLL_MS)
    },
    async stop(): Promise<void> {
      await tasks.stop()
      await farm.close()
      await pool.close()
      store.close()
    }
  }
}
