/**
 * How long a cancel takes: until the native loop has ended, and until the task's files are gone and the caller is
 * answered.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { startTasks } from './real-tasks.ts'
import type { Squared } from './squared.ts'

/** Enough squarings that no task ends before it is cancelled. */
const ITERATIONS = 10 ** 11

export interface Cancels {
  readonly phase: 'evaluate' | 'prove'
  readonly cancels: number
  readonly loop_median_ms: number
  readonly loop_max_ms: number
  readonly answer_median_ms: number
  readonly answer_max_ms: number
}

/** In the middle of squaring, at moments that spread over a slice. */
export function cancelSquaring(cancels: number): Promise<Cancels> {
  return measure('evaluate', cancels, startTasks({ iterations: ITERATIONS, checkpointSeconds: 10 }))
}

/** In the middle of proving: every task resumes where `squared` ends. */
export function cancelProving(cancels: number, squared: Squared): Promise<Cancels> {
  return measure(
    'prove',
    cancels,
    startTasks({ iterations: squared.iterations, checkpointSeconds: 10, checkpoint: squared })
  )
}

async function measure(
  phase: Cancels['phase'],
  cancels: number,
  starting: ReturnType<typeof startTasks>
): Promise<Cancels> {
  const tasks = await starting
  const loops: number[] = []
  const answers: number[] = []
  const wanted = phase === 'evaluate' ? 'squaring' : 'proving'
  try {
    for (let index = 0; index < cancels; index++) {
      const { task_id: id } = tasks.manager.create({ name: `cancel-${index}.chronym`, kind: 'register' })
      const former = tasks.handle()
      while (tasks.handle() === former || tasks.handle()!.progress().phase !== wanted) await delay(1)
      await delay(20 + ((index * 37) % 150))
      const loop = tasks.handle()!
      const startedAt = performance.now()
      const answered = tasks.manager.remove(id)
      const outcome = await loop.outcome
      if (outcome.kind !== 'stopped') throw new Error(`the evaluation had ended: ${outcome.kind}`)
      loops.push(performance.now() - startedAt)
      await answered
      answers.push(performance.now() - startedAt)
      await tasks.manager.remove(id)
    }
  } finally {
    await tasks.close()
  }
  return {
    phase,
    cancels,
    loop_median_ms: middle(loops),
    loop_max_ms: last(loops),
    answer_median_ms: middle(answers),
    answer_max_ms: last(answers)
  }
}

function middle(figures: readonly number[]): number {
  return rounded(figures.toSorted((left, right) => left - right)[Math.floor(figures.length / 2)]!)
}

function last(figures: readonly number[]): number {
  return rounded(Math.max(...figures))
}

function rounded(ms: number): number {
  return Number(ms.toFixed(2))
}
