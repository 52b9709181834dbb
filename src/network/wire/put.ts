/** `put`: hold this record. The receiver computes from the record where it belongs. */
import type { CborValue } from '../../protocol/encoding/cbor.ts'
import { EncodingError } from '../../protocol/errors.ts'
import type { RecordKind } from '../../protocol/claim/record-key.ts'
import { bytesField, fieldsOf, textField, type Fields } from '../../protocol/encoding/record-fields.ts'
import { decodeCommonAnswer, type CommonAnswer } from './answers.ts'

export interface PutRequest {
  readonly type: 'put'
  readonly kind: RecordKind
  readonly record: Uint8Array
}

export type PutAnswer = { readonly type: 'stored' } | CommonAnswer

export function decodePutRequest(value: CborValue): PutRequest {
  const fields = fieldsOf(value, ['type', 'kind', 'record'])
  return { type: 'put', kind: kindField(fields), record: bytesField(fields, 'record') }
}

export function decodePutAnswer(value: CborValue, type: string): PutAnswer {
  if (type !== 'stored') return decodeCommonAnswer(value, type)
  fieldsOf(value, ['type'])
  return { type }
}

export function kindField(fields: Fields): RecordKind {
  const kind = textField(fields, 'kind')
  if (kind !== 'reveal' && kind !== 'coded' && kind !== 'kid' && kind !== 'manifest')
    throw new EncodingError('kind: reveal, coded, kid or manifest is expected')
  return kind
}
