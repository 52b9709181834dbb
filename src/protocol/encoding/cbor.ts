/**
 * Deterministic CBOR, and the members of decoded records.
 */
import { decode, encode, rfc8949EncodeOptions, Tokenizer, Type } from 'cborg'
import { compareBytes } from './bytes.ts'
import { EncodingError, messageOf } from '../errors.ts'

/** What records consist of: no floats, tags, negative numbers or undefined. */
export type CborValue =
  number | string | boolean | null | Uint8Array | readonly CborValue[] | { readonly [key: string]: CborValue }

interface CborBounds {
  readonly maxBytes: number
  /** Deepest nesting of arrays and maps; 1 is a flat map. */
  readonly maxDepth: number
}

/**
 * Most items in one text, with heads of arrays and maps; a full page of a listing has 2,500. Decoding a message of
 * empty strings would otherwise take 20 ms.
 */
export const MAX_CBOR_ITEMS = 4_096

const DECODE_OPTIONS = {
  allowIndefinite: false,
  allowUndefined: false,
  allowInfinity: false,
  allowNaN: false,
  allowBigInt: false,
  strict: true,
  rejectDuplicateMapKeys: true
} as const

/** Deterministic CBOR (RFC 8949 section 4.2.1). */
export function encodeCbor(value: CborValue): Uint8Array {
  return plain(encode(value, rfc8949EncodeOptions))
}

/**
 * Decodes deterministic CBOR; refuses what does not encode to the same bytes again.
 * Integers are 0..2^53-1, items at most 4,096. Throws EncodingError. Time and memory are linear in the items;
 * `maxDepth` bounds the recursion.
 */
export function decodeCanonical(bytes: Uint8Array, bounds: CborBounds): CborValue {
  if (bytes.length > bounds.maxBytes)
    throw new EncodingError(`CBOR of ${bytes.length} bytes; at most ${bounds.maxBytes} are allowed`)
  const input = plain(bytes)
  let value: CborValue
  try {
    checkShape(input, bounds.maxDepth)
    value = decode(input, DECODE_OPTIONS) as CborValue
  } catch (error) {
    throw new EncodingError(`not CBOR: ${messageOf(error)}`, { cause: error })
  }
  checkNumbers(value)
  if (compareBytes(encodeCbor(value), input) !== 0) throw new EncodingError('CBOR is not in its deterministic form')
  return value
}

/**
 * Decodes what this program has encoded itself, in a third of the time: it does not check the canonical form. Throws
 * EncodingError.
 */
export function decodeOwnCbor(bytes: Uint8Array): CborValue {
  try {
    return decode(plain(bytes), DECODE_OPTIONS) as CborValue
  } catch (error) {
    throw new EncodingError(`not CBOR: ${messageOf(error)}`, { cause: error })
  }
}

/**
 * Bounds depth and items before cborg runs, which recurses once a level and creates a value of each item. Uses its own
 * stack.
 */
function checkShape(bytes: Uint8Array, maxDepth: number): void {
  const tokens = new Tokenizer(bytes, DECODE_OPTIONS)
  const open: number[] = []
  let items = 0
  while (!tokens.done()) {
    if (++items > MAX_CBOR_ITEMS) throw new Error(`more than ${MAX_CBOR_ITEMS} items`)
    const token = tokens.next()
    const isArray = Type.equals(token.type, Type.array)
    const isMap = Type.equals(token.type, Type.map)
    if (isArray || isMap) {
      if (open.length >= maxDepth) throw new Error(`nested deeper than ${maxDepth} levels`)
      open.push(Number(token.value) * (isMap ? 2 : 1) + 1)
    }
    while (open.length > 0) {
      const left = open[open.length - 1]! - 1
      if (left > 0) {
        open[open.length - 1] = left
        break
      }
      open.pop()
      if (open.length === 0) break
    }
  }
}

function checkNumbers(value: CborValue): void {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) || value < 0) throw new EncodingError('CBOR numbers are integers from 0 to 2^53-1')
  } else if (Array.isArray(value)) {
    for (const item of value as readonly CborValue[]) checkNumbers(item)
  } else if (value !== null && typeof value === 'object' && !(value instanceof Uint8Array)) {
    for (const item of Object.values(value as Record<string, CborValue>)) checkNumbers(item)
  }
}

/** cborg accepts a Buffer but then returns Buffers: only plain arrays enter and leave here. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export type Fields = Readonly<Record<string, CborValue>>

/** The members of a map with exactly the required ones and any of the optional ones. */
export function fieldsOf(
  value: CborValue | undefined,
  required: readonly string[],
  optional: readonly string[] = []
): Fields {
  const fields = knownFieldsOf(value, required)
  for (const key of Object.keys(fields)) {
    if (!required.includes(key) && !optional.includes(key)) throw new EncodingError(`${key}: unknown member`)
  }
  return fields
}

/** A map with these members, and any others: messages of a later build may have more. Throws EncodingError. */
export function knownFieldsOf(value: CborValue | undefined, required: readonly string[]): Fields {
  if (
    value === undefined ||
    value === null ||
    typeof value !== 'object' ||
    Array.isArray(value) ||
    value instanceof Uint8Array
  )
    throw new EncodingError('a map is expected')
  const fields = value as Fields
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
