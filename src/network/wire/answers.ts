/** Answers that several requests have: refusals, and pages {type, <member>: [...], more}. */
import type { RefusalCode as AdmissionRefusal } from '../../protocol/admission/admission.ts'
import { type CborValue, arrayField, bytesField, knownFieldsOf, textField } from '../../protocol/encoding/cbor.ts'
import { EncodingError } from '../../protocol/errors.ts'
import { compareBytes } from '../../protocol/encoding/bytes.ts'

/** Why a record or commitment is refused. Only `invalid` counts against the sender. */
export type RefusalCode =
  | AdmissionRefusal
  /** Valid failed; the detail names the rule. */
  | 'invalid'
  | 'stamp'
  /** No fresh pulse here to admit a new name by. */
  | 'no-fresh-pulse'
  | 'full'
  /** This node held a newer record of the same key, but no longer keeps its payload. */
  | 'stale'
  /** A document that neither a live name nor a fresh stamp carries, or a manifest without its document. */
  | 'unbound'
  /** The address of a `reach` was dialled in vain; the detail says why. */
  | 'unreached'
  /** The address of a `reach` was not dialled: this node may not, or has no way there. */
  | 'undialled'
  /** A type or kind of a later build. */
  | 'unknown'

/** A request of a later build. It is answered, and counts against nobody. */
export class UnknownRequest extends EncodingError {
  constructor(what: string) {
    super(`"${what.slice(0, 32)}": unknown request`)
  }
}

/** Any short word: a peer of a later version may know more codes. */
const CODE = /^[a-z][a-z-]{0,31}$/

/** Longest detail sent or read, in UTF-16 units. */
const MAX_DETAIL = 300

export type CommonAnswer =
  | { readonly type: 'stale'; readonly record: Uint8Array }
  | { readonly type: 'refused'; readonly code: RefusalCode | (string & {}); readonly detail: string }
  | { readonly type: 'busy' }

export const BUSY: CommonAnswer = { type: 'busy' }

export function refused(code: RefusalCode, detail: string): CommonAnswer {
  return { type: 'refused', code, detail: detail.slice(0, MAX_DETAIL).toWellFormed() }
}

export function decodeCommonAnswer(value: CborValue, type: string): CommonAnswer {
  if (type === 'stale') return { type, record: bytesField(knownFieldsOf(value, ['type', 'record']), 'record') }
  if (type === 'busy') return BUSY
  if (type === 'refused') {
    const fields = knownFieldsOf(value, ['type', 'code', 'detail'])
    const [code, detail] = [textField(fields, 'code'), textField(fields, 'detail')]
    if (!CODE.test(code) || detail.length > MAX_DETAIL)
      throw new EncodingError('refused: not a code and a short detail')
    return { type, code, detail }
  }
  throw new EncodingError(`"${type.slice(0, 32)}": unknown answer`)
}

export interface PageShape<T> {
  readonly member: string
  readonly most: number
  readonly decode: (item: CborValue) => T
  readonly keyOf: (item: T) => Uint8Array
}

/**
 * Throws EncodingError for more than `most` items, and for an empty page with `more`. Also for keys that do not ascend
 * strictly from behind `after`: such pages may never end [pages that do not ascend].
 */
export function decodePage<T>(
  value: CborValue,
  { member, most, decode, keyOf }: PageShape<T>,
  after: Uint8Array | undefined
): { items: T[]; more: boolean } {
  const fields = knownFieldsOf(value, ['type', member, 'more'])
  const { more } = fields
  if (typeof more !== 'boolean') throw new EncodingError('more: true or false is expected')
  const items = arrayField(fields, member).map(decode)
  if (items.length > most) throw new EncodingError(`${member}: at most ${most}`)
  if (more && items.length === 0) throw new EncodingError(`${member}: a page that is followed by more cannot be empty`)
  let former = after
  for (const item of items) {
    const key = keyOf(item)
    if (former !== undefined && compareBytes(key, former) <= 0)
      throw new EncodingError(`${member}: keys ascend, each page after the last key of the one before`)
    former = key
  }
  return { items, more }
}
