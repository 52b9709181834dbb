/** Rows of squarings in the programs that are compared. */
import type { Bench, Build } from './bench.ts'
import type { Program, Times } from './program.ts'
import { alternate, sum } from './statistics.ts'

/** Squarings of one turn, a few hundredths of a second, and turns of each side in a round. */
const TURN = 5_000
const TURNS = 20
const QUICK_TURNS = 8
/** The first forms are small, and squared by slower code. */
const LEAD = 2_000

/** One side: goes on for so many squarings, and says in how many seconds. */
export type Squarer = (count: number) => Promise<Times>

/** Our side, with one of its backends; begins at the generator. */
export async function ourSquarer(bench: Bench, build: Build, backend?: string): Promise<Squarer> {
  const program = await bench.ours(build)
  await program.ask({ do: 'start', seed: bench.seed })
  return squarer(program, { backend: backend ?? (await program.ask<{ backend: string }>({ do: 'hello' })).backend })
}

/** The prototype on the same discriminant; throws unless both have come to the same form. */
export async function prototypeSquarer(bench: Bench): Promise<Squarer> {
  const [ours, prototype] = [await bench.ours('baseline'), await bench.prototype()]
  const { discriminant } = await ours.ask<{ discriminant: string }>({ do: 'start', seed: bench.seed })
  await prototype.ask({ do: 'start', discriminant })
  const { backend } = await ours.ask<{ backend: string }>({ do: 'hello' })
  await ours.ask({ do: 'squarings', backend, count: LEAD })
  const theirs = await squarer(prototype, {})
  const [{ form }, { a }] = [
    await ours.ask<{ form: string }>({ do: 'form', backend }),
    await prototype.ask<{ a: string }>({ do: 'a' })
  ]
  if (firstCoefficient(Buffer.from(form, 'hex')) !== BigInt(`0x${a}`))
    throw new Error('the prototype and the kernel disagree: one of them is wrong')
  return theirs
}

/** Squarings per second of two sides, round by round. */
export async function compareSquarings(
  { options }: Bench,
  left: Squarer,
  right: Squarer
): Promise<{ left: number[]; right: number[] }> {
  const turns = options.quick ? QUICK_TURNS : TURNS
  const rates = { left: [] as number[], right: [] as number[] }
  for (let round = 0; round < options.rounds; round++) {
    const seconds = await alternate(
      turns,
      async () => (await left(TURN)).cpu,
      async () => (await right(TURN)).cpu
    )
    rates.left.push((turns * TURN) / sum(seconds.left))
    rates.right.push((turns * TURN) / sum(seconds.right))
  }
  return rates
}

async function squarer(program: Program, side: { backend?: string }): Promise<Squarer> {
  const run: Squarer = (count) => program.ask<Times>({ do: 'squarings', ...side, count })
  await run(LEAD)
  return run
}

/**
 * a of an encoded form of 1024 bits: a / g in 64 - G bytes, then |t| / g in 32 - G, then g in G + 1
 * (crates/vdf/README.md).
 */
function firstCoefficient(form: Buffer): bigint {
  const extra = form[1]!
  const at = 2 + 64 - extra + 32 - extra
  return littleEndian(form.subarray(2, 2 + 64 - extra)) * littleEndian(form.subarray(at, at + extra + 1))
}

function littleEndian(bytes: Buffer): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}
