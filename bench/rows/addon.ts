/** Squaring as the daemon does it (a worker's slices through the addon), against the bare loop in Rust. */
import type { Row } from '../bench.ts'
import { measured } from '../figure.ts'
import { cpuShare, type Times } from '../program.ts'
import { ourSquarer } from '../squarings.ts'
import { alternate, median, ratios, summary } from '../statistics.ts'

const RUN_MS = 2_000
const QUICK_RUN_MS = 700
/** Squarings: about as long. */
const BARE_RUN = 400_000
/** One round takes as long as several of the others. */
const ROUNDS_SHARE = 3

export const addon: Row = {
  id: 'addon',
  async run({ options, seed, ...bench }) {
    const daemon = await bench.addon(1)
    const bare = await ourSquarer({ options, seed, ...bench }, 'baseline')
    const milliseconds = options.quick ? QUICK_RUN_MS : RUN_MS
    const shares: number[] = []
    const pooled = async (): Promise<number> => {
      const { squarings, times } = await daemon.ask<{ squarings: number; times: Times }>({
        do: 'squarings',
        seed,
        milliseconds
      })
      shares.push(cpuShare(times, 1))
      return squarings / times.wall
    }
    await pooled()
    shares.length = 0
    // By the clock, not by the time on the CPU: a thread that waits between slices loses time, too.
    const alone = async (): Promise<number> => BARE_RUN / (await bare(BARE_RUN)).wall
    const rates = await alternate(Math.ceil(options.rounds / ROUNDS_SHARE), pooled, alone)
    const parts = {
      addon_per_second: median(rates.left),
      bare_per_second: median(rates.right),
      addon_cpu_share: median(shares)
    }
    return [
      measured(
        {
          name: 'through the addon and a worker, against the bare loop',
          unit: 'ratio',
          target: { at_least: 0.99 },
          parts
        },
        summary(ratios(rates.left, rates.right))
      )
    ]
  }
}
