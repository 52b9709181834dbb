/**
 * Domain names in values: labels of octets between dots (RFC 1035, 5.1). An octet that host names lack is escaped; so is
 * a dot inside of a label. Texts made here have one spelling for each name, apart from the case of letters.
 */
import { concatBytes } from '../encoding/bytes.ts'
import { escapeAt, type Word } from './presentation.ts'

/** Longest name in text form without escapes and the closing dot (RFC 1035, section 2.3.4). */
export const MAX_NAME_CHARACTERS = 253
const MAX_LABEL_OCTETS = 63

/** Underscores stand anywhere: DNS has services and keys below such names (RFC 8552). */
const HOST_LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/i

/** The labels of a name of {@link domainName}, escapes kept. A closing dot leaves an empty one at the end. */
export function labelsOf(name: string): string[] {
  const labels = ['']
  for (const [mark] of name.matchAll(/\\[0-9]{3}|\\[^]|[^]/g)) {
    if (mark === '.') labels.push('')
    else labels.push(`${labels.pop() ?? ''}${mark}`)
  }
  return labels
}

/** Checks a name in a value, and returns it in its one spelling. `root`: whether `.` may mean "none". */
export function domainName({ text }: Word, root = false): string {
  // Quotes group, and are no part of the name.
  const written = text.replaceAll(/(\\[0-9]{3}|\\[^])|"/g, '$1')
  if (written === '@') return written
  if (written === '.') {
    if (root) return written
    throw new Error('the root is not a target here')
  }
  const labels = labelsOf(written)
  const isAbsolute = labels.length > 1 && labels.at(-1) === ''
  const named = isAbsolute ? labels.slice(0, -1) : labels
  const spelt = named.map((label) => speltLabel(label, written))
  const name = spelt.join('.')
  if (spelt.length === 0) throw notAName(written)
  if (nameLength(name) > MAX_NAME_CHARACTERS)
    throw new Error(`a domain name has at most ${MAX_NAME_CHARACTERS} characters`)
  return isAbsolute ? `${name}.` : name
}

function speltLabel(label: string, name: string): string {
  const octets = octetsOfLabel(label)
  if (octets.length === 0 || octets.length > MAX_LABEL_OCTETS) throw notAName(name)
  const spelt = Array.from(octets, speltOctet).join('')
  const isSpelt = /^[a-z0-9_-]*$/i.test(label.replaceAll(/\\[0-9]{3}|\\[^]/g, ''))
  if (!isSpelt || (!spelt.includes('\\') && !HOST_LABEL.test(spelt))) throw notAName(name)
  return spelt
}

function speltOctet(octet: number): string {
  const character = String.fromCharCode(octet)
  if (/[a-z0-9_-]/i.test(character)) return character
  // A backslash before some other characters means more to name servers: `\[` begins a bit string.
  return character === '.' ? String.raw`\.` : `\\${String(octet).padStart(3, '0')}`
}

/** The octets of one label as {@link labelsOf} gives it. */
export function octetsOfLabel(label: string): Uint8Array {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < label.length;) at = escapeAt(label, at, pieces)
  return concatBytes(...pieces)
}

/** Characters of a name without escapes and the closing dot: each octet is one. */
export function nameLength(name: string): number {
  const labels = labelsOf(name).filter((label) => label !== '')
  return labels.reduce((sum, label) => sum + octetsOfLabel(label).length + 1, -1)
}

/** The absolute form of a target, lower-case and without the closing dot; the root is the empty text. */
export function absoluteTarget(target: string, name: string): string {
  if (target === '@') return name
  if (target === '.') return ''
  const labels = labelsOf(target.toLowerCase())
  if (labels.at(-1) === '') return labels.slice(0, -1).join('.')
  return labels.length > 1 ? labels.join('.') : `${labels[0]!}.${name}`
}

/** The labels of a name in front of `above`: none for that name itself, undefined for one that is not below it. */
export function labelsBelow(name: string, above: string): string[] | undefined {
  const labels = labelsOf(name)
  const shared = labelsOf(above).length
  if (labels.slice(-shared).join('.') !== above) return undefined
  return labels.slice(0, -shared)
}

function notAName(text: string): Error {
  return new Error(`${JSON.stringify(text)} is not a domain name`)
}
