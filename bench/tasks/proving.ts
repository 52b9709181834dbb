/** Proving as a share of the squarings' time on one core, on one thread and on two. */
import { availableParallelism } from 'node:os'
import { proveByTurns, type ProvingTimes, type Squared } from './squared.ts'

export interface Proving {
  readonly iterations: number
  readonly one_core: ProvingOn
  /** Null on a machine with one core. */
  readonly two_cores: (ProvingOn & { readonly speedup: number }) | null
}

interface ProvingOn {
  readonly proving_seconds: number
  readonly squaring_seconds: number
  readonly share: number
}

/** The smallest share of `turns` measurements, on one thread and on two. */
export function measureProving(squared: Squared, turns: number): Proving {
  const on = (threads: number): ProvingOn => {
    const figures = Array.from({ length: turns }, () => shareOf(proveByTurns(squared, threads)))
    return figures.toSorted((left, right) => left.share - right.share)[0]!
  }
  const one = on(1)
  const two = availableParallelism() > 1 ? on(2) : null
  return {
    iterations: squared.iterations,
    one_core: one,
    two_cores: two === null ? null : { ...two, speedup: Number((one.share / two.share).toFixed(2)) }
  }
}

function shareOf({ proving, squaring }: ProvingTimes): ProvingOn {
  return {
    proving_seconds: Number(proving.toFixed(3)),
    squaring_seconds: Number(squaring.toFixed(2)),
    share: Number((proving / squaring).toFixed(4))
  }
}
