import { utf8 } from '../../encoding/bytes.ts'
import { decimal, MAX_CHARACTER_STRING, textOf, wordsOf } from './presentation.ts'

/**
 * A value that begins with a quote is presentation format: character-strings of at most 255 octets. Any other value is
 * plain text, cut into character-strings of 255 octets.
 */
export function parseTxt(value: string): { strings: Uint8Array[] } {
  if (!value.startsWith('"')) return { strings: pieces(utf8(value)) }
  const strings = wordsOf(value).map((word) => word.bytes)
  if (strings.some((string) => string.length > MAX_CHARACTER_STRING))
    throw new Error('a quoted string has at most 255 octets; use several')
  return { strings }
}

function pieces(bytes: Uint8Array): Uint8Array[] {
  if (bytes.length === 0) throw new Error('an empty text is written ""')
  const cut: Uint8Array[] = []
  for (let offset = 0; offset < bytes.length; offset += MAX_CHARACTER_STRING)
    cut.push(bytes.subarray(offset, offset + MAX_CHARACTER_STRING))
  return cut
}

/** `flags tag value` (RFC 8659). */
export function parseCaa(value: string): { flags: number; tag: string; value: Uint8Array } {
  const [flags, tag, property, ...rest] = wordsOf(value)
  if (flags === undefined || tag === undefined || property === undefined || rest.length > 0)
    throw new Error('expected: flags tag "value"')
  const tagText = textOf(tag)
  if (!/^[a-zA-Z0-9]{1,15}$/.test(tagText)) throw new Error('a CAA tag is 1 to 15 letters and digits')
  return { flags: decimal(textOf(flags), 'flags', 8), tag: tagText, value: property.bytes }
}

/** `priority weight "target"` (RFC 7553). */
export function parseUri(value: string): { priority: number; weight: number; target: string } {
  const [priority, weight, target, ...rest] = wordsOf(value)
  if (priority === undefined || weight === undefined || target === undefined || rest.length > 0)
    throw new Error('expected: priority weight "target"')
  const uri = textOf(target)
  if (!target.quoted || !/^[a-z][a-z0-9+.-]*:\S+$/i.test(uri)) throw new Error('the target is a URI in quotes')
  return {
    priority: decimal(textOf(priority), 'priority', 16),
    weight: decimal(textOf(weight), 'weight', 16),
    target: uri
  }
}
