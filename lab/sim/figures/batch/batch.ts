/** Independent runs over the cores. Their number changes no result, since each run has a seed of its own. */
import { Piscina } from 'piscina'
import type { RunResult } from '../run.ts'
import { joined, type SchedulesResult } from '../../search/schedules/schedules.ts'
import { type Job, Journal, hashOfCode, keyOf } from './jobs.ts'
import type { Part, Told } from './worker.ts'

/** Schedules that one task runs: a second of a core. */
const SCHEDULES_AT_ONCE = 6

/** How often the progress of all is told, milliseconds. */
const TELL_MS = 200

export interface BatchOptions {
  readonly workers: number
  /** Results of former runs are taken from this file, and new ones added. */
  readonly resume?: string
  readonly onProgress?: (share: number) => void
}

/** The results in the order of the jobs. Throws an Error where `resume` is a file of something else. */
export async function runBatch(jobs: readonly Job[], options: BatchOptions): Promise<RunResult[]> {
  const journal = options.resume === undefined ? undefined : new Journal(options.resume)
  const code = journal === undefined ? '' : hashOfCode()
  return inThreads(jobs, options, async (pool, job, told) => {
    const key = keyOf(job, code)
    const result = journal?.get(key) ?? ((await pool.run({ job, told }, { name: 'runJob' })) as RunResult)
    if (journal?.get(key) === undefined) journal?.add(key, result)
    return result
  })
}

/** As `runSchedules`, which a thread runs for each part. */
export async function runScheduleBatch(count: number, seed: number, options: BatchOptions): Promise<SchedulesResult> {
  const parts: Part[] = []
  for (let done = 0; done < count; done += SCHEDULES_AT_ONCE)
    parts.push({ count: Math.min(SCHEDULES_AT_ONCE, count - done), seed: seed + done })
  const results = await inThreads(
    parts,
    options,
    (pool, part, told) => pool.run({ part, told }, { name: 'runPart' }) as Promise<SchedulesResult>
  )
  return joined(results)
}

async function inThreads<T, R>(
  tasks: readonly T[],
  { workers, onProgress }: BatchOptions,
  run: (pool: Piscina, task: T, told: Told) => Promise<R>
): Promise<R[]> {
  const progress = new Int32Array(new SharedArrayBuffer(4 * tasks.length))
  const pool = new Piscina({
    filename: new URL('worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: Math.min(workers, Math.max(1, tasks.length))
  })
  const share = (): number => progress.reduce((sum, each) => sum + each, 0) / 1000 / tasks.length
  const timer = onProgress && setInterval(() => onProgress(share()), TELL_MS)
  try {
    return await Promise.all(
      tasks.map(async (task, index) => {
        const result = await run(pool, task, { progress, index })
        progress[index] = 1000
        return result
      })
    )
  } finally {
    clearInterval(timer)
    await pool.destroy()
  }
}
