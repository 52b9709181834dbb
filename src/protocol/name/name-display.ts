/**
 * Rules for registering and showing internationalised names: IDNA2008 in its main points, mixed scripts, look-alikes.
 * They use the Unicode tables of the running Node, which differ between versions; so they say nothing about validity,
 * and a record never fails by them.
 */
import type { Name } from './names.ts'
import { labelOf, unicodeLabel } from './names.ts'

/** Scripts whose letters may stand together (UTS 39, "Highly Restrictive", with Latin). */
const SCRIPT_SETS: readonly (readonly string[])[] = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul']
]

/** Scripts in wide modern use (UAX 31, table 5). */
const RECOMMENDED_SCRIPTS = [
  'Arabic',
  'Armenian',
  'Bengali',
  'Bopomofo',
  'Cyrillic',
  'Devanagari',
  'Ethiopic',
  'Georgian',
  'Greek',
  'Gujarati',
  'Gurmukhi',
  'Han',
  'Hangul',
  'Hebrew',
  'Hiragana',
  'Kannada',
  'Katakana',
  'Khmer',
  'Lao',
  'Latin',
  'Malayalam',
  'Myanmar',
  'Oriya',
  'Sinhala',
  'Tamil',
  'Telugu',
  'Thaana',
  'Thai',
  'Tibetan'
] as const

const SCRIPT_PATTERNS = RECOMMENDED_SCRIPTS.map(
  (script) => [script, new RegExp(`\\p{Script_Extensions=${script}}`, 'u')] as const
)

/**
 * Letters that look like Latin ones: a label made of these alone passes for another (UTS 39, whole-script confusables).
 */
const LATIN_LOOKALIKES = /^[-0-9асԁеһіјӏорԛѕԝхуѵαοικνρυωϲϳ]+$/u

/** Why a name should neither be registered nor shown in Unicode; an empty list when nothing speaks against it. */
export function displayProblems(name: Name): string[] {
  const label = labelOf(name)
  const text = unicodeLabel(label)
  if (text === label) return []
  const problems: string[] = []
  if (text.normalize('NFC') !== text) problems.push('it is not in Unicode normal form C')
  if (text.toLowerCase() !== text) problems.push('it holds upper-case letters')
  if (!/^[\p{L}\p{M}\p{Nd}-]+$/u.test(text)) problems.push('it holds characters that are neither letters nor digits')
  if (/^\p{M}/u.test(text)) problems.push('it begins with a combining mark')
  if (!hasOneScript(text)) problems.push('it mixes scripts, or uses one that is not in wide use')
  if (LATIN_LOOKALIKES.test(text)) problems.push('all its letters look like Latin ones')
  return problems
}

/** A name as people may see it: in Unicode where nothing speaks against it, else as it is. */
export function displayName(name: Name): string {
  if (displayProblems(name).length > 0) return name
  const label = labelOf(name)
  return unicodeLabel(label) + name.slice(label.length)
}

function hasOneScript(text: string): boolean {
  const letters = Array.from(text).filter(
    (character) => !/[\p{Script=Common}\p{Script=Inherited}]/u.test(character) || /\p{L}/u.test(character)
  )
  const scriptsOf = letters.map((letter) =>
    SCRIPT_PATTERNS.filter(([, pattern]) => pattern.test(letter)).map(([script]) => script)
  )
  const sets = [...RECOMMENDED_SCRIPTS.map((script): readonly string[] => [script]), ...SCRIPT_SETS]
  return sets.some((set) => scriptsOf.every((scripts) => scripts.some((script) => set.includes(script))))
}
