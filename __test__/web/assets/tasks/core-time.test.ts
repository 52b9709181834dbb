import { describe, expect, it } from 'vitest'
import { coreTimes } from '../../../../src/web/assets/tasks/core-time.ts'
import { task } from '../fixtures.ts'

const worker = (busy: number, rate: number) => ({ worker: 'w', threads: 8, busy, iterations_per_second: rate })

describe('the core time of tasks', () => {
  it('goes by the rate of each, and says where it is computed', () => {
    const tasks = [
      task({ progress: 1000, iterations: 3000, iterations_per_second: 10, eta_seconds: 250 }),
      task({ place: 'farm', worker: 'barn', progress: 500, iterations: 3000, iterations_per_second: 5 }),
      task({ place: 'farm', worker: null, iterations: 3000 })
    ]
    expect(coreTimes(tasks, { workers: [] })).toMatchObject([
      { name: 'alice.chronym', where: 'this machine', spent: 100, left: 250 },
      { where: 'barn', spent: 100, left: 500 },
      // By the mean of the others.
      { where: 'waits for a worker', spent: 0, left: 400 }
    ])
  })

  it('goes by the threads of the workers where no task has a rate, and is not known without those', () => {
    const tasks = [task({ place: null, progress: 100, iterations: 300 })]
    expect(coreTimes(tasks, { workers: [worker(4, 40), worker(0, 0)] })).toMatchObject([
      { where: 'waits for a slot', spent: 10, left: 20 }
    ])
    expect(coreTimes(tasks, { workers: [worker(0, 0)] })).toMatchObject([{ spent: null, left: null }])
  })

  it('leaves out what has ended or not begun', () => {
    expect(coreTimes([task({ status: 'completed' }), task({ place: null })], { workers: [] })).toEqual([])
  })
})
