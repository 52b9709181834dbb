/** A task that the farm may not have any more, and the slots of this machine. */
import { beforeEach, expect, it } from 'vitest'
import type { Computation, FarmPlace, PlaceHandle, PlaceOutcome } from '../../../src/evaluations/places.ts'
import type { Checkpoint, EvaluationRequest } from '../../../src/native/types.ts'
import { FakePool, until } from './fakes.ts'
import { DAY, OPTIONS, taskManager, workbench } from './workbench.ts'

const at = workbench()

class FakeFarm implements FarmPlace {
  readonly #pool = new FakePool()
  readonly #refused = new Set<string>()
  /** Gives up each that it was given, which it may not have any more. */
  readonly giveUp: (() => void)[] = []

  room(): number {
    return 2
  }
  accepts({ seed }: Computation): boolean {
    return !this.#refused.has(Buffer.from(seed).toString('hex'))
  }
  holds(): Promise<boolean> {
    return Promise.resolve(false)
  }
  evaluate(request: EvaluationRequest, onCheckpoint: (checkpoint: Checkpoint) => void): PlaceHandle {
    const run = this.#pool.evaluate(request, onCheckpoint)
    const { promise: left, resolve } = Promise.withResolvers<PlaceOutcome>()
    this.giveUp.push(() => {
      this.#refused.add(Buffer.from(request.seed).toString('hex'))
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
}

let farm: FakeFarm

beforeEach(async () => {
  await at.manager.stop()
  farm = new FakeFarm()
  at.pool = new FakePool()
  const { store, dataDir, pool, steps, clock, progress } = at
  at.manager = taskManager({ store, dataDir, pool, steps, clock, progress, farm, options: { ...OPTIONS, queue: 10 } })
  await at.manager.start()
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
  await until(() => at.status(away) === 'running/queued')
  await at.clock.advance(500)
  const run = await at.evaluation(1)
  expect(at.pool.evaluations[0]!.stops).toBe(1)
  await until(() => farm.giveUp.length === 2)
  await at.clock.advance(500)
  expect(at.manager.get(here)).toMatchObject({ place: 'farm' })
  await at.end(away, run)
})
