/**
 * Names between the two spellings. In a master file a name without a closing dot is relative to $ORIGIN. In a zone's
 * value a name with a dot is absolute, a single label is relative to the apex, and `@` is the apex
 * (docs/protocol/wire.md, 14).
 */

/** Where the value of a type has names, by word from 0. */
const NAME_WORDS: Readonly<Record<string, readonly number[]>> = {
  CNAME: [0],
  NS: [0],
  PTR: [0],
  MX: [1],
  SRV: [3],
  SVCB: [1],
  HTTPS: [1]
}

/**
 * An absolute name in lower case, without the closing dot; the root is the empty text. `origin` is one. Throws Error
 * for what is no name.
 */
export function absoluteName(text: string, origin: string): string {
  if (text === '@') return origin
  if (text === '.') return ''
  if (/["\\]/.test(text)) throw new Error(`${text} is no name: quotes and escapes are not allowed in names`)
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const name = lower.endsWith('.') ? lower.slice(0, -1) : origin === '' ? lower : `${lower}.${origin}`
  if (name.split('.').some((label) => label === '' || label.length > 63))
    throw new Error(`${text} is no name: a label has 1 to 63 octets`)
  if (name.length > 253)
    throw new Error(`${text} is no name: it has more than 253 characters with the origin ${origin}`)
  return name
}

/** The label of an owner below the apex, `@` for the apex itself. Throws Error for a name outside. */
export function labelBelow(name: string, apex: string): string {
  if (name === apex) return '@'
  if (name.endsWith(`.${apex}`)) return name.slice(0, -apex.length - 1)
  throw new Error(`${name}. is outside of the zone ${apex}.`)
}

/** The words of a value with names as a zone has them. */
export function wordsForZone(type: string, words: readonly string[], origin: string, apex: string): string[] {
  return words.map((word, index) => {
    if (NAME_WORDS[type]?.includes(index) !== true) return word
    const name = absoluteName(word, origin)
    if (name === apex) return '@'
    const label = name.endsWith(`.${apex}`) ? labelBelow(name, apex) : '.'
    return label.includes('.') ? `${name}.` : label
  })
}

/** The words of a zone's value with names as a master file has them, whose $ORIGIN is the apex. */
export function wordsForFile(type: string, words: readonly string[]): string[] {
  return words.map((word, index) => {
    if (NAME_WORDS[type]?.includes(index) !== true) return word
    const lower = word.toLowerCase()
    return lower.includes('.') && !lower.endsWith('.') ? `${lower}.` : lower
  })
}
