/** A process that dies at every write to its journal and every external effect, and restarts on what it left. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { TaskManager } from '../../../src/registry/tasks.ts'
import { temporary } from '../../temporary.ts'
import { FakePool, FakeSteps, MemoryStore, until } from './fakes.ts'
import { taskManager } from './workbench.ts'
import { ManualClock } from '../../time/manual-clock.ts'

/** Stops counting when nothing more happens: a registration has fewer points than that. */
const MANY_POINTS = 200

let dataDir: string

beforeEach(() => {
  dataDir = temporary()
})

/** What outlives a process: the disk and the world. */
class Machine {
  readonly store = new MemoryStore()
  readonly steps = new FakeSteps()
  readonly clock = new ManualClock()
  readonly seeds = new Set<string>()
  #points = 0
  #dieAt = Infinity
  dead = false

  dieAtPoint(point: number): void {
    this.#points = 0
    this.#dieAt = point
    this.dead = false
  }

  /** A point at which the process may die; a dead one does nothing more. */
  readonly point = (): void => {
    if (this.dead || ++this.#points === this.#dieAt) {
      this.dead = true
      throw new Error('the process is dead')
    }
  }

  start(): TaskManager {
    this.store.onWrite = this.point
    this.store.onWritten = this.point
    this.steps.before = () => this.point()
    const pool = new FakePool()
    pool.onEvaluate = (evaluation) => {
      this.seeds.add(Buffer.from(evaluation.request.seed).toString('hex'))
      evaluation.reach(600)
      evaluation.checkpoint()
      evaluation.finish(this.dead ? { kind: 'stopped' } : undefined)
    }
    return taskManager({ store: this.store, dataDir, pool, steps: this.steps, clock: this.clock })
  }
}

/** Starts the process, which dies at the point given; true when it died. */
async function liveUntil(
  machine: Machine,
  point: number,
  work: (manager: TaskManager) => Promise<void>
): Promise<boolean> {
  machine.dieAtPoint(point)
  const manager = machine.start()
  try {
    await manager.start()
    await work(manager)
  } catch (error) {
    if (!machine.dead) throw error
  }
  const died = machine.dead
  machine.dead = true
  await manager.stop()
  return died
}

async function untilEnded(machine: Machine, manager: TaskManager): Promise<void> {
  await until(() => machine.dead || manager.list().every((task) => task.status !== 'running'))
}

describe('a process that dies at any point of a registration', () => {
  it('leaves a journal from which the next one ends with one commitment, one plan and one reveal', async () => {
    for (let point = 1; point < MANY_POINTS; point++) {
      const machine = new Machine()
      const died = await liveUntil(machine, point, async (manager) => {
        manager.create({ name: 'alice.chronym', kind: 'register' })
        await untilEnded(machine, manager)
      })
      await liveUntil(machine, Infinity, async (manager) => {
        // Killed before its first write a task was never promised to anybody.
        if (manager.list().length === 0) manager.create({ name: 'alice.chronym', kind: 'register' })
        await untilEnded(machine, manager)
        expect(manager.list().map((task) => [task.status, task.error])).toEqual([['completed', null]])
      })
      const distinct = (what: string): number =>
        new Set(machine.steps.sent.filter((effect) => effect.startsWith(what))).size
      expect([point, distinct('commit'), machine.seeds.size, distinct('reveal')]).toEqual([point, 1, 1, 1])
      if (!died) return
    }
    expect.unreachable('a registration has fewer points than that')
  })

  it('and again at any point of its second life, still does', async () => {
    for (let point = 1; point < MANY_POINTS; point++) {
      const machine = new Machine()
      await liveUntil(machine, 7, async (manager) => {
        manager.create({ name: 'alice.chronym', kind: 'register' })
        await untilEnded(machine, manager)
      })
      const died = await liveUntil(machine, point, (manager) => untilEnded(machine, manager))
      await liveUntil(machine, Infinity, async (manager) => {
        await untilEnded(machine, manager)
        expect(manager.list().map((task) => task.status)).toEqual(['completed'])
      })
      expect(new Set(machine.steps.sent.filter((effect) => effect.startsWith('reveal'))).size).toBe(1)
      if (!died) return
    }
    expect.unreachable('a registration has fewer points than that')
  })
})

describe('a process that dies at any point of a cancel', () => {
  it('either never accepted it, or publishes nothing in its next life', async () => {
    for (let point = 1; point < MANY_POINTS; point++) {
      const machine = new Machine()
      let accepted = false as boolean
      const died = await liveUntil(machine, Infinity, async (manager) => {
        machine.steps.before = async (step, _task, signal) => {
          if (step === 'reveal')
            await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
        }
        const { task_id } = manager.create({ name: 'alice.chronym', kind: 'register' })
        await until(() => manager.get(task_id)!.phase === 'reveal')
        machine.dieAtPoint(point)
        accepted = await manager.remove(task_id)
      })
      const before = machine.steps.sent.length
      await liveUntil(machine, Infinity, (manager) => untilEnded(machine, manager))
      const published = machine.steps.sent.slice(before).some((effect) => effect.startsWith('reveal'))
      if (accepted) expect([point, published]).toEqual([point, false])
      if (!died) return
    }
    expect.unreachable('a cancel has fewer points than that')
  })
})
