/** Runs of each goal over numbers of nodes, ids and seeds, and the least number of ids that reaches a goal. */
import type { Job } from '../batch/jobs.ts'
import type { RunResult } from '../run.ts'
import { type Attempt, GOALS, type Goal } from './goals.ts'

export interface SweepOptions {
  readonly nodes: readonly number[]
  readonly seeds: readonly string[]
  readonly days: number
}

export interface Row {
  readonly nodes: number
  /** The move that reaches the goal with the least ids; where none does, the goal's first. */
  readonly move: string
  /** The least number of ids tried that reaches the goal with most seeds; undefined: none of those tried. */
  readonly leastIds: number | undefined
  /** The runs with that number, or with the most ids tried, one for each seed. */
  readonly results: readonly RunResult[]
}

/** Than any number of ids. */
const MORE = Number.MAX_SAFE_INTEGER

/** Networks beyond this are attacked only with what smaller ones decided. */
const SWEPT_NODES = 10_000

/** Each run once, though two goals may be read from one. Of the sizes up to `SWEPT_NODES`. */
export function sweepJobs({ nodes, seeds, days }: SweepOptions): Job[] {
  return jobsOf(
    nodes
      .filter((size) => size <= SWEPT_NODES)
      .flatMap((size) =>
        GOALS.flatMap(({ attempts }) =>
          attempts.flatMap(({ move, ids }) => ids.map((count) => ({ nodes: size, move, ids: count })))
        )
      ),
    seeds,
    days
  )
}

/**
 * At larger sizes: for each goal the move and the ids that reached it at the largest swept size, and the next lower
 * number, or the most ids where none did.
 */
export function largerJobs({ nodes, seeds, days }: SweepOptions, results: readonly RunResult[]): Job[] {
  const swept = Math.max(...nodes.filter((size) => size <= SWEPT_NODES))
  const decided = GOALS.flatMap((goal) => {
    const { move, leastIds } = rowOf(goal, swept, results)
    const { ids } = goal.attempts.find((each) => each.move === move)!
    const least = leastIds === undefined ? ids.length - 1 : ids.indexOf(leastIds)
    return ids
      .slice(Math.max(0, leastIds === undefined ? least : least - 1), least + 1)
      .map((count) => ({ move, ids: count }))
  })
  return jobsOf(
    nodes.filter((size) => size > SWEPT_NODES).flatMap((size) => decided.map((each) => ({ nodes: size, ...each }))),
    seeds,
    days
  )
}

function jobsOf(
  wanted: readonly { nodes: number; move: string; ids: number }[],
  seeds: readonly string[],
  days: number
): Job[] {
  const jobs = new Map<string, Job>()
  for (const { nodes, move, ids } of wanted)
    for (const seed of seeds) jobs.set(`${move} ${nodes} ${ids} ${seed}`, { nodes, days, names: 0, seed, move, ids })
  return [...jobs.values()]
}

export function rowOf(goal: Goal, nodes: number, results: readonly RunResult[]): Row {
  const rows = goal.attempts
    .map((attempt) => attemptRow(goal, attempt, nodes, results))
    .filter(({ results: runs }) => runs.length > 0)
  return rows.toSorted((left, right) => (left.leastIds ?? MORE) - (right.leastIds ?? MORE))[0]!
}

function attemptRow(goal: Goal, { move, ids }: Attempt, nodes: number, results: readonly RunResult[]): Row {
  const by = (count: number): RunResult[] =>
    results.filter((each) => each.move === move && each.nodes === nodes && each.attacker.ids === count)
  const tried = ids.filter((count) => by(count).length > 0)
  const leastIds = tried.find((count) => {
    const runs = by(count)
    return runs.filter((each) => goal.isReached(each)).length * 2 > runs.length
  })
  return { nodes, move, leastIds, results: by(leastIds ?? tried.at(-1) ?? NaN) }
}

/** The middle one of a sorted list, the lower of two. Throws a RangeError for an empty list. */
export function median(values: readonly number[]): number {
  const middle = values.toSorted((left, right) => left - right)[(values.length - 1) >> 1]
  if (middle === undefined) throw new RangeError('a median needs a value')
  return middle
}
