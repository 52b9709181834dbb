import { existsSync, readFileSync } from 'node:fs'
import { configuredBackup } from '../../../backup/kept/create-keeper.ts'
import { configuredDns } from '../../../config/dns.ts'
import {
  checkConfig,
  CONFIG_FIELDS,
  configFromEnvironment,
  listOf,
  mergeConfig,
  type Config
} from '../../../config/config.ts'
import { type PartialConfig, readPath, setPath } from '../../../config/dotted-path.ts'
import type { Warn } from '../../../config/removed.ts'
import { unknownVariables } from '../../../config/unknown-variables.ts'
import { ServiceError } from '../../../errors.ts'
import { ERROR_TABLE } from '../../../error-table.ts'
import { type ConfigFile, configFileOf, readConfigFile } from '../../../config/config-file.ts'
import { ProblemError } from '../../../api/client/client.ts'
import { connect } from '../../connection/connect.ts'
import type { Context, CliCommand } from '../../context.ts'
import { EXIT, Failure, inputFailure, messageOf, usageFailure } from '../../failures/failure.ts'
import { loadNetwork, loadProfile } from '../../connection/location.ts'
import { formatFields, printable } from '../../terminal/format.ts'

/** Leaves of a configuration as `api.port` and their values. */
function flatten(value: unknown, prefix = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[prefix, value]]
  return Object.entries(value).flatMap(([key, inner]) => flatten(inner, prefix === '' ? key : `${prefix}.${key}`))
}

/**
 * `mode=light`, `vdf.threads=2`, `api.allowed_hosts=a,b` as the object to send, or one field and its value as two words.
 * Values are JSON where they parse as JSON, text otherwise; lists are JSON or have commas.
 */
function parseAssignments(words: readonly string[]): Record<string, unknown> {
  const [field, value, ...more] = words
  const isPair = field?.includes('=') === false && value !== undefined && more.length === 0
  const assignments = isPair ? [`${field}=${value}`] : words
  const patch = Object.create(null) as Record<string, unknown>
  for (const assignment of assignments) {
    const at = assignment.indexOf('=')
    if (at < 1) throw usageFailure(`"${assignment}" is not FIELD=VALUE`, 'Example: chronym config set mode=light')
    const name = assignment.slice(0, at)
    const path = name.split('.')
    const last = path.pop() ?? ''
    let target = patch
    for (const key of path) {
      const section: unknown = (target[key] ??= Object.create(null))
      if (typeof section !== 'object')
        throw usageFailure(
          `"${assignment}" sets a part of "${key}", which is set to a value before it`,
          'Example: chronym config set vdf.max_tasks=1 vdf.queue=10'
        )
      target = section as Record<string, unknown>
    }
    target[last] = parseValue(name, assignment.slice(at + 1))
  }
  return patch
}

const isList = (name: string): boolean => CONFIG_FIELDS.some(({ path, kind }) => path === name && kind === 'list')

function parseValue(name: string, text: string): unknown {
  if (isList(name) && !text.startsWith('[')) return listOf(text)
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function configText(config: unknown): string {
  return formatFields(
    flatten(config).map(([path, value]) => [path, printable(typeof value === 'string' ? value : JSON.stringify(value))])
  )
}

const added = (_field: string, list: readonly string[], entries: readonly string[]): string[] => [
  ...new Set([...list, ...entries])
]

/** Exit code 4 for an entry that is not there: a mistyped one stays allowed. */
function removed(field: string, list: readonly string[], entries: readonly string[]): string[] {
  const missing = entries.find((entry) => !list.includes(entry))
  if (missing === undefined) return list.filter((entry) => !entries.includes(entry))
  throw new Failure('SVC-CFG-001', `${field} has no entry "${missing}"; nothing was changed`, {
    exitCode: EXIT.notFound,
    cure: `\`chronym config get ${field}\` shows them.`
  })
}

function notAList(field: string): Failure {
  if (!CONFIG_FIELDS.some(({ path }) => path === field)) return noField(field)
  return usageFailure(`${field} has one value and no entries`, `Change it: \`chronym config set ${field}=VALUE\`.`)
}

/** Each field whose value is another one, a line each, with the former value. */
function changesText(before: unknown, after: unknown): string {
  const former = new Map(flatten(before).map(([path, value]) => [path, JSON.stringify(value)]))
  const changes = flatten(after).filter(([path, value]) => former.get(path) !== JSON.stringify(value))
  if (changes.length === 0) return 'nothing changed'
  return formatFields(
    changes.map(([path, value]) => [
      path,
      printable(`${JSON.stringify(value)} (before: ${former.get(path) ?? 'none'})`)
    ])
  )
}

/** A file that was named and cannot be read is a wrong command line, not a wrong configuration. */
function requireReadable(path: string): void {
  try {
    readFileSync(path)
  } catch (error) {
    throw inputFailure(
      `the configuration file ${path} can't be read: ${messageOf(error)}. Name one that is there`,
      undefined,
      error
    )
  }
}

/**
 * The configuration of a file and the environment, with a network that is known; a wrong one is the negative answer of
 * `config check`.
 */
async function checked(context: Context, given: ConfigFile, warn: Warn): Promise<Config> {
  try {
    const file = readConfigFile(given, warn)
    const config = checkConfig(
      mergeConfig(file, configFromEnvironment(context.env, warn)),
      given.path ?? 'configuration'
    )
    loadProfile(context, config.network)
    await configuredBackup(config)
    configuredDns(config)
    return config
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new Failure(error.code, error.message, {
      exitCode: EXIT.negative,
      errors: error.errors,
      cure: ERROR_TABLE[error.code].cure,
      cause: error
    })
  }
}

const noField = (field: string): Failure =>
  new Failure('SVC-CFG-001', `there is no field "${field}"`, {
    exitCode: EXIT.notFound,
    cure: '`chronym config get` shows them all.'
  })

export function addConfigCommands(program: CliCommand): void {
  const config = program.command('config').description("the daemon's configuration").helpCommand(false)

  config
    .command('get')
    .argument('[field]', 'such as mode or api.port; without one, all')
    .description('show the configuration of the running daemon')
    .runs(async (context, _options: unknown, field: string | undefined) => {
      const whole: unknown = await connect(context).config()
      const value = (field ?? '')
        .split('.')
        .filter((key) => key !== '')
        .reduce<unknown>(
          (inner, key) =>
            typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined,
          whole
        )
      if (value === undefined) throw noField(field ?? '')
      context.output.answer(value, () =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? configText(value)
          : printable(typeof value === 'string' ? value : JSON.stringify(value))
      )
    })

  config
    .command('set')
    .argument('<assignments...>', 'FIELD=VALUE, such as mode=light; or one FIELD and its VALUE')
    .description('change fields while the daemon runs')
    .runs(async (context, _options: unknown, assignments: string[]) => {
      const patch = parseAssignments(assignments)
      const client = connect(context)
      const before: unknown = await client.config()
      const changed: unknown = await client.changeConfig(patch)
      context.output.answer(changed, () => changesText(before, changed))
    })

  for (const [verb, description, edited] of [
    ['add', 'add entries to a list while the daemon runs', added],
    ['remove', 'take entries out of a list while the daemon runs', removed]
  ] as const)
    config
      .command(verb)
      .argument('<field>', 'a list, such as https.allow_private')
      .argument('<entries...>', 'one or more; several with commas between are several')
      .description(description)
      .runs(async (context, _options: unknown, field: string, entries: string[]) => {
        if (!isList(field)) throw notAList(field)
        const client = connect(context)
        const before: unknown = await client.config()
        const list = readPath(before, field)
        if (!Array.isArray(list)) throw noField(field)
        const patch: PartialConfig = {}
        setPath(patch, field, edited(field, list as string[], entries.flatMap(listOf)))
        const changed: unknown = await client.changeConfig(patch)
        context.output.answer(changed, () => changesText(before, changed))
      })

  config
    .command('unset')
    .argument('<fields...>', 'such as mode or vdf.queue')
    .description('undo `config set`: flag, environment, file or default apply again')
    .runs(async (context, _options: unknown, fields: string[]) => {
      const client = connect(context)
      const before: unknown = await client.config()
      let left: unknown
      for (const field of fields)
        left = await client.unsetConfig(field).catch((error: unknown) => {
          throw error instanceof ProblemError && error.code === 'SVC-CFG-001' ? noField(field) : error
        })
      context.output.answer(left, () => changesText(before, left))
    })

  config
    .command('check')
    .argument('[file]', 'default: config.toml of the user')
    .description('check a configuration file together with the environment; needs no daemon')
    .runs(async (context, _options: unknown, file: string | undefined) => {
      const given = configFileOf(context.env, file)
      const { path } = given
      if (path !== undefined && given.isNamed) requireReadable(path)
      const warnings = unknownVariables(context.env)
      const merged = await checked(context, given, (warning) => warnings.push(warning))
      const there =
        path !== undefined && existsSync(path)
          ? path
          : `no ${path ?? 'file without a home'}; the defaults and the environment hold`
      for (const warning of warnings) context.output.note(`• ${printable(warning)}`)
      context.output.answer(
        { valid: true, file: path ?? null, config: merged, warnings },
        (paint) => `${paint('green', 'valid')}: ${there}`
      )
    })

  config
    .command('profile')
    .argument('[network]', 'local, test, main, or a profile file; without one, the network of the configuration')
    .description('print the profile of a network, as a start for your own; needs no daemon')
    .runs((context, _options: unknown, network: string | undefined) => {
      const { profile, ...beside } = loadNetwork(context, network)
      const file = { ...profile, ...beside }
      context.output.plain(file, JSON.stringify(file, undefined, 2))
    })
}
