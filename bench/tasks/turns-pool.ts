/**
 * A pool of one thread, on which an evaluation and the bare loop alternate, a tenth of a second each. On a shared
 * machine, a core may be a third slower a moment later. So two threads or two seconds cannot be compared to a hundredth.
 */
import { MessageChannel } from 'node:worker_threads'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { unwrap, type Answer, type Call } from '../../src/native/worker/requests.ts'
import { startEvaluation } from '../../src/native/pool/evaluation.ts'
import type { NativePool } from '../../src/native/types.ts'
import { sum, summary, type Summary } from '../statistics.ts'
import { MEMORY_BYTES } from './real-tasks.ts'
import type { Turns } from './turns.ts'

/** Of a round: some ten seconds. */
const TURNS = 50
/** Slices grow to their length, and the first forms are small and cheap. */
const FIRST_TURNS = 10
/** As the pool's evaluations (src/native/pool/pool.ts). */
const NICE = 10

interface Alternated {
  /** Without the first ones. */
  readonly turns: readonly Turns[]
  /** Processor time of all other threads of this process, microseconds. */
  readonly besideUs: number
}

interface Ratios extends Summary {
  readonly rounds: number
}

/** Until the last squaring of the evaluation that `begin` brings to the pool; `end` then has to give it up. */
export async function alternateTurns(
  begin: (pool: Pick<NativePool, 'evaluate'>) => Promise<{ end: () => Promise<unknown> }>,
  memoryBytes = MEMORY_BYTES
): Promise<Alternated> {
  const threads = new Piscina({
    filename: fileURLToPath(new URL('./turns.ts', import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    niceIncrement: process.platform === 'linux' ? NICE : 0,
    atomics: 'disabled'
  })
  const { port1: mine, port2: theirs } = new MessageChannel()
  const turns: Turns[] = []
  const { promise: squared, resolve, reject } = Promise.withResolvers<undefined>()
  mine.on('message', (pair: Turns | null) => {
    if (pair === null) resolve(undefined)
    else turns.push(pair)
  })
  const call: Call = async (kind, request, transfer = []) => {
    const result = (await threads.run(
      { ...request, turns: theirs, memoryBytes },
      { name: kind, transferList: [...transfer, theirs] }
    )) as Answer<never>
    return unwrap(result)
  }
  const pool: Pick<NativePool, 'evaluate'> = {
    evaluate(evaluation, terms, onCheckpoint) {
      const running = startEvaluation({ evaluation, terms }, onCheckpoint, call)
      running.allot(1)
      void running.outcome.then((outcome) => {
        reject(new Error(`the evaluation ended before its last squaring: ${JSON.stringify(outcome)}`))
      })
      return running
    }
  }
  const before = process.cpuUsage()
  const { end } = await begin(pool)
  try {
    await squared
    const { user, system } = process.cpuUsage(before)
    return {
      turns: turns.slice(FIRST_TURNS),
      besideUs: user + system - total(turns, ({ task, bare }) => task.cpuUs + bare.cpuUs)
    }
  } finally {
    mine.close()
    await end()
    await threads.destroy()
  }
}

/** Time of the task's turns divided by that of the bare ones: of each round. */
export function ratiosOf(turns: readonly Turns[], figure: (times: Turns['task']) => number): Ratios {
  const rounds = Array.from({ length: Math.floor(turns.length / TURNS) }, (_, round) =>
    turns.slice(round * TURNS, (round + 1) * TURNS)
  )
  const ratios = rounds.map((some) => total(some, ({ task }) => figure(task)) / total(some, ({ bare }) => figure(bare)))
  return { ...summary(ratios), rounds: rounds.length }
}

export function total(turns: readonly Turns[], figure: (pair: Turns) => number): number {
  return sum(turns.map(figure))
}
