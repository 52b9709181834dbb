import type { RefusalCode as AdmissionRefusal } from '../../protocol/admission/admission.ts'
import type { CborValue } from '../../protocol/encoding/cbor.ts'
import { EncodingError } from '../../protocol/errors.ts'
import { bytesField, fieldsOf, textField } from '../../protocol/encoding/record-fields.ts'

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
  if (type === 'stale') return { type, record: bytesField(fieldsOf(value, ['type', 'record']), 'record') }
  if (type === 'busy') {
    fieldsOf(value, ['type'])
    return BUSY
  }
  if (type === 'refused') {
    const fields = fieldsOf(value, ['type', 'code', 'detail'])
    const [code, detail] = [textField(fields, 'code'), textField(fields, 'detail')]
    if (!CODE.test(code) || detail.length > MAX_DETAIL)
      throw new EncodingError('refused: not a code and a short detail')
    return { type, code, detail }
  }
  throw new EncodingError(`"${type.slice(0, 32)}": unknown answer`)
}
