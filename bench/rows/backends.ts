/** The kernel's backends against the fastest one, in one process: in the baseline build, and in one for x86-64-v3. */
import type { Bench, Build, Row } from '../bench.ts'
import { measured, unmeasured, type Figure } from '../figure.ts'
import { compareSquarings, ourSquarer } from '../squarings.ts'
import { median, ratios, summary } from '../statistics.ts'

const PORTABLE_TARGETS = { baseline: 0.75, 'x86-64-v3': 0.85 } as const

export const backends: Row = {
  id: 'backends',
  async run(bench) {
    const baseline = await compareBackends(bench, 'baseline')
    if (!bench.machine.features.includes('avx2')) {
      return [...baseline, unmeasured(known('portable', 'x86-64-v3'), 'this processor is not of level x86-64-v3')]
    }
    return [...baseline, ...(await compareBackends(bench, 'x86-64-v3'))]
  }
}

async function compareBackends(bench: Bench, build: keyof typeof PORTABLE_TARGETS): Promise<Figure[]> {
  const { backends: names } = await (await bench.ours(build)).ask<{ backends: string[] }>({ do: 'hello' })
  const [fastest = '', ...others] = names
  const figures: Figure[] = []
  for (const name of others) {
    const rates = await compareSquarings(
      bench,
      await ourSquarer(bench, build, name),
      await ourSquarer(bench, build, fastest)
    )
    const parts = { [`${name}_per_second`]: median(rates.left), [`${fastest}_per_second`]: median(rates.right) }
    figures.push(measured({ ...known(name, build), parts }, summary(ratios(rates.left, rates.right))))
  }
  return figures
}

function known(
  name: string,
  build: keyof typeof PORTABLE_TARGETS & Build
): Pick<Figure, 'name' | 'unit'> & { target?: { at_least: number } } {
  return {
    name: `backend ${name} against the fastest, built for ${build === 'baseline' ? 'the baseline processor' : build}`,
    unit: 'ratio',
    ...(name === 'portable' ? { target: { at_least: PORTABLE_TARGETS[build] } } : {})
  }
}
