/**
 * What tasks add to squaring: the daemon's own path (pool, slices, progress read and saved twice a second, checkpoints written and
 * synchronised to the disk) against one long call of the kernel, in alternated runs on threads of the same priority.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { EvaluationHandle } from '../../src/native/types.ts'
import { median } from '../statistics.ts'
import { startTasks, type RealTasks } from './real-tasks.ts'
import { busiestSeconds, threadTimes } from './thread-time.ts'

/** Most intermediate forms a second: about the most for which the memory still holds one for every digit of the proof. */
const ITERATIONS = 30_000_000
/** A tenth of the default: ten times the checkpoints that a daemon writes, two in every window. */
const CHECKPOINT_SECONDS = 1
const WINDOW_MS = 2_000
const SETTLE_MS = 500
const POLL_MS = 1

/** Squarings per second of a window, and per second of its thread's processor time. */
interface Window {
  readonly rate: number
  readonly cpuRate: number | undefined
}

export interface Overhead {
  readonly rounds: number
  readonly checkpoint_seconds: number
  readonly bare_squarings_per_second: number
  readonly task_squarings_per_second: number
  /** Time of the task's path by time of the bare loop, each in its quickest window: what else runs on the machine can only slow one down. */
  readonly ratio: number
  /** The median of the rounds' own ratios, of two windows that follow one another: the machine may be a quarter slower a minute later. */
  readonly median_ratio: number
  /** The same of the squaring thread's processor time for one squaring; null where it is not known. */
  readonly cpu_ratio: number | null
}

export async function measureOverhead(rounds: number): Promise<Overhead> {
  const bare: Window[] = []
  const through: Window[] = []
  const tasks = await startTasks({ iterations: ITERATIONS, checkpointSeconds: CHECKPOINT_SECONDS })
  const loop = new Worker(new URL('./bare-loop.ts', import.meta.url), {
    workerData: { iterations: ITERATIONS, windowMs: WINDOW_MS }
  })
  try {
    const { task_id: id } = tasks.manager.create({ name: 'overhead.chronym', kind: 'register' })
    let former: EvaluationHandle | undefined
    for (let round = 0; round < rounds; round++) {
      const handle = await working(tasks, former)
      former = handle
      await delay(SETTLE_MS)
      through.push(await windowOf(handle))
      tasks.manager.pause(id)
      await handle.outcome
      bare.push(await bareWindow(loop))
      tasks.manager.resume(id)
    }
  } finally {
    await loop.terminate()
    await tasks.close()
  }
  const quickest = (windows: readonly Window[]): number => Math.max(...windows.map(({ rate }) => rate))
  const pairs = bare.map((window, round) => [window, through[round]!] as const)
  const cpuRatios = pairs.flatMap(([one, other]) => (one.cpuRate === undefined || other.cpuRate === undefined ? [] : [one.cpuRate / other.cpuRate]))
  return {
    rounds,
    checkpoint_seconds: CHECKPOINT_SECONDS,
    bare_squarings_per_second: Math.round(quickest(bare)),
    task_squarings_per_second: Math.round(quickest(through)),
    ratio: Number((quickest(bare) / quickest(through)).toFixed(4)),
    median_ratio: Number(median(pairs.map(([one, other]) => one.rate / other.rate)).toFixed(4)),
    cpu_ratio: cpuRatios.length === 0 ? null : Number(median(cpuRatios).toFixed(4))
  }
}

/** The evaluation that follows `former`, once it squares. */
async function working(tasks: RealTasks, former: EvaluationHandle | undefined): Promise<EvaluationHandle> {
  for (;;) {
    const handle = tasks.handle()
    if (handle !== undefined && handle !== former && handle.progress().squaringsPerSecond > 0) return handle
    await delay(POLL_MS)
  }
}

/** Between two moments at which the count moved. */
async function windowOf(handle: EvaluationHandle): Promise<Window> {
  const first = await nextCount(handle)
  const before = threadTimes()
  await delay(WINDOW_MS)
  const last = await nextCount(handle)
  return measured(last.squarings - first.squarings, last.atMs - first.atMs, busiestSeconds(before, threadTimes()))
}

function measured(squarings: number, tookMs: number, cpuSeconds: number | undefined): Window {
  return { rate: (squarings * 1000) / tookMs, cpuRate: cpuSeconds === undefined ? undefined : squarings / cpuSeconds }
}

async function nextCount(handle: EvaluationHandle): Promise<{ squarings: number; atMs: number }> {
  const { squarings: before } = handle.progress()
  for (;;) {
    const { squarings } = handle.progress()
    if (squarings !== before) return { squarings, atMs: performance.now() }
    await delay(POLL_MS)
  }
}

async function bareWindow(loop: Worker): Promise<Window> {
  const before = threadTimes()
  const { squarings, tookMs } = await new Promise<{ squarings: number; tookMs: number }>((resolve, reject) => {
    loop.once('error', reject)
    loop.once('message', (window: { squarings: number; tookMs: number }) => {
      loop.off('error', reject)
      resolve(window)
    })
    loop.postMessage('go')
  })
  return measured(squarings, tookMs, busiestSeconds(before, threadTimes()))
}
