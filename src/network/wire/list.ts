/** `list`: keys and states of the entries under a prefix, so that no one reveals which name is meant. */
import { type CborValue, bytesField, knownFieldsOf, integerField } from '../../protocol/encoding/cbor.ts'
import type { EntryState } from '../../protocol/admission/entry.ts'
import { EncodingError } from '../../protocol/errors.ts'
import { sharesPrefix } from '../../protocol/neighbourhood/key-space.ts'
import { type CommonAnswer, type PageShape, decodeCommonAnswer, decodePage } from './answers.ts'
import type { ChangesHeld } from '../../protocol/admission/key-changes.ts'
import { changesField, KEY_BYTES, stateField } from './records.ts'

/** Longest prefix listed: a network of 2^69 peers would blind that many bits. For one key use `get`. */
export const MAX_PREFIX_BITS = 64

/** Entries of one page: 140 bytes each, 210 where keys have changed, and 40 more with a notice. Reading them must not block the event loop for more than about 10 ms. */
export const LIST_PAGE_ENTRIES = 240

export interface ListRequest {
  readonly type: 'list'
  /** Its first `bits` bits count. */
  readonly key: Uint8Array
  readonly bits: number
  readonly after?: Uint8Array
  /** What is held under check codes, in place of names. */
  readonly coded?: true
}

export interface ListedEntry {
  readonly key: Uint8Array
  readonly state: EntryState
  readonly claim: Uint8Array
  /** H(record); missing where only the stub is kept. */
  readonly record?: Uint8Array
  /** As in the answer to a `get`. */
  readonly changes?: ChangesHeld
  /** H of the notice's record. */
  readonly notice?: Uint8Array
}

/** Strictly ascending by key, all behind `after` and under the prefix. `more`: ask again with the last key. */
export type ListAnswer =
  { readonly type: 'listed'; readonly entries: readonly ListedEntry[]; readonly more: boolean } | CommonAnswer

export function decodeListRequest(value: CborValue): ListRequest {
  const fields = knownFieldsOf(value, ['type', 'key', 'bits'])
  const bits = integerField(fields, 'bits')
  if (bits > MAX_PREFIX_BITS) throw new EncodingError(`bits: at most ${MAX_PREFIX_BITS}`)
  if (Object.hasOwn(fields, 'coded') && fields['coded'] !== true) throw new EncodingError('coded: true, or left out')
  return {
    type: 'list',
    key: bytesField(fields, 'key', KEY_BYTES),
    bits,
    ...(Object.hasOwn(fields, 'after') && { after: bytesField(fields, 'after', KEY_BYTES) }),
    ...(Object.hasOwn(fields, 'coded') && { coded: true })
  }
}

const PAGE: PageShape<ListedEntry> = {
  member: 'entries',
  most: LIST_PAGE_ENTRIES,
  decode: decodeEntry,
  keyOf: ({ key }) => key
}

/** Throws EncodingError also for entries that were not asked for: outside the prefix, or not behind `after`. */
export function decodeListAnswer(value: CborValue, type: string, { key, bits, after }: ListRequest): ListAnswer {
  if (type !== 'listed') return decodeCommonAnswer(value, type)
  const { items: entries, more } = decodePage(value, PAGE, after)
  if (!entries.every((entry) => sharesPrefix(key, entry.key, bits)))
    throw new EncodingError('entries: only what lies under the prefix that was asked for')
  return { type, entries, more }
}

function decodeEntry(value: CborValue): ListedEntry {
  const fields = knownFieldsOf(value, ['key', 'state', 'claim'])
  const entry = {
    key: bytesField(fields, 'key', KEY_BYTES),
    state: stateField(fields),
    claim: bytesField(fields, 'claim', KEY_BYTES),
    ...(Object.hasOwn(fields, 'changes') && { changes: changesField(fields['changes']) }),
    ...(Object.hasOwn(fields, 'notice') && { notice: bytesField(fields, 'notice', KEY_BYTES) })
  }
  return Object.hasOwn(fields, 'record') ? { ...entry, record: bytesField(fields, 'record', KEY_BYTES) } : entry
}
