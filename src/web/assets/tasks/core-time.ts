/** What running tasks have cost and still cost. Pure. */
import type { FarmView, TaskView } from '../lib/api.ts'

interface CoreTime {
  readonly name: string
  readonly id: string
  /** In words. */
  readonly where: string
  /** Seconds of one core at the rate of now; null while no rate is known. */
  readonly spent: number | null
  readonly left: number | null
}

/** Of tasks that have begun. One that rests goes by the mean of those at work, or of the workers. */
export function coreTimes(tasks: readonly TaskView[], { workers }: Pick<FarmView, 'workers'>): CoreTime[] {
  const begun = tasks.filter(({ status, place, progress }) => status === 'running' && (place !== null || progress > 0))
  const working = begun.flatMap(({ iterations_per_second: rate }) => rate ?? [])
  const threads = workers.flatMap(({ busy, iterations_per_second: rate }) => (busy > 0 && rate > 0 ? rate / busy : []))
  const usual = mean(working) ?? mean(threads)
  return begun.map((task) => {
    const { name, task_id: id, progress, iterations, eta_seconds: eta } = task
    const rate = task.iterations_per_second ?? usual
    return {
      name,
      id,
      where: whereOf(task),
      spent: rate === null ? null : progress / rate,
      left: eta ?? (rate === null ? null : (iterations - progress) / rate)
    }
  })
}

function mean(values: readonly number[]): number | null {
  const known = values.filter((value) => value > 0)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length
}

function whereOf({ place, worker }: TaskView): string {
  if (place === null) return 'waits for a slot'
  return place === 'local' ? 'this machine' : (worker ?? 'waits for a worker')
}
