/** Which names are valid and what they cost. Without Unicode tables, which differ between engine versions. */
// With the file's name: `punycode` alone is Node's deprecated module.
import punycode from 'punycode/punycode.js'
import { NameError } from '../errors.ts'
import type { NetworkProfile } from '../profile/profile.ts'

declare const nameBrand: unique symbol

/** A valid name of a network, `<label>.<tld>`, in its only spelling. */
export type Name = string & { readonly [nameBrand]: true }

/** Longest label, in octets of its A-label form (RFC 1035, section 2.3.4). */
export const MAX_LABEL_OCTETS = 63

export const ACE_PREFIX = 'xn--'
/** Comes before a check code (claim/check-code.ts), and so in no name. */
export const CODE_MARK = '--'
const LDH = /^[a-z0-9-]+$/
const NO_PUNYCODE = 'an xn-- label must hold punycode'

/**
 * Checks a name against the rules of the protocol.
 * Throws NameError: `invalid` (not a name of this network), `reserved` (the profile keeps the label), `not-open` (no
 * difficulty for this length). Normalises nothing: upper case and Unicode are invalid here.
 */
export function parseName(text: string, profile: NetworkProfile): Name {
  const label = splitName(text, profile)
  checkLabel(label)
  if (profile.reserved.includes(label))
    throw new NameError('reserved', `the label ${label} is reserved in network ${profile.id}`)
  if (factorFor(label, profile) === undefined) {
    throw new NameError(
      'not-open',
      `labels of ${label.length} octets are not open in network ${profile.id}; ` +
        `the shortest have ${profile.difficulty.by_length[0]!.from}`
    )
  }
  return text as Name
}

/**
 * Spells user input for {@link parseName}: A-Z in lower case, without one closing dot. Leaves other letters: some
 * non-ASCII letters have an ASCII lower case, and they make another name.
 */
export function canonicalName(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0x20)).replace(/\.$/, '')
}

export function labelOf(name: Name): string {
  return name.slice(0, name.indexOf('.'))
}

/** Exact squarings of a first claim of a name. */
export function iterationsFor(name: Name, profile: NetworkProfile): number {
  return profile.difficulty.base * factorFor(labelOf(name), profile)!
}

/** Exact squarings of a renewal: a share of the first claim's, rounded up. */
export function renewalIterations(name: Name, profile: NetworkProfile): number {
  return Math.ceil(iterationsFor(name, profile) / profile.renewal_divisor)
}

function factorFor(label: string, profile: NetworkProfile): number | undefined {
  return profile.difficulty.by_length.findLast((step) => label.length >= step.from)?.factor
}

function splitName(text: string, profile: NetworkProfile): string {
  const suffix = `.${profile.tld}`
  if (!text.endsWith(suffix))
    throw new NameError(
      'invalid',
      `a name of network ${profile.id} ends with ${suffix}${LDH.test(text) ? `: did you mean ${text}${suffix}?` : ''}`
    )
  const label = text.slice(0, -suffix.length)
  if (label.includes('.'))
    throw new NameError('invalid', `a name is one label and ${suffix}; what is below it belongs to its zone`)
  return label
}

function checkLabel(label: string): void {
  if (label.length === 0 || label.length > MAX_LABEL_OCTETS)
    throw new NameError('invalid', `a label has 1 to ${MAX_LABEL_OCTETS} octets, not ${label.length}`)
  if (!LDH.test(label)) throw new NameError('invalid', 'a label is made of lower-case letters a-z, digits and hyphens')
  if (label.startsWith('-') || label.endsWith('-'))
    throw new NameError('invalid', 'a label neither begins nor ends with a hyphen')
  if (label.startsWith(ACE_PREFIX)) checkAceLabel(label)
  else checkUnmarked(label)
}

/**
 * An A-label must decode to more than ASCII, and be the only encoding of its text. The library also accepts upper case,
 * other encodings and lone surrogates: these checks refuse them.
 */
function checkAceLabel(label: string): void {
  const encoded = label.slice(ACE_PREFIX.length)
  const decoded = decodePunycode(encoded)
  if (decoded === '' || !decoded.isWellFormed()) throw new NameError('invalid', NO_PUNYCODE)
  if (!/[\u0080-\u{10ffff}]/u.test(decoded))
    throw new NameError('invalid', 'an xn-- label must stand for more than ASCII')
  if (punycode.encode(decoded) !== encoded)
    throw new NameError('invalid', 'an xn-- label must be the encoding of what it decodes to')
  checkUnmarked(decoded)
}

function checkUnmarked(readable: string): void {
  if (readable.includes(CODE_MARK))
    throw new NameError(
      'invalid',
      `two hyphens come before a check code alone, which serves to look a name up; the name ends before them`
    )
}

/** Throws NameError `invalid`. */
export function decodePunycode(encoded: string): string {
  try {
    return punycode.decode(encoded)
  } catch (cause) {
    if (cause instanceof RangeError) throw new NameError('invalid', NO_PUNYCODE, { cause })
    throw cause
  }
}
