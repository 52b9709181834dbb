/** Pulses of drand's scheme `bls-unchained-g1-rfc9380`, without the addon. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { pulseMessage } from '../protocol/time/pulse.ts'

/** The suite of RFC 9380. */
const DST = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'

/**
 * Whether the chain of that key (96 bytes, on G2) signed the round. Some 20 ms. False for points that are not
 * canonical, not of the subgroup, or zero.
 */
export function verifyPulse(publicKey: Uint8Array, round: number, signature: Uint8Array): boolean {
  const { shortSignatures: bls } = bls12_381
  try {
    const point = bls.Signature.fromBytes(signature)
    point.assertValidity()
    return bls.verify(point, bls.hash(pulseMessage(round), DST), publicKey)
  } catch {
    // the library throws for bytes that are no point of the group
    return false
  }
}
