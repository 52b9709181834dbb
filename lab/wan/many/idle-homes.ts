/** What two homes send, receive and open while nothing is asked of them, as of a day: the emulator counts it on their lines. */
import { setTimeout as delay } from 'node:timers/promises'
import { say } from '../../../bench/network/scratch.ts'
import { statusOf } from '../network.ts'
import type { Home } from '../places.ts'
import type { Many } from './ground.ts'
import { startLoad } from './load.ts'

/** One that its router makes dialable, and one that nobody can dial. */
export const IDLE_HOMES: readonly Home[] = [
  { title: 'with NAT-PMP', nats: ['port-restricted'], router: 'maps', mode: 'full' },
  { title: 'without', nats: ['port-restricted'], mode: 'light' }
]

export interface IdleHome {
  readonly title: string
  readonly mode: string
  readonly seconds: number
  readonly mib_a_day_out: number
  readonly mib_a_day_in: number
  readonly connections_opened_a_day: number
  readonly connections_accepted_a_day: number
  readonly connections_open: number
  /** Mbit/s of any ten seconds, the higher direction: since its start, and within these seconds. */
  readonly highest_rate_since_start: number
  readonly highest_rate: number
  /** By its line's queues since the start. */
  readonly dropped: number
  readonly longest_wait_ms: number
  readonly busy: number
}

export async function measureIdleHomes({ network }: Many, seconds: number): Promise<IdleHome[]> {
  say(`leaving ${network.homes.length} homes alone for ${seconds} s`)
  const busy = startLoad()
  const atHome = async () => (await network.emulator.counts()).slice(-network.homes.length)
  const before = await atHome()
  await delay(1_000 * seconds)
  const after = await atHome()
  const share = Math.round(100 * busy()) / 100
  return Promise.all(
    network.homes.map(async (daemon, at) => {
      const [from, to] = [before[at]!, after[at]!]
      const aDay = (less: number, more: number): number => ((more - less) / seconds) * 86_400
      const mib = (bytes: number): number => Math.round((10 * bytes) / 2 ** 20) / 10
      const mbit = (one: number, other: number): number => Math.round(Math.max(one, other) / 1_000) / 1_000
      return {
        title: IDLE_HOMES[at]!.title,
        mode: (await statusOf(daemon)).mode,
        seconds,
        mib_a_day_out: mib(aDay(from.bytes_out, to.bytes_out)),
        mib_a_day_in: mib(aDay(from.bytes_in, to.bytes_in)),
        connections_opened_a_day: Math.round(aDay(from.opened, to.opened)),
        connections_accepted_a_day: Math.round(aDay(from.accepted, to.accepted)),
        connections_open: to.open,
        highest_rate_since_start: mbit(from.highest_rate_out, from.highest_rate_in),
        highest_rate: mbit(to.highest_rate_out, to.highest_rate_in),
        dropped: to.dropped,
        longest_wait_ms: to.longest_wait_ms,
        busy: share
      }
    })
  )
}
