/** What a person types as a name. Pure: no element is touched here. */

/** The suffix of the built-in networks, until the daemon has told its own. */
const DEFAULT_SUFFIX = '.chronym'
/** Octets of a label: RFC 1035, section 2.3.4. */
const MAX_OCTETS = 63

/** `zone`: of GET /api/dns, `chronym.` -> `.chronym`. */
export const suffixOf = (zone) => (zone === undefined ? DEFAULT_SUFFIX : `.${zone.replace(/\.$/, '')}`)

/** The scripts of living languages: UAX 31, table 5. */
const SCRIPTS = (
  'Latin Cyrillic Greek Arabic Hebrew Han Hiragana Katakana Hangul Bopomofo Armenian Bengali Devanagari Ethiopic ' +
  'Georgian Gujarati Gurmukhi Kannada Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'
).split(' ')
/** Those that one text may use together: the level "highly restrictive" of UTS 39, section 5.2. */
const TOGETHER = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul']
]
const within = (text, scripts) =>
  new RegExp(`^[\\p{sc=Common}\\p{sc=Inherited}${scripts.map((name) => `\\p{scx=${name}}`).join('')}]*$`, 'u').test(
    text
  )

/** Why a label may be taken for another one; undefined where all its letters are of one script. */
function mixedScripts(label) {
  if ([...SCRIPTS.map((name) => [name]), ...TOGETHER].some((scripts) => within(label, scripts))) return undefined
  const mixed = SCRIPTS.filter((name) => new RegExp(`\\p{sc=${name}}`, 'u').test(label))
  return mixed.length > 1
    ? `It mixes letters of ${mixed.slice(0, -1).join(', ')} and ${mixed.at(-1)}, which look alike: use one script.`
    : 'It has letters of a script that is in no everyday use, which look like others.'
}

/** `München` -> `xn--mnchen-3ya`, by UTS 46 as browsers do it for addresses; undefined for what they refuse. */
function asciiOf(label) {
  try {
    return new URL(`http:${label}.example`).hostname.replace(/\.example$/, '')
  } catch {
    return undefined
  }
}

function labelError(label) {
  if (label.length > MAX_OCTETS) return `It has ${label.length} octets before the suffix; at most ${MAX_OCTETS} fit.`
  if (!/^[a-z0-9-]*$/.test(label)) return 'Only letters, digits and hyphens are allowed.'
  if (/^-|-$/.test(label)) return 'A hyphen may be neither first nor last.'
  return undefined
}

/** A check code looks a claim up that is there: to register the part before it is for the person to decide. */
const CODED = 'Two hyphens come before a check code, which only looks a name up: to register one, leave both out.'

/**
 * What a text means as a name: `{name, shown, error}`. `name`: as the network spells it, ` Alice. ` -> `alice.chronym`;
 * `shown`: as people read it, where that differs; `error`: why it cannot be registered. Undefined for no text.
 * `own`: names of this daemon; `running`: names of running tasks.
 */
export function readName(text, suffix, { own = [], running = [] } = {}) {
  // The other full stops of UTS 46 too.
  const typed = text
    .trim()
    .replace(/[。．｡]/g, '.')
    .replace(/\.$/, '')
  if (typed === '') return undefined
  const at = typed.toLowerCase().endsWith(suffix) ? typed.length - suffix.length : typed.length
  const label = typed.slice(0, at)
  const wrong = (error) => ({ name: `${label}${suffix}`, error })
  if (label === '') return wrong(`Something must come before ${suffix}.`)
  if (label.includes('.'))
    return at === typed.length
      ? { name: typed.toLowerCase(), error: `Names of this network end with ${suffix}.` }
      : wrong(`A name is one label and ${suffix}: what is below it belongs to its zone.`)
  // What an address gives another meaning must not reach the parser.
  if (/[^a-z0-9-]/i.test(label.replace(/[^\0-\x7f]/g, '')))
    return wrong('Only letters, digits and hyphens are allowed.')
  const isAscii = /^[\0-\x7f]*$/.test(label)
  const ascii = isAscii ? label.toLowerCase() : asciiOf(label)
  if (ascii === undefined) return wrong('It has characters that no name may have.')
  const unicode = label.normalize('NFKC').toLowerCase()
  const name = `${ascii}${suffix}`
  const error =
    (/^(?!xn--).*--/.test(unicode) ? CODED : undefined) ??
    (isAscii ? undefined : mixedScripts(unicode)) ??
    labelError(ascii) ??
    (own.includes(name) ? 'It is yours already.' : undefined) ??
    (running.includes(name) ? 'A task for it is under way.' : undefined)
  return {
    name,
    ...(ascii.startsWith('xn--') && !isAscii && { shown: `${unicode}${suffix}` }),
    ...(error && { error })
  }
}
