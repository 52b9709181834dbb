/** `get`: what is held under K. */
import type { CborValue } from '../../protocol/cbor.ts'
import type { EntryState } from '../../protocol/entry.ts'
import { EncodingError } from '../../protocol/errors.ts'
import type { RecordKind } from '../../protocol/record-key.ts'
import { bytesField, fieldsOf, textField, type Fields } from '../../protocol/record-fields.ts'
import { decodeCommonAnswer, type CommonAnswer } from './answers.ts'
import { kindField } from './put.ts'

/** Length of K and of a claim id. */
export const KEY_BYTES = 32

const ENTRY_STATES: readonly EntryState[] = ['fresh', 'settling', 'settled', 'provisional']

export interface GetRequest {
  readonly type: 'get'
  readonly kind: RecordKind
  readonly key: Uint8Array
}

/** A name's entry; its record is missing where only the stub of a settled claim is kept. */
export interface EntryAnswer {
  readonly type: 'entry'
  readonly state: EntryState
  readonly claim: Uint8Array
  readonly record?: Uint8Array
}

export type GetAnswer = EntryAnswer | { readonly type: 'document'; readonly record: Uint8Array } | { readonly type: 'none' } | CommonAnswer

export function decodeGetRequest(value: CborValue): GetRequest {
  const fields = fieldsOf(value, ['type', 'kind', 'key'])
  return { type: 'get', kind: kindField(fields), key: bytesField(fields, 'key', KEY_BYTES) }
}

export function decodeGetAnswer(value: CborValue, type: string): GetAnswer {
  switch (type) {
    case 'entry': {
      const fields = fieldsOf(value, ['type', 'state', 'claim'], ['record'])
      const entry = { type, state: stateField(fields), claim: bytesField(fields, 'claim', KEY_BYTES) } as const
      return Object.hasOwn(fields, 'record') ? { ...entry, record: bytesField(fields, 'record') } : entry
    }
    case 'document':
      return { type, record: bytesField(fieldsOf(value, ['type', 'record']), 'record') }
    case 'none':
      fieldsOf(value, ['type'])
      return { type }
    default:
      return decodeCommonAnswer(value, type)
  }
}

export function stateField(fields: Fields): EntryState {
  const text = textField(fields, 'state')
  const state = ENTRY_STATES.find((known) => known === text)
  if (state === undefined) throw new EncodingError('state: not one of an entry')
  return state
}
