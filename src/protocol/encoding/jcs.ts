import canonicalize from 'canonicalize'
import { compareBytes, utf8 } from './bytes.ts'
import { EncodingError, messageOf } from '../errors.ts'

export type JsonValue = number | string | boolean | null | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue
}

interface JsonBounds {
  readonly maxBytes: number
}

/** Deepest nesting of arrays and objects: far above any record. */
const MAX_DEPTH = 32
const UTF8_STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The RFC 8785 text of a JSON value. Throws EncodingError for what JSON cannot hold. */
export function canonicalJson(value: unknown): string {
  let text: string | undefined
  try {
    text = canonicalize(value)
  } catch (error) {
    throw new EncodingError(`not a JSON value: ${messageOf(error)}`, { cause: error })
  }
  if (text === undefined) throw new EncodingError('not a JSON value')
  return text
}

export function canonicalJsonBytes(value: unknown): Uint8Array {
  return utf8(canonicalJson(value))
}

/** Parses RFC 8785 bytes; refuses what does not canonicalize to the same bytes again. Throws EncodingError. */
export function parseCanonicalJson(bytes: Uint8Array, bounds: JsonBounds): JsonValue {
  const value = parseBoundedJson(bytes, bounds)
  if (compareBytes(canonicalJsonBytes(value), bytes) !== 0)
    throw new EncodingError('JSON is not in its canonical form (RFC 8785)')
  return value
}

function parseBoundedJson(bytes: Uint8Array, { maxBytes }: JsonBounds): JsonValue {
  if (bytes.length > maxBytes) throw new EncodingError(`JSON of ${bytes.length} bytes; at most ${maxBytes} are allowed`)
  let text: string
  try {
    text = UTF8_STRICT.decode(bytes)
  } catch (error) {
    throw new EncodingError('JSON is not UTF-8', { cause: error })
  }
  checkJsonDepth(text)
  try {
    return JSON.parse(text) as JsonValue
  } catch (error) {
    throw new EncodingError(`not JSON: ${messageOf(error)}`, { cause: error })
  }
}

function checkJsonDepth(text: string): void {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (inString) {
      if (character === '\\') index++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '[' || character === '{') {
      if (++depth > MAX_DEPTH) throw new EncodingError(`JSON nested deeper than ${MAX_DEPTH} levels`)
    } else if (character === ']' || character === '}') depth--
  }
}
