/** A whole evaluation with proof on our side and, a fraction of it at a time by turns, on chiavdf's. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import type { Program, Times } from './program.ts'

/** Turns that an evaluation of ours is cut into. */
const TURNS = 40
/** How many times longer chiavdf's turns are, so that both sides end at about the same time. */
const TURN_RATIO = 4

/** Seconds, on the CPU where nothing else is said. */
export interface Evaluated {
  squaring: number
  proving: number
  /** The same proof on two threads, by the clock. */
  provingOnTwo: Times
  /** Undefined when chiavdf could not be built. */
  chiavdf?: number
}

interface Slice {
  squaring: boolean
  done: boolean
  times: Times
}

/** Throws unless both made the same proof. */
export async function evaluate(bench: Bench, iterations: number, chiavdf?: Program): Promise<Evaluated> {
  const ours = await bench.ours('baseline')
  const seed = bench.seed
  const spent = { squaring: 0, proving: 0 }
  const theirs = chiavdf === undefined ? undefined : startChiavdf(chiavdf, seed, iterations)
  spent.squaring += (await ours.ask<Times>({ do: 'evaluate', seed, iterations })).cpu
  for (let done = false; !done;) {
    const slice = await ours.ask<Slice>({ do: 'advance', steps: Math.ceil(iterations / TURNS) })
    spent[slice.squaring ? 'squaring' : 'proving'] += slice.times.cpu
    await theirs?.turn(1e3 * TURN_RATIO * slice.times.wall)
    done = slice.done
  }
  const theirTime = await theirs?.finish(async (proof) => {
    if ((await ours.ask<{ proof: string }>({ do: 'proof' })).proof !== proof)
      throw new Error('chiavdf and the kernel made different proofs: one of them is wrong')
  })
  const evaluated = { ...spent, provingOnTwo: await proveOnTwo(bench, ours) }
  return theirTime === undefined ? evaluated : { ...evaluated, chiavdf: theirTime }
}

async function proveOnTwo({ machine: { pinned_to } }: Bench, ours: Program): Promise<Times> {
  ours.bind(pinned_to?.two ?? null)
  const times = await ours.ask<Times>({ do: 'prove-again', threads: 2 })
  ours.bind(pinned_to === null ? null : [pinned_to.one])
  return times
}

/** Paused but for its turns. Its prover can't be called in slices; its own time on the CPU does not count pauses. */
function startChiavdf(program: Program, seed: string, iterations: number) {
  let ended = false
  const proved = program
    .ask<{ proof: string; times: Times }>({ do: 'prove', seed, iterations })
    .finally(() => (ended = true))
  // The caller that awaits it sees the failure.
  proved.catch(() => undefined)
  program.pause()
  return {
    async turn(milliseconds: number): Promise<void> {
      if (ended) return
      program.resume()
      await Promise.race([proved, sleep(milliseconds)])
      program.pause()
    },
    async finish(check: (proof: string) => Promise<void>): Promise<number> {
      program.resume()
      const { proof, times } = await proved
      await check(proof)
      return times.cpu
    }
  }
}
