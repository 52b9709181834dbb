/** Verifying one proof: with its discriminant known, and from the seed; against chiavdf. */
import type { Bench, Proof, Row } from '../bench.ts'
import { measured, unmeasured, type Figure } from '../figure.ts'
import type { Program, Times } from '../program.ts'
import { alternate, median, ratios, sum, summary } from '../statistics.ts'
import { Unavailable } from '../unavailable.ts'

/** Verifications of one turn. */
const TURN = 10
/** Seeds of our own time from the seed: how long a discriminant takes varies from seed to seed. */
const SEEDS = 300
const QUICK_SEEDS = 120
/** Those of them that chiavdf verifies, too. */
const SEEDS_COMPARED = 60
const QUICK_SEEDS_COMPARED = 25

const KNOWN_TIME = { name: 'verification, discriminant known', unit: 'ms', target: { at_most: 1.8 } } as const
const KNOWN_RATIO = {
  name: 'verification, discriminant known, against chiavdf',
  unit: 'ratio',
  target: { at_least: 4 }
} as const
const SEED_TIME = { name: 'verification from the seed', unit: 'ms', target: { at_most: 4.5 } } as const
const SEED_RATIO = {
  name: 'verification from the seed, against chiavdf',
  unit: 'ratio',
  target: { at_least: 5 }
} as const

export const verification: Row = {
  id: 'verification',
  async run(bench) {
    const ours = await bench.ours('baseline')
    const proofs = await bench.proofs(bench.options.rounds)
    // Each round has a proof of its own, which both verify.
    const taken = new Map<Program, number>()
    const turn = (program: Program) => async (): Promise<number> => {
      const round = taken.get(program) ?? 0
      taken.set(program, round + 1)
      const { cpu } = await program.ask<Times>({ do: 'verify', times: TURN, ...proofs[round]! })
      return (1e3 * cpu) / TURN
    }
    return withChiavdf(bench, KNOWN_RATIO, async (chiavdf) => {
      if (chiavdf === undefined) {
        const alone: number[] = []
        while (alone.length < proofs.length) alone.push(await turn(ours)())
        return { time: measured(KNOWN_TIME, summary(alone)) }
      }
      const times = await alternate(proofs.length, turn(ours), turn(chiavdf))
      const parts = { ours_ms: median(times.left), chiavdf_ms: median(times.right) }
      return {
        time: measured(KNOWN_TIME, summary(times.left)),
        ratio: measured({ ...KNOWN_RATIO, parts }, summary(ratios(times.right, times.left)))
      }
    })
  }
}

export const fromSeed: Row = {
  id: 'from-seed',
  async run(bench) {
    const { quick } = bench.options
    const ours = await bench.ours('baseline')
    const proofs = await bench.proofs(quick ? QUICK_SEEDS : SEEDS)
    const compared = quick ? QUICK_SEEDS_COMPARED : SEEDS_COMPARED
    const verify = async (program: Program, proof: Proof): Promise<number> =>
      1e3 * (await program.ask<Times>({ do: 'verify-from-seed', ...proof })).cpu
    return withChiavdf(bench, SEED_RATIO, async (chiavdf) => {
      const [left, right]: [number[], number[]] = [[], []]
      for (const [index, proof] of proofs.entries()) {
        left.push(await verify(ours, proof))
        if (chiavdf !== undefined && index < compared) right.push(await verify(chiavdf, proof))
      }
      const time = measured({ ...SEED_TIME, parts: { seeds: left.length } }, summary(left))
      if (chiavdf === undefined) return { time }
      const same = left.slice(0, right.length)
      const parts = {
        seeds: right.length,
        ours_ms: median(same),
        chiavdf_ms: median(right),
        ratio_of_sums: sum(right) / sum(same)
      }
      return { time, ratio: measured({ ...SEED_RATIO, parts }, summary(ratios(right, same))) }
    })
  }
}

/** Without chiavdf our own time is measured all the same, and the ratio says why there is none. */
async function withChiavdf(
  bench: Bench,
  ratio: typeof KNOWN_RATIO | typeof SEED_RATIO,
  run: (chiavdf?: Program) => Promise<{ time: Figure; ratio?: Figure }>
): Promise<Figure[]> {
  let chiavdf: Program | undefined
  let reason = ''
  try {
    chiavdf = await bench.chiavdf()
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    reason = error.message
  }
  const figures = await run(chiavdf)
  return [figures.time, figures.ratio ?? unmeasured(ratio, reason)]
}
