/** Runs of each goal over numbers of nodes, ids and seeds, and the least number of ids that reaches a goal. */
import type { Job } from '../batch/job.ts'
import type { RunResult } from '../run.ts'
import { GOALS, type Goal } from './goals.ts'

export interface SweepOptions {
  readonly nodes: readonly number[]
  readonly seeds: readonly string[]
  readonly days: number
}

export interface Row {
  readonly nodes: number
  /** The least number of ids tried that reaches the goal with most seeds; undefined: none of those tried. */
  readonly leastIds: number | undefined
  /** The runs with that number, or with the most ids tried, one for each seed. */
  readonly results: readonly RunResult[]
}

/** Each run once, though two goals may be read from one. */
export function sweepJobs({ nodes, seeds, days }: SweepOptions): Job[] {
  const jobs = new Map<string, Job>()
  for (const { move, ids } of GOALS)
    for (const size of nodes)
      for (const count of ids)
        for (const seed of seeds)
          jobs.set(`${move} ${size} ${count} ${seed}`, { nodes: size, days, names: 0, seed, move, ids: count })
  return [...jobs.values()]
}

export function rowOf(goal: Goal, nodes: number, results: readonly RunResult[]): Row {
  const by = (count: number): RunResult[] =>
    results.filter((each) => each.move === goal.move && each.nodes === nodes && each.attacker.ids === count)
  const leastIds = goal.ids.find((count) => {
    const runs = by(count)
    return runs.filter((each) => goal.isReached(each)).length * 2 > runs.length
  })
  return { nodes, leastIds, results: by(leastIds ?? goal.ids.at(-1)!) }
}

/** The middle one of a sorted list, the lower of two. Throws a RangeError for an empty list. */
export function median(values: readonly number[]): number {
  const middle = values.toSorted((left, right) => left - right)[(values.length - 1) >> 1]
  if (middle === undefined) throw new RangeError('a median needs a value')
  return middle
}
