import { concatBytes, sha256, toHex, u64be } from '../encoding/bytes.ts'

/**
 * Key of a proof's cached verdict: `H(seed ‖ iterations ‖ proof)` in hex. The seed is recomputed from the Reveal, so a
 * proof copied under another key has another seed; it holds the profile hash. The proof comes last, so its length needs
 * no prefix.
 */
export function proofCacheKey(seed: Uint8Array, iterations: number, proof: Uint8Array): string {
  return toHex(sha256(concatBytes(seed, u64be(iterations), proof)))
}
