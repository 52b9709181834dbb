import { sha256, u64be } from './bytes.ts'
import { domain } from './domain.ts'

/**
 * The seed of a claim's discriminant: `H(domain(vdf-seed) ‖ C ‖ p ‖ r)`, 32 bytes.
 *
 * @param commitment C, 32 bytes
 * @param round p, the round of the pulse
 * @param randomness r = H(signature of that pulse), 32 bytes
 */
export function vdfSeed(commitment: Uint8Array, round: number, randomness: Uint8Array, profileHash: Uint8Array): Uint8Array {
  return sha256(domain('vdf-seed', profileHash), commitment, u64be(round), randomness)
}
