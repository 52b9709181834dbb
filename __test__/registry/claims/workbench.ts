/** A task manager on fakes, new for each test of a file that calls `workbench()`. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { createTaskManager, type TaskOptions } from '../../../src/registry/claims/tasks.ts'
import type { TaskManager } from '../../../src/registry/tasks.ts'
import { temporary } from '../../temporary.ts'
import { ManualClock } from '../../time/manual-clock.ts'
import {
  type FakeEvaluation,
  FakePool,
  FakeSteps,
  MemoryStore,
  silentLog,
  taskWhere,
  until,
  UNLOCKED
} from './fakes.ts'

export const DAY = 24 * 60 * 60 * 1000
export const OPTIONS: TaskOptions = { maxTasks: 1, queue: 2, checkpointSeconds: 10 }

type Parts = Parameters<typeof createTaskManager>[0]

/** A task manager that fails nowhere: with its seed, without a log, and no pulse yet. */
export function taskManager(
  parts: Pick<Parts, 'store' | 'dataDir' | 'pool' | 'steps' | 'clock'> & Partial<Parts>
): TaskManager {
  return createTaskManager({ seed: UNLOCKED, options: OPTIONS, certainMs: () => 0, log: silentLog, ...parts })
}

export class Workbench {
  readonly dataDir = temporary()
  store = new MemoryStore()
  clock = new ManualClock()
  steps = new FakeSteps()
  pool = new FakePool()
  /** The moment of the newest pulse; 0 before the first. */
  certainMs = 0
  /** Warnings and errors that were logged. */
  readonly told: string[] = []
  manager!: TaskManager

  build(options: TaskOptions = OPTIONS): TaskManager {
    const { store, dataDir, pool, steps, clock } = this
    const tell = (_fields: object, message: string) => void this.told.push(message)
    const log = { ...silentLog, warn: tell, error: tell }
    return taskManager({ store, dataDir, pool, steps, options, clock, log, certainMs: () => this.certainMs })
  }

  /** A process begins; the one before may not have ended in an orderly way. */
  async start(options: TaskOptions = OPTIONS): Promise<void> {
    this.pool = new FakePool()
    this.manager = this.build(options)
    await this.manager.start()
  }

  /** The daemon ends in an orderly way and starts again. */
  async restart(options: TaskOptions = OPTIONS): Promise<void> {
    await this.manager.stop()
    await this.start(options)
  }

  async evaluation(index = 0): Promise<FakeEvaluation> {
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

  /** A registration whose evaluation has begun. */
  async running(name?: string): Promise<{ id: string; run: FakeEvaluation }> {
    return { id: this.register(name), run: await this.evaluation() }
  }

  /** Squarings, and the look at them. */
  async reach(run: FakeEvaluation, squarings: number): Promise<void> {
    run.reach(squarings)
    await this.clock.advance(500)
  }

  /** A registration that is completed, as are all from now on. */
  async completed(): Promise<string> {
    this.pool.onEvaluate = (run) => run.finish()
    return this.end(this.register())
  }

  /** Waits for a task that is completed. */
  async end(taskId: string, run?: FakeEvaluation): Promise<string> {
    run?.finish()
    await taskWhere(this.manager, taskId, (view) => view.status === 'completed')
    return taskId
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
    Object.assign(at, new Workbench())
    await at.start()
  })
  afterEach(() => at.manager.stop())
  return at
}
