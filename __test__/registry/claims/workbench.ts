/** A task manager on fakes, new for each test of a file that calls `workbench()`. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { createTaskManager, type TaskOptions } from '../../../src/registry/claims/manager.ts'
import type { TaskManager } from '../../../src/registry/tasks.ts'
import { FakePool, FakeSteps, MemoryProgressLog, MemoryStore, silentLog, until, UNLOCKED } from './fakes.ts'
import { ManualClock } from '../../time/manual-clock.ts'

export const DAY = 24 * 60 * 60 * 1000
export const OPTIONS: TaskOptions = { maxTasks: 1, queue: 2, checkpointSeconds: 10 }

export class Workbench {
  dataDir = ''
  store = new MemoryStore()
  clock = new ManualClock()
  steps = new FakeSteps()
  pool = new FakePool()
  progress = new MemoryProgressLog()
  /** The moment of the newest pulse; 0 before the first. */
  certainMs = 0
  /** Warnings and errors that were logged. */
  readonly told: string[] = []
  manager!: TaskManager

  build(options: TaskOptions = OPTIONS): TaskManager {
    const { store, dataDir, pool, steps, clock, progress } = this
    const tell = (_fields: object, message: string) => void this.told.push(message)
    return createTaskManager({
      seed: UNLOCKED,
      store,
      dataDir,
      pool,
      steps,
      options,
      clock,
      certainMs: () => this.certainMs,
      log: { ...silentLog, warn: tell, error: tell },
      progress
    })
  }

  /** The daemon ends in an orderly way and starts again. */
  async restart(options: TaskOptions = OPTIONS): Promise<void> {
    await this.manager.stop()
    this.pool = new FakePool()
    this.manager = this.build(options)
    await this.manager.start()
  }

  async evaluation(index = 0): Promise<FakePool['evaluations'][number]> {
    await until(() => this.pool.evaluations.length > index)
    return this.pool.evaluations[index]!
  }

  /** Resolves when the directory of the only task holds that many generations. */
  async stateFiles(count: number): Promise<void> {
    for (;;) {
      const [taskId] = await readdir(join(this.dataDir, 'tasks'))
      const files = taskId === undefined ? [] : await readdir(join(this.dataDir, 'tasks', taskId))
      if (files.filter((file) => /^state\.[01]$/.test(file)).length === count) return
    }
  }

  register(name = 'alice.chronym'): string {
    return this.manager.create({ name, kind: 'register' }).task_id
  }

  status(taskId: string): string {
    const { status, phase } = this.manager.get(taskId)!
    return `${status}/${phase}`
  }
}

/** The workbench of the test that runs. */
export function workbench(): Workbench {
  const at = new Workbench()
  beforeEach(async () => {
    Object.assign(at, new Workbench(), { dataDir: await mkdtemp(join(tmpdir(), 'chronym-tasks-')) })
    at.manager = at.build()
    await at.manager.start()
  })
  afterEach(async () => {
    await at.manager.stop()
    await rm(at.dataDir, { recursive: true, force: true })
  })
  return at
}
