import { lp, sha256, u64be } from '../encoding/bytes.ts'
import { domain } from '../crypto/domain.ts'
import { proofOutput } from './proof-shape.ts'

/** What the seed of a link binds. */
export interface SeedParts {
  /** C of the link, 32 bytes. */
  readonly commitment: Uint8Array
  /** p, the round of the pulse. */
  readonly round: number
  /** r = H(signature of that pulse), 32 bytes. */
  readonly randomness: Uint8Array
  /** Proof of the previous link, of which y counts; absent for a first claim. */
  readonly before?: Uint8Array | undefined
}

const NO_OUTPUT = new Uint8Array(0)

/**
 * The seed of a link's discriminant: `H(domain(vdf-seed) ‖ C ‖ u64(p) ‖ r ‖ lp(y))`, 32 bytes. y is the output of the
 * previous link, 100 bytes, and empty for a first claim. So no link can begin before the previous one is done [a chain
 * made in parallel].
 */
export function vdfSeed({ commitment, round, randomness, before }: SeedParts, profileHash: Uint8Array): Uint8Array {
  const output = before === undefined ? NO_OUTPUT : proofOutput(before)
  return sha256(domain('vdf-seed', profileHash), commitment, u64be(round), randomness, lp(output))
}
