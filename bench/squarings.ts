/** Sequences of squarings in the compared programs. */
import type { Bench, Build } from './bench.ts'
import type { Program, Times } from './program.ts'
import { alternate, sum } from './statistics.ts'

/** Squarings of one turn, a few hundredths of a second, and turns of each side in a round. */
const TURN = 5_000
const TURNS = 20
const QUICK_TURNS = 8
/** The first forms are small, and squared by slower code. */
const LEAD = 2_000

/** One side: squares `count` more times and returns the seconds that took. */
interface Squarer {
  (count: number): Promise<Times>
  /** What it has reached, encoded. */
  form: () => Promise<string>
}

/** Our side, with one of its backends; begins at the generator. */
export async function ourSquarer(bench: Bench, build: Build, backend?: string): Promise<Squarer> {
  const program = await bench.ours(build)
  await program.ask({ do: 'start', seed: bench.seed })
  return squarer(program, { backend: backend ?? (await program.ask<{ backend: string }>({ do: 'hello' })).backend })
}

/** One of chiavdf's squarings; begins at the generator. */
export async function chiavdfSquarer(bench: Bench, kind: string): Promise<Squarer> {
  const program = await bench.chiavdfSquaring()
  await program.ask({ do: 'start', seed: bench.seed })
  return squarer(program, { kind })
}

/** Squarings per second of two sides, round by round. Throws unless both reached the same form. */
export async function compareSquarings(
  { options }: Bench,
  left: Squarer,
  right: Squarer
): Promise<{ left: number[]; right: number[] }> {
  const turns = options.quick ? QUICK_TURNS : TURNS
  const rates = { left: [] as number[], right: [] as number[] }
  for (const side of [left, right]) await side(LEAD)
  for (let round = 0; round < options.rounds; round++) {
    const seconds = await alternate(
      turns,
      async () => (await left(TURN)).cpu,
      async () => (await right(TURN)).cpu
    )
    rates.left.push((turns * TURN) / sum(seconds.left))
    rates.right.push((turns * TURN) / sum(seconds.right))
  }
  if ((await left.form()) !== (await right.form()))
    throw new Error('two sides reached different forms by as many squarings: one of them is wrong')
  return rates
}

function squarer(program: Program, side: { backend: string } | { kind: string }): Squarer {
  const run = (count: number): Promise<Times> => program.ask<Times>({ do: 'squarings', ...side, count })
  return Object.assign(run, { form: async () => (await program.ask<{ form: string }>({ do: 'form', ...side })).form })
}
