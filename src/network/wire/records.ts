/** `put`: hold this record, whose place the receiver computes from it. `get`: what is held under K. */
import {
  type CborValue,
  type Fields,
  bytesField,
  knownFieldsOf,
  integerField,
  textField
} from '../../protocol/encoding/cbor.ts'
import { EncodingError } from '../../protocol/errors.ts'
import type { RecordKind } from '../../protocol/neighbourhood/key-space.ts'
import { type CommonAnswer, decodeCommonAnswer, UnknownRequest } from './answers.ts'
import type { EntryState } from '../../protocol/admission/entry.ts'
import type { ChangesHeld } from '../../protocol/admission/key-changes.ts'

export interface PutRequest {
  readonly type: 'put'
  readonly kind: RecordKind
  readonly record: Uint8Array
}

export type PutAnswer = { readonly type: 'stored' } | CommonAnswer

export function decodePutRequest(value: CborValue): PutRequest {
  const fields = knownFieldsOf(value, ['type', 'kind', 'record'])
  return { type: 'put', kind: kindField(fields), record: bytesField(fields, 'record') }
}

export function decodePutAnswer(value: CborValue, type: string): PutAnswer {
  if (type !== 'stored') return decodeCommonAnswer(value, type)
  return { type }
}

function kindField(fields: Fields): RecordKind {
  const kind = textField(fields, 'kind')
  if (kind !== 'reveal' && kind !== 'coded' && kind !== 'kid' && kind !== 'manifest')
    throw new UnknownRequest(`kind ${kind}`)
  return kind
}

/** Length of K and of a claim id. */
export const KEY_BYTES = 32

const ENTRY_STATES: readonly EntryState[] = ['fresh', 'settling', 'settled', 'provisional']

export interface GetRequest {
  readonly type: 'get'
  readonly kind: RecordKind
  readonly key: Uint8Array
  /** Answer with H of the record: the asking peer may have the record already. */
  readonly brief?: true
}

/** A name's entry; record and digest are missing where only the stub of a settled claim is kept. */
interface EntryAnswer {
  readonly type: 'entry'
  readonly state: EntryState
  readonly claim: Uint8Array
  readonly record?: Uint8Array
  /** H(record), in place of it for a brief request. */
  readonly digest?: Uint8Array
  /** Where keys of the claim have changed: the last change, and the round from which all are final at this peer. */
  readonly changes?: ChangesHeld
  readonly notice?: NoticeHeld
}

/** A change of keys with one signature that is not final: its record, or H of it for a brief request. */
interface NoticeHeld {
  readonly changes: ChangesHeld
  readonly record?: Uint8Array
  readonly digest?: Uint8Array
}

export type GetAnswer =
  | EntryAnswer
  | { readonly type: 'document'; readonly record: Uint8Array }
  | { readonly type: 'digest'; readonly digest: Uint8Array }
  | { readonly type: 'none' }
  | CommonAnswer

export function decodeGetRequest(value: CborValue): GetRequest {
  const fields = knownFieldsOf(value, ['type', 'kind', 'key'])
  const request = { type: 'get', kind: kindField(fields), key: bytesField(fields, 'key', KEY_BYTES) } as const
  if (!Object.hasOwn(fields, 'brief')) return request
  if (fields['brief'] !== true) throw new EncodingError('brief: true, or left out')
  return { ...request, brief: true }
}

export function decodeGetAnswer(value: CborValue, type: string): GetAnswer {
  switch (type) {
    case 'entry': {
      const fields = knownFieldsOf(value, ['type', 'state', 'claim'])
      const entry = {
        type,
        state: stateField(fields),
        claim: bytesField(fields, 'claim', KEY_BYTES),
        ...(Object.hasOwn(fields, 'changes') && { changes: changesField(fields['changes']) }),
        ...(Object.hasOwn(fields, 'notice') && { notice: noticeField(fields['notice']) })
      } as const
      return { ...entry, ...recordOrDigest(fields) }
    }
    case 'document':
      return { type, record: bytesField(knownFieldsOf(value, ['type', 'record']), 'record') }
    case 'digest':
      return { type, digest: bytesField(knownFieldsOf(value, ['type', 'digest']), 'digest', KEY_BYTES) }
    case 'none':
      return { type }
    default:
      return decodeCommonAnswer(value, type)
  }
}

function recordOrDigest(fields: Fields): { record?: Uint8Array; digest?: Uint8Array } {
  if (!Object.hasOwn(fields, 'digest'))
    return Object.hasOwn(fields, 'record') ? { record: bytesField(fields, 'record') } : {}
  if (Object.hasOwn(fields, 'record')) throw new EncodingError('entry: a record or its digest, not both')
  return { digest: bytesField(fields, 'digest', KEY_BYTES) }
}

function noticeField(value: CborValue | undefined): NoticeHeld {
  const fields = knownFieldsOf(value, ['changes'])
  return { changes: changesField(fields['changes']), ...recordOrDigest(fields) }
}

export function changesField(value: CborValue | undefined): ChangesHeld {
  const fields = knownFieldsOf(value, ['head', 'final'])
  return { head: bytesField(fields, 'head', KEY_BYTES), final: integerField(fields, 'final') }
}

export function stateField(fields: Fields): EntryState {
  const text = textField(fields, 'state')
  const state = ENTRY_STATES.find((known) => known === text)
  if (state === undefined) throw new EncodingError('state: not one of an entry')
  return state
}
