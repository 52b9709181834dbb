/** What a task keeps of its claim between its steps: CBOR, opaque to the task manager. */
import { decode, encode } from 'cborg'

/** Before the pulse. */
export interface ClaimDraft {
  /** 32 bytes, drawn for this attempt. */
  readonly salt: Uint8Array
  /** The stamp's nonce; empty for renewals, which send no commitment. */
  readonly nonce: Uint8Array
  /** Our round when the commitment was first sent. */
  readonly sentRound: number
  /** p; null until enough receipts are there. */
  readonly pulseRound: number | null
}

/** Fixed before the first squaring. */
export interface ClaimContext {
  readonly salt: Uint8Array
  readonly pulseRound: number
  /** Signature of that pulse, 48 bytes. */
  readonly pulse: Uint8Array
}

export function encodeDraft(draft: ClaimDraft): Uint8Array {
  return encode(draft)
}

export function decodeDraft(bytes: Uint8Array): ClaimDraft {
  return decode(bytes) as ClaimDraft
}

export function encodeContext(context: ClaimContext): Uint8Array {
  return encode(context)
}

export function decodeContext(bytes: Uint8Array): ClaimContext {
  return decode(bytes) as ClaimContext
}
