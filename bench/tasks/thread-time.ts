/** Time on a processor of the thread that works most, on Linux: what other programs take from it does not count. */
import { readdirSync, readFileSync } from 'node:fs'

const TASKS = '/proc/self/task'

/** Nanoseconds on a processor so far, by thread (/proc/PID/task/TID/schedstat, first field); undefined where there is no such file. */
export function threadTimes(): ReadonlyMap<string, number> | undefined {
  try {
    return new Map(readdirSync(TASKS).map((thread) => [thread, Number(readFileSync(`${TASKS}/${thread}/schedstat`, 'latin1').split(' ')[0])]))
  } catch {
    return undefined
  }
}

/** Seconds on a processor, between two looks, of the thread that had most; undefined where they are not known. */
export function busiestSeconds(before: ReturnType<typeof threadTimes>, after: ReturnType<typeof threadTimes>): number | undefined {
  if (before === undefined || after === undefined) return undefined
  return Math.max(...Array.from(after, ([thread, time]) => time - (before.get(thread) ?? time))) / 1e9
}
