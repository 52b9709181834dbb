/**
 * Reads the members of decoded records, each with its type and size. Every function throws EncodingError that names the
 * member.
 */
import type { CborValue } from './cbor.ts'
import { EncodingError } from '../errors.ts'

export type Fields = Readonly<Record<string, CborValue>>

/** The members of a map with exactly the required ones and any of the optional ones. */
export function fieldsOf(
  value: CborValue | undefined,
  required: readonly string[],
  optional: readonly string[] = []
): Fields {
  if (
    value === undefined ||
    value === null ||
    typeof value !== 'object' ||
    Array.isArray(value) ||
    value instanceof Uint8Array
  )
    throw new EncodingError('a map is expected')
  const fields = value as Fields
  for (const key of Object.keys(fields)) {
    if (!required.includes(key) && !optional.includes(key)) throw new EncodingError(`${key}: unknown member`)
  }
  for (const key of required) {
    if (!Object.hasOwn(fields, key)) throw new EncodingError(`${key}: missing`)
  }
  return fields
}

export function bytesField(fields: Fields, key: string, length?: number): Uint8Array {
  const value = fields[key]
  if (!(value instanceof Uint8Array)) throw new EncodingError(`${key}: bytes are expected`)
  if (length !== undefined && value.length !== length)
    throw new EncodingError(`${key}: ${length} bytes are expected, not ${value.length}`)
  return value
}

export function integerField(fields: Fields, key: string): number {
  const value = fields[key]
  if (typeof value !== 'number') throw new EncodingError(`${key}: an integer is expected`)
  return value
}

export function textField(fields: Fields, key: string): string {
  const value = fields[key]
  if (typeof value !== 'string') throw new EncodingError(`${key}: a text is expected`)
  return value
}

export function arrayField(fields: Fields, key: string): readonly CborValue[] {
  const value = fields[key]
  if (!Array.isArray(value)) throw new EncodingError(`${key}: an array is expected`)
  return value as readonly CborValue[]
}
