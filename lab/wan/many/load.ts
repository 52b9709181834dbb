/** How busy this machine's processor is: two cores for sixty daemons add to every figure. */
import { readFileSync } from 'node:fs'

/** Share of all cores' time, 0..1, since the last call. */
export function startLoad(): () => number {
  let before = times()
  return () => {
    const now = times()
    const [all, idle] = [now.all - before.all, now.idle - before.idle]
    before = now
    return all === 0 ? 0 : 1 - idle / all
  }
}

function times(): { all: number; idle: number } {
  const [, ...ticks] = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.split(/\s+/).map(Number)
  return { all: ticks.reduce((sum, each) => sum + each, 0), idle: ticks[3]! + ticks[4]! }
}
