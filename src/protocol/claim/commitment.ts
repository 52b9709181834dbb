/** Commitments: they claim a name without revealing it. */
import { lp, sha256 } from '../encoding/bytes.ts'
import { domain } from '../crypto/domain.ts'

export { stampDigest, stampHolds, stampPrefix, stampWork } from '../crypto/stamp.ts'
export type { Receipt } from './receipt.ts'
export { decodeReceipt, encodeReceipt, receiptMessage, signReceipt, verifyReceipt } from './receipt.ts'

export const COMMITMENT_BYTES = 32

/** Random for each attempt, so that the name cannot be found by guessing. */
export const SALT_BYTES = 32

/**
 * `next` is reserved for a later version in which a name's key can change. No record carries it yet, so a C with
 * another value fits no Reveal.
 */
const NO_NEXT = new Uint8Array(32)

/** C = `H(domain(commitment) ‖ lp(name) ‖ pubkey(32) ‖ next(32) ‖ salt(32))`; `next` is all zero in this version. */
export function commitmentHash(
  name: string,
  publicKey: Uint8Array,
  salt: Uint8Array,
  profileHash: Uint8Array
): Uint8Array {
  return sha256(domain('commitment', profileHash), lp(name), publicKey, NO_NEXT, salt)
}
