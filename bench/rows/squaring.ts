/** One thread's squarings: what is lost by being built for every processor. */
import type { Row } from '../bench.ts'
import { measured } from '../figure.ts'
import { compareSquarings, ourSquarer } from '../squarings.ts'
import { median, ratios, summary } from '../statistics.ts'

const BASELINE = {
  name: 'built for the baseline processor, against target-cpu=native',
  unit: 'ratio',
  target: { at_least: 0.98 }
} as const

export const baseline: Row = {
  id: 'baseline',
  async run(bench) {
    const rates = await compareSquarings(bench, await ourSquarer(bench, 'baseline'), await ourSquarer(bench, 'native'))
    const parts = { baseline_per_second: median(rates.left), native_per_second: median(rates.right) }
    return [measured({ ...BASELINE, parts }, summary(ratios(rates.left, rates.right)))]
  }
}
