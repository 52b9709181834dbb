import { isUtf8 } from 'node:buffer'
import { ServiceError } from '../../errors.ts'
import { secretBuffer } from '../../util/secret-buffer.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const LETTER_U = 0x75
const FIRST_PRINTABLE = 0x20
const WHITE_SPACE = new Set(Buffer.from(' \t\n\r'))
const OPENING = new Set(Buffer.from('{['))
const CLOSING = new Set(Buffer.from('}]'))

/** What an escape of one letter means. */
const ESCAPED = new Map(Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }))

/**
 * Takes the text of a member out of a JSON object without making a string of it, which V8 would keep. In `json` as many
 * `x` as it has bytes replace it, so that the body can be parsed and checked like any other.
 * Undefined where there is no such text; its name counts only without escapes. Throws SVC-REQ-001 where a string is not
 * JSON.
 */
export function takeSecretMember(json: Buffer, member: string): Buffer | undefined {
  if (!isUtf8(json)) return undefined
  const name = Buffer.from(member)
  // At most one is used: the parser refuses two members with one name.
  let secret: Buffer | undefined
  let depth = 0
  try {
    for (let at = 0; at < json.length; at++) {
      const byte = json[at]!
      if (OPENING.has(byte)) depth++
      if (CLOSING.has(byte)) depth--
      if (byte !== QUOTE) continue
      const end = endOfString(json, at)
      const value = depth === 1 && json.subarray(at + 1, end).equals(name) ? valueAfter(json, end) : undefined
      at = value === undefined ? end : endOfString(json, value)
      if (value === undefined) continue
      secret?.fill(0)
      secret = take(json, value + 1, at)
    }
  } catch (error) {
    secret?.fill(0)
    throw error
  }
  return secret
}

/** Of the string from `start` to the closing quote at `end`. */
function take(json: Buffer, start: number, end: number): Buffer {
  const secret = unescaped(json.subarray(start, end))
  json.fill('x', start, start + secret.length)
  json[start + secret.length] = QUOTE
  json.fill(' ', start + secret.length + 1, end + 1)
  return secret
}

/** Where the closing quote is. */
function endOfString(json: Buffer, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  if (at >= json.length) throw notJson()
  return at
}

/** Where the string begins that is the value of the member whose name ends at `nameEnd`. */
function valueAfter(json: Buffer, nameEnd: number): number | undefined {
  const colon = afterWhiteSpace(json, nameEnd + 1)
  const value = afterWhiteSpace(json, colon + 1)
  return json[colon] === COLON && json[value] === QUOTE ? value : undefined
}

function afterWhiteSpace(json: Buffer, start: number): number {
  let at = start
  while (WHITE_SPACE.has(json[at] ?? 0)) at++
  return at
}

function unescaped(text: Buffer): Buffer {
  // No escape is shorter than what it means in UTF-8.
  const plain = secretBuffer(text.length)
  let length = 0
  try {
    for (let at = 0; at < text.length;) {
      const byte = text[at]!
      if (byte < FIRST_PRINTABLE) throw notJson()
      if (byte === BACKSLASH) {
        const { meant, bytes } = escapeAt(text, at)
        length += plain.write(meant, length)
        at += bytes
      } else {
        plain[length++] = byte
        at++
      }
    }
  } catch (error) {
    plain.fill(0)
    throw error
  }
  return plain.subarray(0, length)
}

function escapeAt(text: Buffer, at: number): { readonly meant: string; readonly bytes: number } {
  const unit = codeUnitAt(text, at)
  if (unit === undefined) {
    const meant = ESCAPED.get(String.fromCharCode(text[at + 1]!))
    if (meant === undefined) throw notJson()
    return { meant, bytes: 2 }
  }
  const low = isSurrogate(unit, 0xd800) ? codeUnitAt(text, at + 6) : undefined
  return low !== undefined && isSurrogate(low, 0xdc00)
    ? { meant: String.fromCharCode(unit, low), bytes: 12 }
    : { meant: String.fromCharCode(unit), bytes: 6 }
}

/** Of `\u` and four digits; undefined where there is another escape, or none. */
function codeUnitAt(text: Buffer, at: number): number | undefined {
  if (text[at] !== BACKSLASH || text[at + 1] !== LETTER_U) return undefined
  const digits = text.toString('latin1', at + 2, at + 6)
  if (!/^[0-9a-f]{4}$/iu.test(digits)) throw notJson()
  return parseInt(digits, 16)
}

/** Whether it is one of the 1024 surrogates from `first` on. */
function isSurrogate(unit: number, first: number): boolean {
  return (unit & 0xfc00) === first
}

function notJson(): ServiceError {
  return new ServiceError('SVC-REQ-001', 'The body is not JSON.')
}
