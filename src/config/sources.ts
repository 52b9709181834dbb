import type { ConfigFieldView } from '../views/config.ts'
import {
  choicesOf,
  CONFIG_FIELDS,
  leafPaths,
  readPath,
  RUNTIME_FIELDS,
  type Config,
  type PartialConfig
} from './config.ts'

/** What a daemon was started with; all other values are defaults. */
export interface StartSources {
  readonly file: PartialConfig
  readonly environment: PartialConfig
  readonly flags: PartialConfig
}

interface RunTimeChanges {
  readonly overrides: PartialConfig
  /** Paths set by this run, which win over flags and environment until it ends. */
  readonly ofThisRun: ReadonlySet<string>
}

const NO_CHANGES: RunTimeChanges = { overrides: {}, ofThisRun: new Set() }

function startSource(path: string, { file, environment, flags }: StartSources): ConfigFieldView['source'] {
  if (readPath(flags, path) !== undefined) return 'flag'
  if (readPath(environment, path) !== undefined) return 'environment'
  return readPath(file, path) === undefined ? 'default' : 'file'
}

const DESCRIBED = new Map(CONFIG_FIELDS.map((field) => [field.path, field]))

/** Every field in the order of the schema. `started` is the configuration without any change at run time. */
export function configFields(
  config: Config,
  started: Config,
  sources: StartSources,
  { overrides, ofThisRun }: RunTimeChanges = NO_CHANGES
): ConfigFieldView[] {
  return leafPaths(config).map((field) => {
    const value = readPath(config, field)
    const source = startSource(field, sources)
    const { help, kind, flag, env } = DESCRIBED.get(field)!
    const about = {
      changeable: RUNTIME_FIELDS.has(field),
      help,
      kind,
      choices: choicesOf(field),
      flag: `--${flag}`,
      environment: env
    }
    const wins =
      ofThisRun.has(field) ||
      (readPath(overrides, field) !== undefined && source !== 'flag' && source !== 'environment')
    if (!wins) return { field, value, source, ...about }
    return { field, value, source: 'run time', ...about, otherwise: { value: readPath(started, field), source } }
  })
}
