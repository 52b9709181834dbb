/** Of each running task the rate over time, as far as this page has seen it. Pure, but for the memory. */

import type { TaskView } from '../lib/api.ts'
import type { Line } from '../parts/graph.ts'

type Sampled = Pick<TaskView, 'task_id' | 'status' | 'paused' | 'phase' | 'iterations_per_second'>

/** Ten minutes at one a second. */
const MAX_SAMPLES = 600

export class Rates {
  #kept = new Map<string, Line>()

  /** `tasks`: as read at `nowMs`. What has ended is forgotten. */
  note(tasks: readonly Sampled[], nowMs: number): void {
    const running = tasks.filter(({ status }) => status === 'running')
    for (const id of [...this.#kept.keys()])
      if (!running.some(({ task_id: each }) => each === id)) this.#kept.delete(id)
    for (const { task_id: id, paused, phase, iterations_per_second: rate } of running) {
      const { times, values } = this.of(id)
      const seconds = Math.floor(nowMs / 1000)
      if (times.at(-1) === seconds) continue
      // A pause is seen as a gap.
      const isWorking = phase === 'evaluate' && !paused && rate !== null
      if (!isWorking && (values.length === 0 || values.at(-1) === null)) continue
      this.#kept.set(id, {
        times: [...times, seconds].slice(-MAX_SAMPLES),
        values: [...values, isWorking ? rate : null].slice(-MAX_SAMPLES)
      })
    }
  }

  /** Squarings a second; null while it did not work. */
  of(id: string): Line {
    return this.#kept.get(id) ?? { times: [], values: [] }
  }
}

export const rates = new Rates()
