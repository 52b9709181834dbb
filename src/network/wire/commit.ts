/** `commit`: keep C, and say since when. */
import type { CborValue } from '../../protocol/encoding/cbor.ts'
import { COMMITMENT_BYTES } from '../../protocol/claim/commitment.ts'
import { bytesField, fieldsOf } from '../../protocol/encoding/record-fields.ts'
import { STAMP_NONCE_BYTES } from '../../protocol/crypto/stamp.ts'
import { decodeCommonAnswer, type CommonAnswer } from './answers.ts'

export interface CommitRequest {
  readonly type: 'commit'
  readonly commitment: Uint8Array
  readonly nonce: Uint8Array
}

/** `receipt` is an encoded Receipt (src/protocol/claim/receipt.ts). */
export type CommitAnswer = { readonly type: 'received'; readonly receipt: Uint8Array } | CommonAnswer

export function decodeCommitRequest(value: CborValue): CommitRequest {
  const fields = fieldsOf(value, ['type', 'commitment', 'nonce'])
  return {
    type: 'commit',
    commitment: bytesField(fields, 'commitment', COMMITMENT_BYTES),
    nonce: bytesField(fields, 'nonce', STAMP_NONCE_BYTES)
  }
}

export function decodeCommitAnswer(value: CborValue, type: string): CommitAnswer {
  if (type === 'received') return { type, receipt: bytesField(fieldsOf(value, ['type', 'receipt']), 'receipt') }
  return decodeCommonAnswer(value, type)
}
