/** Variables that look like settings and are none: a mistyped one would change nothing, and nobody would notice. */
import { CONFIG_FIELDS } from './config.ts'
import { spellings } from './dotted-path.ts'
import { REMOVED_SETTINGS } from './removed.ts'

/** Read by the command line, by `chronymd`, or by the addon. */
const BESIDE_SETTINGS = ['CHRONYM_API', 'CHRONYM_TOKEN', 'CHRONYM_CONFIG', 'CHRONYM_VDF_BACKEND', 'CHRONYM_VDF_STEPS']

/** Kubernetes sets them in each pod beside a service that is called chronym. */
const OF_KUBERNETES = /^CHRONYM_(?:[A-Z0-9_]+_)?(?:SERVICE_(?:HOST|PORT)|PORT_\d+_(?:TCP|UDP))(?:_[A-Z0-9_]+)?$/u

/** One sentence for each, with the variable that is nearest. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const real = [...CONFIG_FIELDS.map((field) => field.env), ...BESIDE_SETTINGS]
  const known = new Set([...real, ...REMOVED_SETTINGS.map((setting) => setting.env)])
  // A field with a short name has no variable of its whole path: CHRONYM_API_PORT means CHRONYM_PORT.
  const byPath = new Map(CONFIG_FIELDS.map((field) => [spellings(field.path).env, field.env]))
  return Object.keys(env)
    .filter((name) => name.startsWith('CHRONYM_') && env[name] !== undefined)
    .filter((name) => !known.has(name) && !OF_KUBERNETES.test(name))
    .map((name) => {
      const meant = byPath.get(name) ?? nearest(name, real)
      return `environment variable ${name} has no effect: there is no such setting. The nearest is ${meant}`
    })
}

function nearest(word: string, candidates: readonly string[]): string {
  // The program says it, so a text of any length costs no time.
  const start = word.slice(0, 64)
  return candidates.reduce((best, each) => (editDistance(start, each) < editDistance(start, best) ? each : best))
}

/** After Levenshtein, row by row. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, character] of Array.from(from).entries()) {
    const next = [index + 1]
    for (let at = 1; at <= to.length; at++)
      next.push(Math.min(next[at - 1]! + 1, row[at]! + 1, row[at - 1]! + (to[at - 1] === character ? 0 : 1)))
    row = next
  }
  return row[to.length]!
}
