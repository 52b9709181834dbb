/** One thread's squarings: what is lost by being built for every processor, and how chiavdf's compare. */
import type { Row } from '../bench.ts'
import { measured, unmeasured } from '../figure.ts'
import { chiavdfSquarer, compareSquarings, ourSquarer } from '../squarings.ts'
import { median, ratios, summary } from '../statistics.ts'
import { Unavailable } from '../unavailable.ts'

const BASELINE = {
  name: 'built for the baseline processor, against target-cpu=native',
  unit: 'ratio',
  target: { at_least: 0.98 }
} as const

const BESIDE_CHIAVDF = {
  name: "squaring alone, against chiavdf's fastest on one thread",
  unit: 'ratio',
  target: { at_least: 2.5 }
} as const

export const baseline: Row = {
  id: 'baseline',
  async run(bench) {
    const rates = await compareSquarings(bench, await ourSquarer(bench, 'baseline'), await ourSquarer(bench, 'native'))
    const parts = { baseline_per_second: median(rates.left), native_per_second: median(rates.right) }
    return [measured({ ...BASELINE, parts }, summary(ratios(rates.left, rates.right)))]
  }
}

export const squaring: Row = {
  id: 'squaring',
  async run(bench) {
    try {
      const { kinds } = await (await bench.chiavdfSquaring()).ask<{ kinds: string[] }>({ do: 'hello' })
      const compared: { kind: string; left: number[]; right: number[] }[] = []
      for (const kind of kinds) {
        const ours = await ourSquarer(bench, 'baseline')
        compared.push({ kind, ...(await compareSquarings(bench, ours, await chiavdfSquarer(bench, kind))) })
      }
      const fastest = compared.reduce((best, each) => (median(each.right) > median(best.right) ? each : best))
      const parts = {
        ours_per_second: median(fastest.left),
        ...Object.fromEntries(compared.map(({ kind, right }) => [`${kind}_per_second`, median(right)]))
      }
      return [measured({ ...BESIDE_CHIAVDF, parts }, summary(ratios(fastest.left, fastest.right)))]
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      return [unmeasured(BESIDE_CHIAVDF, error.message)]
    }
  }
}
