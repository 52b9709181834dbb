/** JSON with one reading. */

/** Deepest nesting; an identity document in its wrapper needs 6. */
const MAX_DEPTH = 32

export class JsonError extends Error {
  override readonly name = 'JsonError'
}

/**
 * Parses JSON more strictly than JSON.parse. A member name may occur only once in an object: RFC 8259 leaves the
 * meaning open, and signed documents must not have two readings. `__proto__` is refused as a member name; nesting is bounded.
 * Throws JsonError, whose message begins with `what`.
 */
export function parseStrictJson(text: string, what: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new JsonError(`${what} is not JSON`, { cause })
  }
  checkStructure(text, what)
  return value
}

/** Walks a text that is known to be JSON, so that a string followed by a colon is a member name and nothing else. */
function checkStructure(text: string, what: string): void {
  const names: (Set<string> | undefined)[] = []
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!
    switch (sign) {
      case '{':
      case '[':
        if (names.length === MAX_DEPTH) throw new JsonError(`${what} is nested deeper than ${MAX_DEPTH} levels`)
        names.push(sign === '{' ? new Set() : undefined)
        break
      case '}':
      case ']':
        names.pop()
        break
      case '"': {
        const end = endOfString(text, at)
        if (isMemberName(text, end)) addName(names.at(-1), JSON.parse(text.slice(at, end + 1)) as string)
        at = end
        break
      }
      default:
    }
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

function isMemberName(text: string, end: number): boolean {
  let at = end + 1
  while (' \t\n\r'.includes(text[at] ?? '.')) at++
  return text[at] === ':'
}

function addName(names: Set<string> | undefined, name: string): void {
  if (name === '__proto__') throw new JsonError('The member name __proto__ is not accepted')
  if (names?.has(name) === true)
    throw new JsonError(`The member name ${JSON.stringify(name.slice(0, 64))} occurs twice in one object`)
  names?.add(name)
}
