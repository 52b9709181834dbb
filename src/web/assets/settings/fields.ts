/** The fields of the configuration in groups, with the control and the words of each. Pure. */
import type { ConfigFieldView } from '../lib/api.ts'
import type { FieldError } from '../lib/http.ts'
import { hasWords } from '../lib/words.ts'
import type { Tone } from '../parts/basics.ts'
import type { Question } from '../parts/dialog.ts'

const SECTIONS: Readonly<Record<string, string>> = {
  '': 'Daemon',
  api: 'HTTP interface',
  p2p: 'Peers',
  beacon: 'Beacon',
  dns: 'DNS',
  https: 'https in browsers',
  vdf: 'Work',
  backup: 'Backup',
  seed: 'Seed',
  log: 'Log'
}

const sectionOf = (field: string): string => (field.includes('.') ? field.split('.')[0]! : '')

/** In the order above; a section that is new here comes last, under its own name. */
export function sectionsOf<Field extends Pick<ConfigFieldView, 'field'>>(
  fields: readonly Field[]
): { id: string; title: string; fields: Field[] }[] {
  const groups = Map.groupBy(fields, ({ field }) => sectionOf(field))
  return [...new Set([...Object.keys(SECTIONS), ...groups.keys()])]
    .map((id) => ({ id, title: SECTIONS[id] ?? id, fields: groups.get(id) ?? [] }))
    .filter((section) => section.fields.length > 0)
}

/** Those that have each word of the search. */
export const found = <Field extends Pick<ConfigFieldView, 'field' | 'help' | 'environment' | 'flag'>>(
  fields: readonly Field[],
  search: string
): Field[] =>
  fields.filter(({ field, help, environment, flag }) => hasWords(`${field} ${help} ${environment} ${flag}`, search))

interface Source {
  readonly word: string
  readonly tone: Tone
  readonly meaning: string
}

export const SOURCES: Readonly<Record<ConfigFieldView['source'], Source>> = {
  default: { word: 'default', tone: 'quiet', meaning: 'nobody has set it' },
  file: { word: 'file', tone: '', meaning: 'config.toml sets it' },
  environment: { word: 'environment', tone: '', meaning: 'a variable sets it' },
  flag: { word: 'flag', tone: '', meaning: 'an argument of chronymd sets it' },
  'run time': {
    word: 'set here',
    tone: 'accent',
    meaning: 'changed while the daemon runs; kept until it is taken back'
  }
}

const CONTROLS = { boolean: 'switch', list: 'list', number: 'number', string: 'text' } as const

export const controlOf = ({ kind, choices }: Pick<ConfigFieldView, 'kind' | 'choices'>) =>
  choices !== null ? 'select' : CONTROLS[kind]

/** A value as it is edited: a list has one entry a line. */
export const editText = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : String(value))

/** A value as it is read; what is empty is said. */
export function shownText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
  if (value === '') return 'not set'
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)
}

/** The value of what was typed; throws what is wrong with it. What fits together is the daemon's to say. */
export function parseEdit({ kind }: Pick<ConfigFieldView, 'kind'>, text: string): string | number | boolean | string[] {
  if (kind === 'boolean') return text === 'true'
  if (kind === 'list')
    return text
      .split(/[\n,]/)
      .map((item) => item.trim())
      .filter(Boolean)
  if (kind === 'string') return text
  if (text.trim() === '' || Number.isNaN(Number(text))) throw new Error('must be a number')
  return Number(text)
}

/** {'api.port': 1} -> {api: {port: 1}}, as POST /api/config takes it. */
export const patchOf = (field: string, value: unknown): object =>
  field
    .split('.')
    .reverse()
    .reduce((inner, key) => ({ [key]: inner }), value) as object

const tomlValue = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map((item) => JSON.stringify(item)).join(', ')}]` : JSON.stringify(value)

/** The lines of config.toml that set a field. */
export function tomlOf({ field, value }: Pick<ConfigFieldView, 'field' | 'value'>): string {
  const section = sectionOf(field)
  return `${section === '' ? '' : `[${section}]\n`}${field.split('.').at(-1)!} = ${tomlValue(value)}`
}

/** The error of a field among those of a problem: its path is the field, or below it. */
export const errorOf = (field: string, errors: readonly FieldError[]): string | undefined =>
  errors.find(({ path }) => `${path.replaceAll('/', '.')}.`.startsWith(`${field}.`))?.message

const EFFECTS: Readonly<Record<string, string>> = {
  'mode offline':
    'This node leaves the network: it answers no look-ups, and your names are not published again until it is back.',
  'mode light': 'This node stores and serves nothing for others any more. Its own names stay published.',
  'auto_renew false': 'Your names lapse unless you renew each of them in time.'
}

/** What is asked before a change that others notice; null where it does no harm. */
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
