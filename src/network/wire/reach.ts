/** `reach`: a peer asks to be dialled at an address of its own, and hears whether that was with its key. */
import type { CborValue } from '../../protocol/encoding/cbor.ts'
import { EncodingError } from '../../protocol/errors.ts'
import { bytesField, fieldsOf } from '../../protocol/encoding/record-fields.ts'
import { decodeCommonAnswer, type CommonAnswer } from './answers.ts'
import { MAX_ADDRESS_BYTES } from './find.ts'

export interface ReachRequest {
  readonly type: 'reach'
  /** A multiaddr in binary, without the peer id. */
  readonly address: Uint8Array
}

/** Refused with `unreached` where no connection came about, with `undialled` where none was tried. */
export type ReachAnswer = { readonly type: 'reached' } | CommonAnswer

export function decodeReachRequest(value: CborValue): ReachRequest {
  const address = bytesField(fieldsOf(value, ['type', 'address']), 'address')
  if (address.length > MAX_ADDRESS_BYTES) throw new EncodingError(`address: at most ${MAX_ADDRESS_BYTES} bytes`)
  return { type: 'reach', address }
}

export function decodeReachAnswer(value: CborValue, type: string): ReachAnswer {
  if (type !== 'reached') return decodeCommonAnswer(value, type)
  fieldsOf(value, ['type'])
  return { type }
}
