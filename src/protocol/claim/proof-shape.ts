/**
 * The one form in which a VDF of a given length is proved. Any depth and split verifies, so one claim would otherwise
 * have many proofs.
 */
import type { NetworkProfile } from '../profile/profile.ts'

/** Bytes of a form of any discriminant; a proof begins with y and the witness (vdf-kernel formats, chiavdf's). */
export const FORM_BYTES = 100

/** Bytes that a second segment adds: iterations (8), B (33), witness (100). */
const SEGMENT_BYTES = 141

export interface ProofShape {
  /** Levels beyond the first: 0 for one segment, 1 for two. */
  readonly depth: 0 | 1
  /** Squarings of the first segment; null for one segment. */
  readonly split: number | null
  readonly length: number
}

/** One segment below `two_segment_from` squarings, from there two, split at T - floor(T / split_divisor). */
export function proofShape(iterations: number, profile: NetworkProfile): ProofShape {
  if (iterations < profile.two_segment_from) return { depth: 0, split: null, length: 2 * FORM_BYTES }
  return {
    depth: 1,
    split: iterations - Math.floor(iterations / profile.split_divisor),
    length: 2 * FORM_BYTES + SEGMENT_BYTES
  }
}

export function proofOutput(proof: Uint8Array): Uint8Array {
  return proof.subarray(0, FORM_BYTES)
}

export function claimedSplit(proof: Uint8Array): number {
  return Number(new DataView(proof.buffer, proof.byteOffset, proof.byteLength).getBigUint64(2 * FORM_BYTES))
}
