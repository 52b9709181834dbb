import { lp, sha256, u64be } from '../encoding/bytes.ts'
import { domain } from '../crypto/domain.ts'
import { proofOutput } from './proof-shape.ts'

/** What the seed of a link binds, all of it as the link's maker had it. */
export interface SeedParts {
  /** C of the link, 32 bytes. */
  readonly commitment: Uint8Array
  /** p, the round of the pulse. */
  readonly round: number
  /** r = H(signature of that pulse), 32 bytes. */
  readonly randomness: Uint8Array
  /** Proof of the link before in the chain, of which y counts; left out for a first claim. */
  readonly before?: Uint8Array | undefined
}

const NO_OUTPUT = new Uint8Array(0)

/**
 * The seed of a link's discriminant: `H(domain(vdf-seed) ‖ C ‖ u64(p) ‖ r ‖ lp(y))`, 32 bytes. y is the output of the
 * link before, 100 bytes, and empty for a first claim: nobody can begin with a link before the one in front of it is
 * done [a chain made in parallel].
 */
export function vdfSeed({ commitment, round, randomness, before }: SeedParts, profileHash: Uint8Array): Uint8Array {
  const output = before === undefined ? NO_OUTPUT : proofOutput(before)
  return sha256(domain('vdf-seed', profileHash), commitment, u64be(round), randomness, lp(output))
}
