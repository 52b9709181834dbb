/** Proving as a share of the squarings' time on one core, on one thread and on two by turns. */
import { availableParallelism } from 'node:os'
import { prove, type Squared } from './squared.ts'

export interface Proving {
  readonly iterations: number
  readonly squaring_seconds: number
  readonly one_core: ProvingOn
  /** Null on a machine with one core. */
  readonly two_cores: (ProvingOn & { readonly speedup: number }) | null
}

export interface ProvingOn {
  readonly proving_seconds: number
  readonly share: number
}

/** The quickest of so many turns each. */
export function measureProving(squared: Squared, turns: number): Proving {
  const squaring = squared.iterations / squared.squaringsPerSecond
  const seconds: [number[], number[]] = [[], []]
  const threads = availableParallelism() > 1 ? [1, 2] : [1]
  for (let turn = 0; turn < turns; turn++) for (const count of threads) seconds[count - 1]!.push(prove(squared, count))
  const on = (times: readonly number[]): ProvingOn => {
    const quickest = Math.min(...times)
    return { proving_seconds: Number(quickest.toFixed(3)), share: Number((quickest / squaring).toFixed(4)) }
  }
  const [one, two] = seconds
  return {
    iterations: squared.iterations,
    squaring_seconds: Number(squaring.toFixed(2)),
    one_core: on(one),
    two_cores: two.length === 0 ? null : { ...on(two), speedup: Number((Math.min(...one) / Math.min(...two)).toFixed(2)) }
  }
}
