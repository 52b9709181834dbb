/** What a worker thread does: one run, or some schedules. Each thread has timers of its own, and so a time of its own. */
import { run, type RunResult } from '../run.ts'
import { runSchedules, type SchedulesResult } from '../../search/schedules/schedules.ts'
import { type Job, optionsOf } from './jobs.ts'

/** Where a thread says how far it is: thousandths, by number of the task. */
export interface Told {
  readonly progress: Int32Array
  readonly index: number
}

const tell =
  ({ progress, index }: Told) =>
  (share: number): void => {
    progress[index] = Math.round(share * 1000)
  }

export function runJob({ job, told }: { readonly job: Job; readonly told: Told }): Promise<RunResult> {
  return run(optionsOf(job), tell(told))
}

export interface Part {
  readonly count: number
  readonly seed: number
}

export function runPart({ part, told }: { readonly part: Part; readonly told: Told }): Promise<SchedulesResult> {
  return runSchedules(part.count, part.seed, tell(told))
}
