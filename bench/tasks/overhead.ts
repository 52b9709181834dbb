/**
 * What tasks add to squaring. Compares the daemon's own path (pool, slices, progress read and saved twice a second,
 * checkpoints written and synchronised) with the bare loop. Both alternate on one thread of a pool, a tenth of a second
 * each. On a shared machine, a core may be a third slower a moment later. So two threads or two seconds cannot be
 * compared to a hundredth.
 */
import { MessageChannel } from 'node:worker_threads'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { unwrap, type Answer, type Call } from '../../src/native/worker/requests.ts'
import { startEvaluation } from '../../src/native/pool/evaluation.ts'
import type { NativePool } from '../../src/native/types.ts'
import { sum, summary, type Summary } from '../statistics.ts'
import { MEMORY_BYTES, startTasks } from './real-tasks.ts'
import type { Turns } from './turns.ts'

/**
 * Most intermediate forms a second: about the most for which the memory still holds one for every digit of the proof.
 */
const ITERATIONS = 30_000_000
/**
 * A fifth of the default, of which half are bare turns: ten times the checkpoints that a daemon writes for its
 * squarings.
 */
const CHECKPOINT_SECONDS = 2
/** Of a round: some ten seconds, five checkpoints. */
const TURNS = 50
/** Slices grow to their length, and the first forms are small and cheap. */
const FIRST_TURNS = 10
/** As the pool's evaluations (src/native/pool/pool.ts). */
const NICE = 10

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
  const threads = new Piscina({
    filename: fileURLToPath(new URL('./turns.ts', import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    niceIncrement: process.platform === 'linux' ? NICE : 0,
    atomics: 'disabled'
  })
  const turns: Turns[] = []
  let besideUs = 0
  try {
    for (let evaluation = 0; evaluation < evaluations; evaluation++) {
      const before = process.cpuUsage()
      const all = await turnsOf(threads)
      const { user, system } = process.cpuUsage(before)
      besideUs += user + system - total(all, ({ task, bare }) => task.cpuUs + bare.cpuUs)
      turns.push(...all.slice(FIRST_TURNS))
    }
  } finally {
    await threads.destroy()
  }
  const rounds = Array.from({ length: Math.floor(turns.length / TURNS) }, (_, round) =>
    turns.slice(round * TURNS, (round + 1) * TURNS)
  )
  const clock = ratio(rounds, ({ clockMs }) => clockMs)
  return {
    rounds: rounds.length,
    checkpoint_seconds: CHECKPOINT_SECONDS / 2,
    squarings_per_second: Math.round(
      (total(turns, ({ squarings }) => squarings) * 1000) / total(turns, ({ task }) => task.clockMs)
    ),
    ratio: rounded(clock.median),
    ratio_quartiles: [rounded(clock.spread[0]), rounded(clock.spread[1])],
    cpu_ratio: rounded(ratio(rounds, ({ cpuUs }) => cpuUs).median),
    beside: rounded(besideUs / total(turns, ({ task }) => task.cpuUs))
  }
}

/** Of a whole evaluation of a task, which is then given up. */
async function turnsOf(threads: Piscina): Promise<Turns[]> {
  const { port1: mine, port2: theirs } = new MessageChannel()
  const turns: Turns[] = []
  const { promise: squared, resolve, reject } = Promise.withResolvers<undefined>()
  mine.on('message', (pair: Turns | null) => {
    if (pair === null) resolve(undefined)
    else turns.push(pair)
  })
  const call: Call = async (kind, request, transfer = []) => {
    const result = (await threads.run(
      { ...request, turns: theirs, memoryBytes: MEMORY_BYTES },
      { name: kind, transferList: [...transfer, theirs] }
    )) as Answer<never>
    return unwrap(result)
  }
  const pool: Pick<NativePool, 'evaluate'> = {
    evaluate(request, onCheckpoint) {
      const evaluation = startEvaluation(request, onCheckpoint, call)
      evaluation.allot(1)
      void evaluation.outcome.then((outcome) => {
        reject(new Error(`the evaluation ended before its last squaring: ${JSON.stringify(outcome)}`))
      })
      return evaluation
    }
  }
  const tasks = await startTasks({ iterations: ITERATIONS, checkpointSeconds: CHECKPOINT_SECONDS, pool })
  try {
    tasks.manager.create({ name: 'overhead.chronym', kind: 'register' })
    await squared
  } finally {
    mine.close()
    await tasks.close()
  }
  return turns
}

function ratio(rounds: readonly Turns[][], figure: (times: Turns['task']) => number): Summary {
  return summary(
    rounds.map((some) => total(some, ({ task }) => figure(task)) / total(some, ({ bare }) => figure(bare)))
  )
}

function total(turns: readonly Turns[], figure: (pair: Turns) => number): number {
  return sum(turns.map(figure))
}

function rounded(figure: number): number {
  return Number(figure.toFixed(4))
}
