import { sha256, u64be } from '../encoding/bytes.ts'

/** Length of a pulse's signature: a compressed point of G1 of BLS12-381. */
export const PULSE_SIGNATURE_BYTES = 48

export interface Pulse {
  round: number
  /** 48 bytes. */
  signature: Uint8Array
}

/** What the beacon signs for a round: SHA-256 of the round as u64 big-endian (drand's unchained schemes). */
export function pulseMessage(round: number): Uint8Array {
  return sha256(u64be(round))
}

/** The randomness r of a pulse: SHA-256 of its signature. */
export function pulseRandomness(signature: Uint8Array): Uint8Array {
  return sha256(signature)
}
