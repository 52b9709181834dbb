/**
 * What tasks add to squaring. Compares the daemon's own path (pool, slices, progress read and saved twice a second,
 * checkpoints written and synchronised) with the bare loop, by turns (turns-pool.ts).
 */
import { startTasks } from './real-tasks.ts'
import type { Turns } from './turns.ts'
import { alternateTurns, ratiosOf, total } from './turns-pool.ts'

/**
 * Most intermediate forms a second: about the most for which the memory still holds one for every digit of the proof.
 */
const ITERATIONS = 30_000_000
/**
 * A fifth of the default, of which half are bare turns: ten times the checkpoints that a daemon writes for its
 * squarings.
 */
const CHECKPOINT_SECONDS = 2

export interface Overhead {
  readonly rounds: number
  readonly checkpoint_seconds: number
  readonly squarings_per_second: number
  /**
   * Time of the task's path divided by that of the bare loop for the same squarings: the median of the rounds, and
   * their quartiles.
   */
  readonly ratio: number
  readonly ratio_quartiles: readonly [number, number]
  /** The same of the thread's processor time, which others on the machine can't take. */
  readonly cpu_ratio: number
  /**
   * Processor time of all other threads (the event loop, files, the collector), for both turns, by that of the task's.
   */
  readonly beside: number
}

/** `evaluations`, one after the other: of more, the median is surer. */
export async function measureOverhead(evaluations: number): Promise<Overhead> {
  const turns: Turns[] = []
  let besideUs = 0
  for (let evaluation = 0; evaluation < evaluations; evaluation++) {
    const alternated = await alternateTurns(async (pool) => {
      const tasks = await startTasks({ iterations: ITERATIONS, checkpointSeconds: CHECKPOINT_SECONDS, pool })
      tasks.manager.create({ name: 'overhead.chronym', kind: 'register' })
      return { end: () => tasks.close() }
    })
    turns.push(...alternated.turns)
    besideUs += alternated.besideUs
  }
  const clock = ratiosOf(turns, ({ clockMs }) => clockMs)
  return {
    rounds: clock.rounds,
    checkpoint_seconds: CHECKPOINT_SECONDS / 2,
    squarings_per_second: Math.round(
      (total(turns, ({ squarings }) => squarings) * 1000) / total(turns, ({ task }) => task.clockMs)
    ),
    ratio: rounded(clock.median),
    ratio_quartiles: [rounded(clock.spread[0]), rounded(clock.spread[1])],
    cpu_ratio: rounded(ratiosOf(turns, ({ cpuUs }) => cpuUs).median),
    beside: rounded(besideUs / total(turns, ({ task }) => task.cpuUs))
  }
}

function rounded(figure: number): number {
  return Number(figure.toFixed(4))
}
