/**
 * What a task keeps of its claim between its steps: CBOR, opaque to the task manager. Decoding anything else throws
 * UnreadableRecord.
 */
import { encode } from 'cborg'
import * as v from 'valibot'
import { Bytes, Bytes32, Count, readCbor } from '../../store/stored-shapes.ts'

export interface ClaimDraft {
  /** 32 bytes, drawn for this attempt. */
  readonly salt: Uint8Array
  /** The stamp's nonce; empty for renewals, which send no commitment. */
  readonly nonce: Uint8Array
  /** Our round when the commitment was first sent. */
  readonly sentRound: number
  /** p; null until there are enough receipts. */
  readonly pulseRound: number | null
}

/** Fixed before the first squaring. */
export interface ClaimContext {
  readonly salt: Uint8Array
  readonly pulseRound: number
  /** Signature of that pulse, 48 bytes. */
  readonly pulse: Uint8Array
}

const Draft = v.object({ salt: Bytes32, nonce: Bytes, sentRound: Count, pulseRound: v.nullable(Count) })
const Context = v.object({ salt: Bytes32, pulseRound: Count, pulse: Bytes })

export function encodeDraft(draft: ClaimDraft): Uint8Array {
  return encode(draft)
}

export function decodeDraft(bytes: Uint8Array): ClaimDraft {
  return readCbor(Draft, bytes)
}

export function encodeContext(context: ClaimContext): Uint8Array {
  return encode(context)
}

export function decodeContext(bytes: Uint8Array): ClaimContext {
  return readCbor(Context, bytes)
}
