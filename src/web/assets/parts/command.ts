/** Commands as a person can paste them. */
import type { ConfigFieldView } from '../lib/api.ts'
import { h } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { localTimes } from '../lib/words.ts'
import { Whole } from './basics.ts'

type Fields = readonly Pick<ConfigFieldView, 'field' | 'value' | 'source'>[]

/** As a shell reads it back: POSIX, or cmd and PowerShell for a path with a drive. */
function quoted(text: string): string {
  if (/^[\w@%+=:,./\\-]+$/.test(text) && (!text.includes('\\') || /^[A-Za-z]:/.test(text))) return text
  return /^[A-Za-z]:\\/.test(text) ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`
}

/**
 * `chronym` with what leads it to this daemon. `fields`: of GET /api/config/fields, undefined where they are not known.
 * The command line finds a directory by itself only where nobody chose it: a service may have variables and a file of
 * its own.
 */
export function program(fields: Fields = []): string {
  const isDefault = (name: string) => fields.every(({ field, source }) => field !== name || source === 'default')
  const directory = fields.find(({ field }) => field === 'data_dir')?.value
  return typeof directory !== 'string' || (isDefault('data_dir') && isDefault('network'))
    ? 'chronym'
    : `chronym --data-dir ${quoted(directory)}`
}

/** The same for a command that asks the daemon, on the computer of the page: elsewhere it needs the address. */
export function programHere(
  fields: Fields | undefined,
  { origin, hostname }: Pick<Location, 'origin' | 'hostname'>
): string {
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
  return isLocal ? program(fields) : `chronym --api ${origin}`
}

/** A sentence of the daemon, with what leads its commands there: after a colon, a bracket or a backtick. */
export const withProgram = (text: string, lead: string): string =>
  text.replace(/(^|[`(]|: )chronym (?=[a-z])/g, (_all, before: string) => `${before}${lead} `)

const useFields = (): Fields | undefined =>
  useResource(useMay('read') ? '/api/config/fields' : null, { every: Infinity }).data

/**
 * A command with a button that copies it. `words`: what follows `chronym`. `isHere`: for the computer of the page, not
 * only that of the daemon.
 */
export function Command({ words, isHere = false }: { words: string; isHere?: boolean }) {
  const fields = useFields()
  const lead = isHere ? programHere(fields, location) : program(fields)
  return h(Whole, { text: `${lead} ${words}`, what: 'command' })
}

/** What the daemon says, with times as this browser has them and commands as this daemon needs them. */
export const Told = ({ text }: { text: string }) => localTimes(withProgram(text, program(useFields())))
