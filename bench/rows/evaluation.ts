/** Evaluation with proof on one core: against chiavdf, and what share of it is proving. */
import type { Bench, Row } from '../bench.ts'
import { evaluate, type Evaluated } from '../evaluate.ts'
import { measured, unmeasured, type Figure } from '../figure.ts'
import { cpuShare, type Program } from '../program.ts'
import { median, summary } from '../statistics.ts'
import { Unavailable } from '../unavailable.ts'

const MILLION = 1_000_000
/** A round of a million takes a quarter of a minute, one of ten millions some minutes. */
const SIZES = [
  { iterations: MILLION, target: { at_least: 3.3 }, roundsShare: 5, isLong: false },
  { iterations: 10 * MILLION, target: { at_least: 3.5 }, roundsShare: Infinity, isLong: true }
] as const
type Size = (typeof SIZES)[number]

/** The evaluations of each size, which both rows use. */
const done = new Map<Size, Evaluated[]>()

export const evaluation: Row = {
  id: 'evaluation',
  run: (bench) =>
    forEachSize(
      bench,
      (size) => ({
        name: `evaluation with proof, T = ${size.iterations.toLocaleString('en')}, against chiavdf`,
        unit: 'ratio',
        target: size.target
      }),
      async (size, known) => {
        const rounds = await evaluations(bench, size, await bench.chiavdf())
        const ratios = rounds.map(({ squaring, proving, chiavdf = NaN }) => chiavdf / (squaring + proving))
        const parts = {
          ours_s: median(rounds.map(({ squaring, proving }) => squaring + proving)),
          chiavdf_s: median(rounds.map(({ chiavdf = NaN }) => chiavdf))
        }
        return measured({ ...known, parts }, summary(ratios), rounds.length === 1)
      }
    )
}

export const proving: Row = {
  id: 'proving',
  async run(bench) {
    const name = (size: Size, threads: string): string =>
      `proving, T = ${size.iterations.toLocaleString('en')}, ${threads}, share of squaring`
    const shares = (
      threads: string,
      time: (round: Evaluated) => number,
      more: (rounds: Evaluated[]) => Record<string, number> = () => ({})
    ): Promise<Figure[]> =>
      forEachSize(
        bench,
        (size) => ({ name: name(size, threads), unit: '%' }),
        async (size, known) => {
          const rounds = done.get(size) ?? (await evaluations(bench, size))
          const parts = {
            squaring_s: median(rounds.map(({ squaring }) => squaring)),
            proving_s: median(rounds.map(time)),
            ...more(rounds)
          }
          return measured(
            { ...known, parts },
            summary(rounds.map((round) => (100 * time(round)) / round.squaring)),
            rounds.length === 1
          )
        }
      )
    const onTwo = ({ provingOnTwo }: Evaluated): number => provingOnTwo.wall
    return [
      ...(await shares('one thread', (round) => round.proving)),
      ...(await shares('two threads', onTwo, (rounds) => ({
        cpu_share: median(rounds.map(({ provingOnTwo }) => cpuShare(provingOnTwo, 1)))
      })))
    ]
  }
}

async function forEachSize<K extends Parameters<typeof unmeasured>[0]>(
  bench: Bench,
  known: (size: Size) => K,
  measure: (size: Size, known: K) => Promise<Figure>
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const size of SIZES) {
    if (bench.options.quick && size.isLong) {
      figures.push(unmeasured(known(size), 'left out by --quick'))
      continue
    }
    try {
      figures.push(await measure(size, known(size)))
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      figures.push(unmeasured(known(size), error.message))
    }
  }
  return figures
}

async function evaluations(bench: Bench, size: Size, chiavdf?: Program): Promise<Evaluated[]> {
  const rounds: Evaluated[] = []
  do rounds.push(await evaluate(bench, size.iterations, chiavdf))
  while (rounds.length < bench.options.rounds / size.roundsShare)
  done.set(size, rounds)
  return rounds
}
