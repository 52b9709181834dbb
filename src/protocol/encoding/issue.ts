/** What a schema finds wrong with a file or a configuration, in words for the person who wrote it. */
import * as v from 'valibot'

type Issue = v.BaseIssue<unknown>

const MOST_SHOWN = 60

const KINDS: Readonly<Record<string, string>> = {
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  Array: 'a list',
  Object: 'an object'
}

/** Of the first issue: `lease: must be a number, not "7 days"`. */
export function faultOf([first, ...others]: readonly [Issue, ...Issue[]]): string {
  const path = v.getDotPath(first)
  const unknown = others.find((each) => each.expected === 'never' && parentOf(each) === parentOf(first))
  const meant = first.received === 'undefined' && unknown ? `, and ${v.getDotPath(unknown)} is unknown` : ''
  return `${path === null ? '' : `${path}: `}${reasonOf(first)}${meant}`
}

/** The fault without its path. A schema's own message stays as it is. */
export function reasonOf({ message, expected, received }: Issue): string {
  if (expected === 'never') return 'unknown field'
  if (!/^Invalid [a-z ]+: /.test(message)) return message
  if (received === 'undefined') return 'is missing'
  const shown = received.length > MOST_SHOWN ? `${received.slice(0, MOST_SHOWN)}...` : received
  const verb = message.startsWith('Invalid length') ? 'have a length of' : 'be'
  return `must ${verb} ${wordsOf(expected)}, not ${KINDS[shown] ?? shown}`
}

/** Of the library's `expected`: `>=1`, `("a" | "b")`, null for a safe integer. */
function wordsOf(expected: string | null): string {
  if (expected === null) return 'a whole number'
  const [, sign, bound] = /^([<>])=(-?\d+)$/.exec(expected) ?? []
  if (sign !== undefined) return sign === '>' ? `${bound} or more` : `at most ${bound}`
  return KINDS[expected] ?? expected.replace(/^\((.*)\)$/, '$1').replaceAll(' | ', ' or ')
}

function parentOf({ path }: Issue): unknown {
  return path?.at(-1)?.input
}
