/** Tasks that their owner moves, or that the farm may not have any more; and the slots of this machine. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { FarmPlace, Loaded, PlaceHandle, PlaceOutcome } from '../../../src/evaluations/places.ts'
import type { Checkpoint, Evaluation, EvaluationTerms } from '../../../src/native/types.ts'
import { FakePool, until } from './fakes.ts'
import { DAY, OPTIONS, taskManager, workbench } from './workbench.ts'

const at = workbench()

class FakeFarm implements FarmPlace {
  readonly #pool = new FakePool()
  readonly #refused = new Set<string>()
  readonly #begun = new Set<string>()
  /** Gives up each that it was given, which it may not have any more. */
  readonly giveUp: (() => void)[] = []
  /** Squarings of each that it was given. */
  readonly given: number[] = []
  idle = 2
  hasWorkers = true
  /** Whether it has the next one from before. */
  hasNext = false
  /** Whether its workers say that they have what it was given. */
  isBusy = false
  /** Whether they say so of what is not there any more. */
  isLying = false
  asked = 0

  isThere(): boolean {
    return this.hasWorkers
  }
  room(): number {
    return this.idle
  }
  isAtWork({ seed }: Evaluation): boolean {
    return (this.isBusy || this.isLying) && this.#begun.has(Buffer.from(seed).toString('hex'))
  }
  accepts({ seed }: Evaluation): boolean {
    return !this.#refused.has(Buffer.from(seed).toString('hex'))
  }
  holds(computation: Evaluation): Promise<boolean> {
    this.asked++
    return Promise.resolve(this.hasNext || (this.isBusy && this.isAtWork(computation)))
  }
  async begin(evaluation: Evaluation, load: () => Promise<Loaded>): Promise<PlaceHandle> {
    const { terms, onCheckpoint } = await load()
    return this.#evaluate(evaluation, terms, onCheckpoint)
  }
  #evaluate(
    evaluation: Evaluation,
    terms: EvaluationTerms,
    onCheckpoint: (checkpoint: Checkpoint) => void
  ): PlaceHandle {
    const run = this.#pool.evaluate(evaluation, terms, onCheckpoint)
    this.hasNext = false
    // What a worker has of this daemon is room for this daemon.
    if (this.isBusy) this.idle++
    this.#begun.add(Buffer.from(evaluation.seed).toString('hex'))
    this.given.push(run.current.squarings)
    const { promise: left, resolve } = Promise.withResolvers<PlaceOutcome>()
    this.giveUp.push(() => {
      this.#refused.add(Buffer.from(evaluation.seed).toString('hex'))
      resolve({ kind: 'left', reason: 'it failed twice', isWrong: false })
    })
    return {
      progress: () => ({ ...run.progress(), worker: 'w1' }),
      stop: () => run.stop(),
      outcome: Promise.race([run.outcome, left])
    }
  }
  forget(): void {
    // It keeps nothing.
  }
  hasForgotten(): boolean {
    return true
  }
}

let farm: FakeFarm

const start = async (): Promise<void> => {
  await at.manager.stop()
  at.pool = new FakePool()
  const { store, dataDir, pool, steps, clock } = at
  at.manager = taskManager({ store, dataDir, pool, steps, clock, farm, options: { ...OPTIONS, queue: 10 } })
  await at.manager.start()
}

beforeEach(() => {
  farm = new FakeFarm()
  return start()
})

const renewal = (name: string, days: number): string => {
  at.steps.deadlines.set(name, [at.clock.now() + days * DAY])
  return at.manager.create({ name, kind: 'renew' }).task_id
}

/** One here and one at the farm, which gives it up. */
async function givenUp(daysHere: number, daysAway: number): Promise<{ here: string; away: string }> {
  const here = renewal('here.chronym', daysHere)
  ;(await at.evaluation()).reach(10)
  const away = renewal('away.chronym', daysAway)
  await until(() => farm.giveUp.length === 1)
  farm.giveUp[0]!()
  return { here, away }
}

it('waits for a slot, and asks for none that is taken', async () => {
  const { here, away } = await givenUp(20, 40)
  await until(() => at.status(away) === 'running/queued')
  const sent = at.manager.get(away)!
  for (let tick = 0; tick < 10; tick++) await at.clock.advance(500)
  expect(at.pool.evaluations, 'vdf.max_tasks').toHaveLength(1)
  expect(farm.giveUp).toHaveLength(1)
  expect(at.manager.get(away)).toEqual(sent)
  await at.end(here, at.pool.evaluations[0])
  await at.end(away, await at.evaluation(1))
})

it('takes the slot of a later deadline, which goes to the farm', async () => {
  const { here, away } = await givenUp(40, 20)
  const run = await at.evaluation(1)
  expect(at.pool.evaluations[0]!.stops).toBe(1)
  await until(() => farm.giveUp.length === 2)
  await at.clock.advance(500)
  expect(at.manager.get(here)).toMatchObject({ place: 'farm' })
  await at.end(away, run)
})

it('are all taken up at once after a restart where workers have them, however little room there is', async () => {
  farm.idle = 3
  const here = renewal('here.chronym', 20)
  ;(await at.evaluation()).reach(10)
  const away = [30, 40, 50].map((days) => renewal(`in${days}.chronym`, days))
  await until(() => farm.given.length === 3)
  farm.idle = 0
  farm.isBusy = true
  await start()
  await until(() => farm.given.length === 6)
  await at.evaluation()
  for (let tick = 0; tick < 4; tick++) await at.clock.advance(500)
  expect([...away, here].map((id) => at.status(id))).toEqual(Array.from({ length: 4 }, () => 'running/evaluate'))
  expect([farm.given.length, at.pool.evaluations.map(({ stops }) => stops)]).toEqual([6, [0]])
})

it('is asked for once where a worker says that it has it, and the farm has nothing of it', async () => {
  const here = renewal('here.chronym', 20)
  ;(await at.evaluation()).reach(10)
  const away = renewal('away.chronym', 40)
  await until(() => farm.given.length === 1)
  farm.idle = 0
  await start()
  await at.evaluation()
  for (let tick = 0; tick < 4; tick++) await at.clock.advance(500)
  const { asked } = farm
  farm.isLying = true
  for (let tick = 0; tick < 10; tick++) await at.clock.advance(500)
  expect([farm.asked, at.status(away)]).toEqual([asked + 1, 'running/queued'])
  farm.idle = 1
  await at.clock.advance(500)
  await until(() => farm.given.length === 2)
  await at.end(here, at.pool.evaluations[0])
})

it('goes back to the farm in its turn alone, after it made room for an earlier deadline', async () => {
  farm.idle = 1
  renewal('here.chronym', 10)
  ;(await at.evaluation()).reach(10)
  const later = renewal('later.chronym', 40)
  await until(() => farm.given.length === 1)
  // Its worker has not stopped yet.
  farm.isLying = true
  const earlier = renewal('earlier.chronym', 20)
  while (farm.given.length < 2) await at.clock.advance(500)
  await until(() => at.status(later) === 'running/queued')
  const { asked } = farm
  for (let tick = 0; tick < 4; tick++) await at.clock.advance(500)
  expect([earlier, later].map((id) => at.status(id))).toEqual(['running/evaluate', 'running/queued'])
  expect([farm.given.length, farm.asked]).toEqual([2, asked])
})

describe('a task that its owner moves', () => {
  /** The code of a refusal. */
  const refusal = (id: string, place: 'local' | 'farm'): unknown => {
    try {
      return at.manager.move(id, place)
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  /** Those that have nothing to do do not begin. */
  const ticks = async (): Promise<void> => {
    for (let tick = 0; tick < 4; tick++) await at.clock.advance(500)
  }

  it('goes on at the farm, takes no slot there, and leaves its own to another', async () => {
    farm.idle = 0
    const moved = renewal('moved.chronym', 40)
    await at.reach(await at.evaluation(), 30)
    const other = renewal('other.chronym', 40)
    expect(refusal(moved, 'local')).toBe('SVC-TSK-006')
    expect(at.manager.move(moved, 'farm')).toMatchObject({ moved_to: 'farm' })
    await until(() => farm.given.length === 1)
    expect(farm.given).toEqual([30])
    await at.reach(await at.evaluation(1), 10)
    expect([moved, other].map((id) => at.manager.get(id)!.place)).toEqual(['farm', 'local'])
    await at.end(other, at.pool.evaluations[1])
  })

  it('comes here, where it waits for a slot, also after a restart', async () => {
    const here = renewal('here.chronym', 20)
    ;(await at.evaluation()).reach(10)
    const moved = renewal('moved.chronym', 40)
    await until(() => farm.given.length === 1)
    await at.clock.advance(500)
    expect(refusal(moved, 'farm')).toBe('SVC-TSK-006')
    at.manager.move(moved, 'local')
    await until(() => at.status(moved) === 'running/queued')
    farm.idle = 0
    await start()
    const run = await at.evaluation()
    await ticks()
    expect(at.manager.get(moved)).toMatchObject({ phase: 'queued', moved_to: 'local' })
    expect([farm.given.length, at.pool.evaluations.length]).toEqual([1, 1])
    await at.end(here, run)
    await at.end(moved, await at.evaluation(1))
  })

  it('is taken back where the farm has it from before', async () => {
    const moved = renewal('moved.chronym', 40)
    await at.reach(await at.evaluation(), 30)
    at.manager.pause(moved)
    await until(() => refusal(moved, 'local') !== 'SVC-TSK-006')
    farm.hasNext = true
    at.manager.resume(moved)
    await until(() => farm.given.length === 1)
    await at.clock.advance(500)
    await at.end(moved, await at.evaluation(1))
    expect(farm.given).toEqual([30])
  })

  it('is moved neither to a farm that does not take it, nor without one, nor once it is proved', async () => {
    const { here, away } = await givenUp(20, 40)
    await until(() => at.status(away) === 'running/queued')
    expect(refusal(away, 'farm')).toBe('SVC-TSK-005')
    farm.hasWorkers = false
    expect(refusal(here, 'farm')).toBe('SVC-TSK-005')
    expect(refusal('none', 'farm')).toBeUndefined()
    const { release } = at.steps.holdBack('reveal')
    at.pool.evaluations[0]!.finish()
    await until(() => at.status(here) === 'running/reveal')
    expect(refusal(here, 'local')).toBe('SVC-TSK-006')
    release()
    await at.manager.remove(away)
    expect(refusal(away, 'local')).toBe('SVC-TSK-004')
  })

  it('stays where no farm is configured', async () => {
    await at.restart()
    const { id } = await at.running()
    expect([refusal(id, 'farm'), refusal(id, 'local')]).toEqual(['SVC-TSK-005', 'SVC-TSK-006'])
  })
})
