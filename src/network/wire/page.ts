/** Answers that come in pages: {type, <member>: [...], more}. */
import { compareBytes } from '../../protocol/encoding/bytes.ts'
import type { CborValue } from '../../protocol/encoding/cbor.ts'
import { EncodingError } from '../../protocol/errors.ts'
import { arrayField, fieldsOf } from '../../protocol/encoding/record-fields.ts'

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
  const fields = fieldsOf(value, ['type', member, 'more'])
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
