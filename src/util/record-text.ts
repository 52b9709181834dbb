/**
 * Values of records as people read and write them: in lines, master files, differences and the page. What a reader would
 * not see, or a terminal would not carry, is `\DDD` (RFC 1035, 5.1). The value read back is the same octets.
 * Uses nothing of Node, so that a page can load it too.
 */

/** Longest character-string, in octets (RFC 1035, section 3.3). */
export const MAX_STRING = 255

/** Control characters, blanks other than the space, and what is shown as nothing. Engines differ at the edge: all of them read the escapes. */
const HIDDEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u
/** An escape, or one character. */
const MARKS = /\\[0-9]{3}|\\.|./gsu

const FATAL = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function marksOf(value: string): string[] {
  return Array.from(value.matchAll(MARKS), ([mark]) => mark)
}

/**
 * A value as it stands in a zone, in a form that a line of text carries. A plain text of a TXT record gets quotes where a
 * line would change it.
 */
export function recordText(type: string, value: string): string {
  if (type === 'TXT' && !value.startsWith('"')) return isPlainLine(value) ? value : quotedTexts(utf8(value))
  const isHidden = hiddenIn(value)
  return marksOf(value)
    .map((mark) => {
      const character = mark.length > 1 && mark.startsWith('\\') ? mark.slice(1) : mark
      return /^[0-9]{3}$/.test(character) || !isHidden(character) ? mark : decimalEscapes(utf8(character))
    })
    .join('')
}

/** Octets as quoted strings of at most 255 octets. */
export function quotedTexts(octets: Uint8Array): string {
  const strings: string[] = []
  for (let at = 0; at === 0 || at < octets.length; at += MAX_STRING)
    strings.push(quotedText(octets.subarray(at, at + MAX_STRING)))
  return strings.join(' ')
}

export function quotedText(octets: Uint8Array): string {
  return `"${charactersOf(octets, /["\\]/)}"`
}

/** Octets as a word without quotes. */
export function bareText(octets: Uint8Array): string {
  return charactersOf(octets, /["\\;()]/).replaceAll(' ', String.raw`\032`)
}

/** `special`: characters that take a backslash. */
function charactersOf(octets: Uint8Array, special: RegExp): string {
  const text = textOf(octets)
  const isHidden = hiddenIn(text ?? '')
  const characters = text === undefined ? Array.from(octets, (octet) => String.fromCharCode(octet)) : Array.from(text)
  return characters
    .map((character) => {
      if (special.test(character)) return `\\${character}`
      if (text === undefined)
        return character > '~' || isHidden(character) ? decimalEscape(character.charCodeAt(0)) : character
      return isHidden(character) ? decimalEscapes(utf8(character)) : character
    })
    .join('')
}

/** Marks of a text that is not in NFC are shown too: it would look like the one that is. */
function hiddenIn(text: string): (character: string) => boolean {
  const isComposed = text.normalize('NFC') === text
  return (character) => character !== ' ' && (HIDDEN.test(character) || (!isComposed && /\p{M}/u.test(character)))
}

function isPlainLine(value: string): boolean {
  return value !== '' && value.trim() === value && !Array.from(value).some(hiddenIn(value)) && value.isWellFormed()
}

function textOf(octets: Uint8Array): string | undefined {
  try {
    return FATAL.decode(octets)
  } catch {
    return undefined
  }
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function decimalEscapes(octets: Uint8Array): string {
  return Array.from(octets, decimalEscape).join('')
}

function decimalEscape(octet: number): string {
  return `\\${String(octet).padStart(3, '0')}`
}
