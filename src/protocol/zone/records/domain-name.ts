/**
 * Domain names in values. A name with a dot is absolute, with or without its closing dot, since leaving that out is the
 * commonest mistake in zones. A single label is relative to the apex, and `@` is the apex.
 */

const LABEL = /^_?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i

/** Longest name in text form, without the closing dot (RFC 1035, section 2.3.4). */
export const MAX_NAME_CHARACTERS = 253

/** Checks a name in a value and returns it unchanged. `root`: whether `.` may mean "none". */
export function domainName(text: string, root = false): string {
  if (text === '@') return text
  if (text === '.') {
    if (root) return text
    throw new Error('the root is no target here')
  }
  const bare = text.endsWith('.') ? text.slice(0, -1) : text
  if (bare.length > MAX_NAME_CHARACTERS) throw new Error(`a domain name has at most ${MAX_NAME_CHARACTERS} characters`)
  for (const label of bare.split('.')) {
    if (label.length > 63 || !LABEL.test(label)) throw new Error(`${JSON.stringify(text)} is no domain name`)
  }
  return text
}

/** The absolute form of a target, lower-case and without the closing dot; the root is the empty text. */
export function absoluteTarget(target: string, name: string): string {
  if (target === '@') return name
  if (target === '.') return ''
  const lower = target.toLowerCase()
  if (lower.endsWith('.')) return lower.slice(0, -1)
  return lower.includes('.') ? lower : `${lower}.${name}`
}
