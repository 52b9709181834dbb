/** What a person types as a name. Pure: no element is touched here. */

/** The suffix of the built-in networks, for as long as no name of this daemon shows another. */
const DEFAULT_SUFFIX = '.chronym'

/** The network's suffix, as the names of this daemon have it. */
export function suffixOf(names) {
  const [first] = names
  return first === undefined ? DEFAULT_SUFFIX : first.slice(first.indexOf('.'))
}

/**
 * ` Alice.Chronym. ` -> `alice.chronym`. Only A-Z become small: other letters may turn into ASCII, and so into another
 * name.
 */
export function canonicalName(text) {
  return text
    .trim()
    .replace(/\.$/, '')
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** The name that a text without a dot may mean; undefined where it has one, or is empty. */
export function suggestedName(text, suffix) {
  const name = canonicalName(text)
  return name === '' || name.includes('.') ? undefined : `${name}${suffix}`
}
