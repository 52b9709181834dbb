/** Answers that come in pages: {type, <member>: [...], more}. */
import type { CborValue } from '../../protocol/cbor.ts'
import { EncodingError } from '../../protocol/errors.ts'
import { arrayField, fieldsOf } from '../../protocol/record-fields.ts'

/** Throws EncodingError for more than `most` items, and for an empty page that is followed by more, which would never end. */
export function decodePage<T>(value: CborValue, member: string, most: number, decode: (item: CborValue) => T): { items: T[]; more: boolean } {
  const fields = fieldsOf(value, ['type', member, 'more'])
  const { more } = fields
  if (typeof more !== 'boolean') throw new EncodingError('more: true or false is expected')
  const items = arrayField(fields, member).map(decode)
  if (items.length > most) throw new EncodingError(`${member}: at most ${most}`)
  if (more && items.length === 0) throw new EncodingError(`${member}: a page that is followed by more cannot be empty`)
  return { items, more }
}
