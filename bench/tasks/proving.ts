/** Proving as a share of the squarings' time on one core. */
import { prove, type Squared } from './squared.ts'

export interface Proving {
  readonly iterations: number
  readonly squaring_seconds: number
  readonly proving_seconds: number
  readonly share: number
}

/** The quickest of so many. */
export function measureProving(squared: Squared, repeats: number): Proving {
  const seconds = Math.min(...Array.from({ length: repeats }, () => prove(squared)))
  const squaring = squared.iterations / squared.squaringsPerSecond
  return {
    iterations: squared.iterations,
    squaring_seconds: Number(squaring.toFixed(2)),
    proving_seconds: Number(seconds.toFixed(3)),
    share: Number((seconds / squaring).toFixed(4))
  }
}
