/**
 * Configuration while the daemon runs: shows it and its sources, changes what may change, remembers each change, and
 * undoes it.
 */
import type { ConfigFieldView } from '../views/config.ts'
import { ServiceError } from '../errors.ts'
import { checkConfig, choicesOf, type Config, CONFIG_FIELDS, mergeConfig, RUNTIME_FIELDS } from './config.ts'
import { leafPaths, type PartialConfig, readPath, setPath } from './dotted-path.ts'

interface ConfigServiceOptions {
  readonly initial: Config
  /** Changes of earlier runs that are already part of `initial`. */
  readonly overrides: PartialConfig
  readonly sources: StartSources
  /** The configuration from these, without any change at run time. */
  readonly started: Config
  /** Makes exactly these changes durable; called before they are applied. */
  save(overrides: PartialConfig): void
  /** What it throws leaves all as it was. */
  apply(next: Config, previous: Config): Promise<void>
}

/** Configuration at run time. `change` validates all before it applies any: SVC-CFG-001, SVC-CFG-002. */
export interface ConfigService {
  view(): Record<string, unknown>
  fields(): ConfigFieldView[]
  /**
   * Takes back what was set at run time, by this run or an earlier one; nothing happens to a field that was not.
   * SVC-CFG-001 for an unknown field.
   */
  unset(field: string): Promise<Record<string, unknown>>
  change(patch: unknown): Promise<Record<string, unknown>>
}

export interface LiveConfig extends ConfigService {
  current(): Config
}

/**
 * Checks the whole patch before any of it takes effect. Throws SVC-CFG-001 for an unknown or invalid field. Throws
 * SVC-CFG-002 for one that needs a restart; setting a field to its present value changes nothing.
 */
export function createConfigService(options: ConfigServiceOptions): LiveConfig {
  let config = options.initial
  let overrides = options.overrides
  // Changes are applied one after the other, so that `previous` is current when `apply` runs.
  let queue: Promise<unknown> = Promise.resolve()
  const ofThisRun = new Set<string>()

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = queue.then(work)
    queue = result.catch(() => undefined)
    return result
  }

  async function replace(next: Config, nextOverrides: PartialConfig): Promise<void> {
    const [formerOverrides, previous] = [overrides, config]
    options.save(nextOverrides)
    overrides = nextOverrides
    config = next
    try {
      await options.apply(next, previous)
    } catch (error) {
      overrides = formerOverrides
      config = previous
      options.save(formerOverrides)
      throw error
    }
  }

  async function unset(field: string): Promise<Record<string, unknown>> {
    if (!leafPaths(config).includes(field))
      throw new ServiceError('SVC-CFG-001', `nothing was changed: ${field}: unknown field`, {
        errors: [{ path: field, message: 'unknown field' }]
      })
    if (readPath(overrides, field) === undefined) return config
    const left: PartialConfig = {}
    for (const path of leafPaths(overrides)) if (path !== field) setPath(left, path, readPath(overrides, path))
    const next = structuredClone(config)
    setPath(next, field, readPath(options.started, field))
    await replace(next, left)
    ofThisRun.delete(field)
    return next
  }

  async function change(patch: unknown): Promise<Record<string, unknown>> {
    if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
      throw new ServiceError('SVC-CFG-001', 'The body must be an object of configuration fields.')
    }
    const given = patch as PartialConfig
    const next = checkConfig(mergeConfig(config, given), 'nothing was changed')
    const changed = leafPaths(given).filter(
      (path) => JSON.stringify(readPath(config, path)) !== JSON.stringify(readPath(next, path))
    )
    const fixed = changed.filter((path) => !RUNTIME_FIELDS.has(path))
    if (fixed.length > 0) {
      throw new ServiceError('SVC-CFG-002', `${fixed.join(', ')} cannot change while the daemon runs.`, {
        errors: fixed.map((path) => ({ path, message: 'needs a restart' }))
      })
    }
    if (changed.length > 0) {
      await replace(next, mergeConfig(overrides, given))
      for (const path of changed) ofThisRun.add(path)
    }
    return next
  }

  return {
    current: () => config,
    view: () => structuredClone(config),
    fields: () => structuredClone(configFields(config, options.started, options.sources, { overrides, ofThisRun })),
    change: (patch) => inTurn(() => change(patch)),
    unset: (field) => inTurn(() => unset(field))
  }
}

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
