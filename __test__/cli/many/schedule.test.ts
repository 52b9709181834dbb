import { describe, expect, it } from 'vitest'
import { placesOf, schedule, type Place } from '../../../src/cli/many/schedule.ts'
import { NO_FARM, type FarmView } from '../../../src/views/farm.ts'
import type { TaskView } from '../../../src/views/task.ts'
import { TASK } from '../fake-daemon.ts'

const HERE: Place = { name: 'local', slots: 2, perSecond: 100, isAssumed: false }
const work = (squarings: number, waitSeconds = 0) => ({ squarings, waitSeconds })
const left = () => work(1000)
const task = (change: Partial<TaskView>): TaskView => ({ ...TASK, ...change })

describe('the schedule', () => {
  it('gives each evaluation the slot that is free first, with its wait for the pulse', () => {
    const { turns } = schedule([HERE], [], left, [work(1000), work(3000), work(1000, 5), work(1000)])
    expect(turns).toEqual([
      { place: 'local', start: 0, end: 10 },
      { place: 'local', start: 0, end: 30 },
      { place: 'local', start: 10, end: 25 },
      { place: 'local', start: 25, end: 35 }
    ])
  })

  it('fills the slots of this machine first, and those of a worker at its own rate', () => {
    const worker = { name: 'w1', slots: 1, perSecond: 50, isAssumed: false }
    const { turns } = schedule([{ ...HERE, slots: 1 }, worker], [], left, [work(1000), work(1000), work(1000)])
    expect(turns.map(({ place, end }) => `${place} ${end}`)).toEqual(['local 10', 'w1 20', 'local 20'])
  })

  it('lets the tasks of the daemon go first: at work where they are, then those that wait in their order', () => {
    const worker = { name: 'w1', slots: 1, perSecond: 100, isAssumed: false }
    const tasks = [
      task({ task_id: 'b', phase: 'queued', queue_position: 2 }),
      task({ task_id: 'a', phase: 'queued', queue_position: 1 }),
      task({ task_id: 'here', phase: 'evaluate', eta_seconds: 7 }),
      task({ task_id: 'away', phase: 'evaluate', place: 'farm', worker: 'w1', eta_seconds: null }),
      task({ task_id: 'last', phase: 'reveal' }),
      task({ task_id: 'paused', phase: 'evaluate', paused: true }),
      task({ task_id: 'ended', status: 'completed', phase: 'done' })
    ]
    const { turns, ends } = schedule([{ ...HERE, slots: 1 }, worker], tasks, left, [work(100)])
    expect(Object.fromEntries(ends)).toEqual({ here: 7, away: 10, a: 17, b: 20, last: 0 })
    expect(turns).toEqual([{ place: 'local', start: 17, end: 18 }])
  })
})

describe('the places', () => {
  const worker = (change: Partial<FarmView['workers'][number]>): FarmView['workers'][number] => ({
    worker: 'w1',
    threads: 4,
    busy: 0,
    iterations_per_second: 0,
    ...change
  })
  const farm = (...workers: FarmView['workers']): FarmView => ({ ...NO_FARM, enabled: true, connected: true, workers })

  it('are the slots of this machine, slower where they share threads', () => {
    expect(placesOf({ maxTasks: 3, threads: 4, farm: NO_FARM }, [], 100)).toEqual([
      { name: 'local', slots: 3, perSecond: 100, isAssumed: false }
    ])
    expect(placesOf({ maxTasks: 4, threads: 2, farm: NO_FARM }, [], 100)).toMatchObject([{ slots: 4, perSecond: 50 }])
  })

  it('have the rate of a worker by what it does now, or that of this machine until then', () => {
    const parts = { maxTasks: 1, threads: 1, farm: farm(worker({ busy: 2, iterations_per_second: 300 }), worker({})) }
    const ours = [task({ worker: 'w1' }), task({ worker: 'w1' })]
    expect(placesOf(parts, ours, 100).slice(1)).toEqual([
      { name: 'w1', slots: 4, perSecond: 150, isAssumed: false },
      { name: 'w1', slots: 4, perSecond: 100, isAssumed: true }
    ])
  })

  it('leave out threads that work for other daemons, and a farm that is not reached', () => {
    const parts = { maxTasks: 1, threads: 1, farm: farm(worker({ busy: 3, iterations_per_second: 300 })) }
    expect(placesOf(parts, [task({ worker: 'w1' })], 100)[1]).toMatchObject({ slots: 2 })
    expect(placesOf({ ...parts, farm: { ...parts.farm, connected: false } }, [], 100)).toHaveLength(1)
  })
})
