/** The fields of the configuration in groups, with the control and the words of each. Pure. */
import type { ConfigFieldView } from '../lib/api.ts'
import type { FieldError } from '../lib/http.ts'
import type { Tone } from '../parts/basics.ts'
import type { Question } from '../parts/dialog.ts'

const SECTIONS: readonly (readonly [string, string])[] = [
  ['', 'Daemon'],
  ['api', 'HTTP interface'],
  ['p2p', 'Peers'],
  ['beacon', 'Beacon'],
  ['dns', 'DNS'],
  ['vdf', 'Work'],
  ['backup', 'Backup'],
  ['seed', 'Seed'],
  ['log', 'Log']
]

const sectionOf = (field: string): string => (field.includes('.') ? field.split('.')[0]! : '')
export const nameOf = (field: string): string => field.split('.').at(-1)!

/** In the order above; a section that is new here comes last, under its own name. */
export function sectionsOf<Field extends Pick<ConfigFieldView, 'field'>>(
  fields: readonly Field[]
): { id: string; title: string; fields: Field[] }[] {
  const known = new Map(SECTIONS)
  const ids = [...new Set([...known.keys(), ...fields.map(({ field }) => sectionOf(field))])]
  return ids
    .map((id) => ({
      id,
      title: known.get(id) ?? id,
      fields: fields.filter(({ field }) => sectionOf(field) === id)
    }))
    .filter((section) => section.fields.length > 0)
}

type Searched = Pick<ConfigFieldView, 'field' | 'help' | 'environment' | 'flag'>

/** `field: text` of each word that the search has; all without one. */
export function found<Field extends Searched>(fields: readonly Field[], search: string): Field[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const text = ({ field, help, environment, flag }: Searched) => `${field} ${help} ${environment} ${flag}`.toLowerCase()
  return fields.filter((field) => words.every((word) => text(field).includes(word)))
}

export const SOURCES: Readonly<Record<ConfigFieldView['source'], readonly [string, Tone]>> = {
  default: ['default', 'quiet'],
  file: ['file', ''],
  environment: ['environment', ''],
  flag: ['flag', ''],
  'run time': ['set here', 'accent']
}

export const controlOf = ({
  kind,
  choices
}: Pick<ConfigFieldView, 'kind' | 'choices'>): 'select' | 'switch' | 'list' | 'number' | 'text' =>
  choices !== null ? 'select' : ({ boolean: 'switch', list: 'list', number: 'number', string: 'text' } as const)[kind]

/** A value as it is edited: a list has one entry a line. */
export const editText = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : String(value))

/** A value as it is read; what is empty is said. */
export function shownText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
  if (value === '') return 'not set'
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)
}

/** `{value}` of what was typed, or `{error}`; what fits together is the daemon's to say. */
export function parseEdit(
  { kind }: Pick<ConfigFieldView, 'kind'>,
  text: string
): { value?: string | number | boolean | string[]; error?: string } {
  if (kind === 'boolean') return { value: text === 'true' }
  if (kind === 'list')
    return {
      value: text
        .split(/[\n,]/)
        .map((item) => item.trim())
        .filter(Boolean)
    }
  if (kind === 'number') {
    const number = Number(text)
    return text.trim() === '' || Number.isNaN(number) ? { error: 'must be a number' } : { value: number }
  }
  return { value: text }
}

/** {'api.port': 1} -> {api: {port: 1}}, as POST /api/config takes it. */
export function patchOf(field: string, value: unknown): object {
  return field
    .split('.')
    .reverse()
    .reduce((inner, key) => ({ [key]: inner }), value) as object
}

const tomlValue = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map((item) => JSON.stringify(item)).join(', ')}]` : JSON.stringify(value)

/** How a field that needs a restart is changed: the lines of config.toml, and its two other ways. */
export function elsewhere({
  field,
  value,
  flag,
  environment
}: Pick<ConfigFieldView, 'field' | 'value' | 'flag' | 'environment'>): Record<'toml' | 'flag' | 'environment', string> {
  const section = sectionOf(field)
  return {
    toml: `${section === '' ? '' : `[${section}]\n`}${nameOf(field)} = ${tomlValue(value)}`,
    flag,
    environment
  }
}

/** The error of a field among those of a problem: its path is the field, or below it. */
export const errorOf = (field: string, errors: readonly FieldError[]): string | undefined => {
  const dotted = (path: string) => path.replaceAll('/', '.')
  return errors.find(({ path }) => dotted(path) === field || dotted(path).startsWith(`${field}.`))?.message
}

const EFFECTS: Readonly<Record<string, string>> = {
  'mode offline':
    'This node leaves the network: it answers no look-ups, and your names are not published again until it is back.',
  'mode light': 'This node stores and serves nothing for others any more. Its own names stay published.',
  'auto_renew false': 'Your names lapse unless you renew each of them in time.'
}

/** For `ask`; null where the change does no harm. */
export function changeQuestion(field: string, value: unknown, next: unknown): Question | null {
  const effect = value === next ? undefined : EFFECTS[`${field} ${String(next)}`]
  return effect === undefined
    ? null
    : {
        title: `Set ${field} to ${next === false ? 'off' : String(next)}?`,
        lines: [effect],
        yes: 'Change it',
        no: 'Keep it'
      }
}
