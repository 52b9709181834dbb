/** What an idle daemon takes: memory, and time of a core. */
import { setTimeout as delay } from 'node:timers/promises'
import { median } from '../statistics.ts'
import { processorSeconds, residentBytes, startFleet } from './processes.ts'
import { PROFILE } from './profile.ts'
import { say } from './scratch.ts'

/** Pause after the start: within two minutes V8 collects its garbage. */
const SETTLE_SECONDS = 150

export interface Idle {
  readonly daemons: number
  /** Of the beacon: a pulse is fetched and verified each time. */
  readonly round_seconds: number
  readonly resident_mib: { readonly median: number; readonly most: number }
  /** Of one core. */
  readonly core_share: { readonly median: number; readonly most: number }
}

/** Undefined without /proc. */
export async function measureIdle(count: number, seconds: number): Promise<Idle | undefined> {
  if (process.platform !== 'linux') return undefined
  const fleet = await startFleet()
  try {
    say(`starting ${count} daemons`)
    const daemons = await fleet.add(count, 'full')
    say(`leaving them alone for ${SETTLE_SECONDS + seconds} s`)
    await delay(SETTLE_SECONDS * 1000)
    const before = daemons.map(({ pid }) => processorSeconds(pid)!)
    const began = performance.now()
    await delay(seconds * 1000)
    const elapsed = (performance.now() - began) / 1000
    const shares = daemons.map(({ pid }, index) => (processorSeconds(pid)! - before[index]!) / elapsed)
    const resident = daemons.map(({ pid }) => residentBytes(pid)! / 2 ** 20)
    const both = (figures: readonly number[], digits: number) => ({
      median: Number(median(figures).toFixed(digits)),
      most: Number(Math.max(...figures).toFixed(digits))
    })
    return {
      daemons: count,
      round_seconds: PROFILE.beacon.period,
      resident_mib: both(resident, 1),
      core_share: both(shares, 4)
    }
  } finally {
    await fleet.stop()
  }
}
