import { concatBytes, sha256, toHex, u64be } from '../encoding/bytes.ts'

/**
 * `H(seed ‖ iterations ‖ proof)` in hex: what a proof's verdict may be remembered under. The seed comes from the Reveal
 * it was recomputed from, so a proof copied under another key has another one; it holds the profile hash; the proof
 * comes last, so its length needs no mark.
 */
export function proofCacheKey(seed: Uint8Array, iterations: number, proof: Uint8Array): string {
  return toHex(sha256(concatBytes(seed, u64be(iterations), proof)))
}
