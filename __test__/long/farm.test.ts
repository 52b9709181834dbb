/** 200 kills of workers, server and daemon of a farm. Prints what became of the work, as JSON. FARM_SEED repeats a run. */
import { expect, it } from 'vitest'
import { runFaults } from '../farm/faults.ts'

const HOUR_MS = 3_600_000
const SEED = Number(process.env['FARM_SEED'] ?? Date.now() % 2 ** 31)

type Repeats = Awaited<ReturnType<typeof runFaults>>['repeats']

/** Seconds and squarings that were done again: median, 95th percentile and most. */
function figuresOf(repeats: Repeats = []): object {
  const quantiles = (values: number[]): number[] => {
    const sorted = values.toSorted((one, other) => one - other)
    return [0.5, 0.95, 1].map((share) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  }
  return {
    takenUp: repeats.length,
    seconds: quantiles(repeats.map(({ seconds }) => seconds)),
    squarings: quantiles(repeats.map(({ squarings }) => squarings))
  }
}

it.each([
  // As often as the daemon lets it: evaluations of some tenths of a second, as many saves and proofs as can be.
  { checkpointSeconds: 0.1 },
  // Some seconds.
  { checkpointSeconds: 1, iterations: 600_000 }
])(
  'a farm loses no work and takes no wrong proof, whatever is killed when: %o',
  async (settings) => {
    process.stdout.write(`FARM_SEED=${SEED}\n`)
    const outcome = await runFaults({ ...settings, kills: 200, seed: SEED, mostMs: 3000 })
    const { wrong, lost, proved, kills, repeats } = outcome
    const kinds = Object.groupBy(repeats, ({ kind }) => kind)
    const figures = { kills, proved, wrong, lost, up: figuresOf(kinds.up), away: figuresOf(kinds.away) }
    console.log(JSON.stringify({ ...settings, ...figures, twice: kinds.twice?.length ?? 0 }))
    expect({ wrong, lost }).toEqual({ wrong: 0, lost: 0 })
    expect(repeats.filter(({ saved }) => saved > 0)).toEqual([])
  },
  HOUR_MS
)
