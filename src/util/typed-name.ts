/**
 * A name as a person types it, spelt as the network has it. Uses nothing of Node, so that a page can load it too. Not
 * for the rules of the protocol: Unicode tables differ between engines.
 */
import punycode from 'punycode/punycode.js'

/** What a person typed can't be a name; the message says why. It quotes characters of the text as they are. */
export class TypedNameError extends Error {
  override readonly name = 'TypedNameError'
}

export interface TypedName {
  /** In lower case, without a closing dot, each label in ASCII. The daemon says whether the network takes it. */
  readonly name: string
  /** The same as people read it; undefined where that is the same text. */
  readonly unicode: string | undefined
}

const ACE_PREFIX = 'xn--'
/** As `chronym share` prints it, or as a browser does. Without `@`: before it is a user, not a host. */
const LINK = /^https?:\/\/([^/?#@:\\]+)(?::\d*)?(?:[/?#].*)?$/isu
/** A name, `--` and what the daemon reads as a check code (protocol/claim/check-code.ts). */
const CODED = /^(.*)--([a-z0-9]+)$/isu

/** The host of a link; any other text, trimmed, as it is. Throws TypedNameError for other links, and for a space. */
export function nameInLink(text: string): string {
  const trimmed = text.trim()
  const typed = LINK.exec(trimmed)?.[1] ?? trimmed
  if (typed.includes('://')) throw new TypedNameError('only http and https links that name no user are read')
  const [name = '', code] = typed.split(/\s+(.*)/su)
  if (code !== undefined && (!name.includes('.') || code.includes('.')))
    throw new TypedNameError('there is a space in it; only a check code follows one, behind the suffix')
  return typed
}

/**
 * `Bücher.`, or a link to it, as `xn--bcher-kva`. Labels beyond ASCII go by UTS #46 as the URL standard has it:
 * non-transitional, NFC, with CheckBidi and CheckJoiners. On top come CheckHyphens, UseSTD3ASCIIRules, letters and
 * digits alone (as IDNA 2008: no symbols, no emoji; joiners where RFC 5892, A.1 and A.2, has them), and the mix of scripts that UTS #39 calls highly restrictive. A
 * check code behind it does not belong to the name, and these rules don't apply to it. Throws TypedNameError.
 */
export function spellName(text: string): TypedName {
  const labels = nameInLink(text).split(/[.\u3002\uff0e\uff61]/u)
  if (labels.length > 1 && labels.at(-1) === '') labels.pop()
  const name = labels.map(spellLabel).join('.')
  const unicode = name.split('.').map(readableLabel).join('.')
  return { name, unicode: unicode === name ? undefined : unicode }
}

/** `bücher.chronym (xn--bcher-kva.chronym)`: for lists of names. */
export function bothForms(name: string): string {
  const unicode = name.split('.').map(readableLabel).join('.')
  return unicode === name ? name : `${unicode} (${name})`
}

function spellLabel(label: string): string {
  if (/^[\0-\x7f]*$/u.test(label)) return label.toLowerCase()
  const [, name, code] = CODED.exec(label) ?? []
  if (name !== undefined && code !== undefined) return spellCoded(spellLabel(name), code.toLowerCase())
  // A host of a URL is unescaped and cut at these first.
  if (!/^[A-Za-z0-9\-\u0080-\u{10ffff}]+$/u.test(label))
    throw new TypedNameError('apart from letters and digits, a name has hyphens alone')
  const ascii = hostOf(label)
  const readable = ascii === undefined ? '' : readableLabel(ascii)
  if (
    ascii === undefined ||
    !/^[a-z0-9-]+$/u.test(ascii) ||
    !/^(?:[\p{L}\p{M}\p{Nd}-]|\u200c|\u200d)+$/u.test(readable)
  )
    throw new TypedNameError(
      'it has characters that no name has, such as symbols, or letters in an order that names do not have (UTS #46)'
    )
  if (/^-|-$|^..--/u.test(readable))
    throw new TypedNameError('hyphens are not allowed at the start, at the end, or third and fourth')
  requireOneScript(readable)
  return ascii
}

function spellCoded(label: string, code: string): string {
  const coded = `${readableLabel(label)}--${code}`
  return label.startsWith(ACE_PREFIX) ? ACE_PREFIX + punycode.encode(coded) : coded
}

/** UTS #46 of the platform; undefined for what it refuses. The label behind keeps digits from being an IPv4 address. */
function hostOf(label: string): string | undefined {
  const url = `http://${label}.a`
  return URL.canParse(url) ? new URL(url).hostname.slice(0, -2) : undefined
}

function readableLabel(label: string): string {
  if (!label.startsWith(ACE_PREFIX)) return label
  try {
    return punycode.decode(label.slice(ACE_PREFIX.length)).toWellFormed() || label
  } catch {
    return label
  }
}

/** Those in common use (UAX #31, table 5). */
const SCRIPTS =
  'Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul Hebrew ' +
  'Hiragana Kannada Katakana Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'
/** Those that one language writes together (UTS #39, section 5.2). */
const TOGETHER = ['Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul']

const COMMON = String.raw`\p{scx=Common}\p{scx=Inherited}`
const scriptClass = (scripts: string): string => scripts.replaceAll(/\w+ ?/gu, (each) => `\\p{scx=${each.trim()}}`)
const ALLOWED = [...SCRIPTS.split(' '), ...TOGETHER].map(
  (each) => new RegExp(`^[${scriptClass(each)}${COMMON}]*$`, 'u')
)

function requireOneScript(label: string): void {
  if (ALLOWED.some((pattern) => pattern.test(label))) return
  const letters = Array.from(label).filter((letter) => !new RegExp(`[${COMMON}]`, 'u').test(letter))
  const scriptOf = (letter: string): string =>
    SCRIPTS.split(' ').find((script) => new RegExp(scriptClass(script), 'u').test(letter)) ??
    'a script not in common use'
  const scripts = [...new Set(letters.map(scriptOf))]
  throw new TypedNameError(
    scripts.length === 1
      ? `it has letters of ${scripts[0]}`
      : `it mixes letters of ${scripts.join(' and ')}: such a name can pass for another one`
  )
}
