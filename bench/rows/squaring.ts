/** One thread's squarings: against the prototype, and what is lost by being built for every processor. */
import type { Bench, Row } from '../bench.ts'
import { measured, unmeasured, type Figure } from '../figure.ts'
import { compareSquarings, ourSquarer, prototypeSquarer, type Squarer } from '../squarings.ts'
import { median, ratios, summary } from '../statistics.ts'
import { Unavailable } from '../unavailable.ts'

const PROTOTYPE = {
  name: 'squarings per second, against the prototype',
  unit: 'ratio',
  target: { at_least: 1 }
} as const
const BASELINE = {
  name: 'built for the baseline processor, against target-cpu=native',
  unit: 'ratio',
  target: { at_least: 0.98 }
} as const

export const prototype: Row = {
  id: 'prototype',
  async run(bench) {
    try {
      const theirs = await prototypeSquarer(bench)
      return [
        await compare(
          bench,
          PROTOTYPE,
          ['ours_per_second', await ourSquarer(bench, 'baseline')],
          ['prototype_per_second', theirs]
        )
      ]
    } catch (error) {
      if (error instanceof Unavailable) return [unmeasured(PROTOTYPE, error.message)]
      throw error
    }
  }
}

export const baseline: Row = {
  id: 'baseline',
  run: async (bench) => [
    await compare(
      bench,
      BASELINE,
      ['baseline_per_second', await ourSquarer(bench, 'baseline')],
      ['native_per_second', await ourSquarer(bench, 'native')]
    )
  ]
}

async function compare(
  bench: Bench,
  known: typeof PROTOTYPE | typeof BASELINE,
  [leftName, left]: [string, Squarer],
  [rightName, right]: [string, Squarer]
): Promise<Figure> {
  const rates = await compareSquarings(bench, left, right)
  return measured(
    { ...known, parts: { [leftName]: median(rates.left), [rightName]: median(rates.right) } },
    summary(ratios(rates.left, rates.right))
  )
}
