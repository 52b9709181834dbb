/** The configuration at run time, the tasks and the registry, which serve each other. */
import { isDeepStrictEqual } from 'node:util'
import type { ClaimTasks } from '../registry/tasks.ts'
import type { Holdings } from '../backup/holdings.ts'
import { checkConfig, type Config, mergeConfig } from '../config/config.ts'
import { leafPaths, type PartialConfig, readPath, setPath } from '../config/dotted-path.ts'
import { removedSetting, type Warn } from '../config/removed.ts'
import { createConfigService, type LiveConfig, type StartSources } from '../config/service.ts'
import type { Farm } from '../farm/farm.ts'
import type { Logger } from '../log.ts'
import type { NativePool } from '../native/types.ts'
import { roundTimeMs } from '../protocol/time.ts'
import { createContext, type RegistryContext, type RegistryParts } from '../registry/context.ts'
import { createClaimSteps } from '../registry/claims/steps.ts'
import { createRegistry } from '../registry/registry.ts'
import type { Registry } from '../registry/use-cases.ts'
import { createTaskManager, type TaskOptions } from '../registry/claims/tasks.ts'
import { keys, lastPart, prefixes } from '../store/keys.ts'
import { readOrSetAside } from '../store/stored-shapes.ts'
import type { Store } from '../store/types.ts'

export interface DaemonCore extends RegistryParts {
  readonly pool: NativePool
  /** Undefined where the configuration names none. */
  readonly farm: Farm | undefined
  readonly log: Logger
}

export interface UseCases {
  readonly config: LiveConfig
  readonly tasks: ClaimTasks
  readonly registry: Registry
}

export function createUseCases(
  core: DaemonCore,
  { overrides, initial, started }: StartConfig,
  sources: StartSources,
  holdings: Pick<Holdings, 'forget'>,
  setHttps: (next: Config) => void
): UseCases {
  const { store, log } = core
  const config = createConfigService({
    initial,
    overrides,
    sources,
    started,
    save: (next) => saveOverrides(store, next),
    async apply(next, previous) {
      if (!isDeepStrictEqual(next.https, previous.https)) setHttps(next)
      log.level = next.log.level
      if (next.mode !== previous.mode) await registry.setMode(next.mode)
    }
  })
  const taskOptions = taskOptionsOf(config, initial)
  const parts = { ...core, codes: initial.pins.codes }
  const context = createContext(parts)
  const tasks = createTasks(core, context, taskOptions, initial.data_dir)
  const registry = createRegistry(context, tasks, {
    automaticRenewal: () => config.current().auto_renew,
    slots: () => taskOptions.maxTasks,
    farmRoom: () => core.farm?.room() ?? 0,
    giveUp: (nameOrDid) => holdings.forget(nameOrDid)
  })
  return { config, tasks, registry }
}

/** Read at each use, so that a change at run time counts from the next task on. */
function taskOptionsOf(config: LiveConfig, initial: Config): TaskOptions {
  return {
    get maxTasks() {
      return config.current().vdf.max_tasks
    },
    get queue() {
      return config.current().vdf.queue
    },
    checkpointSeconds: initial.vdf.checkpoint_seconds,
    memoryBytes: initial.vdf.memory_mib * 2 ** 20
  }
}

function createTasks(
  { store, pool, farm, seed, beacon, profile, clock, log }: DaemonCore,
  context: RegistryContext,
  options: TaskOptions,
  dataDir: string
): ClaimTasks {
  const certainMs = () => {
    const latest = beacon.latest()
    return latest === undefined ? 0 : roundTimeMs(latest.round, profile.beacon)
  }
  return createTaskManager({
    store,
    dataDir,
    pool,
    farm,
    seed,
    steps: createClaimSteps(context),
    options,
    clock,
    certainMs,
    log
  })
}

interface StartConfig {
  readonly overrides: PartialConfig
  readonly initial: Config
  readonly started: Config
}

/** The configuration that a daemon starts with. Throws SVC-CFG-001. */
export function readStartConfig(store: Store, dataDir: string, sources: StartSources, warn: Warn): StartConfig {
  const { file, environment, flags } = sources
  forgetRemovedOverrides(store, warn)
  const overrides = loadOverrides(store)
  const initial = checkConfig(
    { ...mergeConfig(file, overrides, environment, flags), data_dir: dataDir },
    'configuration'
  )
  const started = checkConfig({ ...mergeConfig(file, environment, flags), data_dir: dataDir }, 'configuration')
  return { overrides, initial, started }
}

function forgetRemovedOverrides(store: Store, warn: Warn): void {
  for (const [key] of [...store.list(prefixes.configOverrides)]) {
    const setting = removedSetting(lastPart(key))
    if (setting === undefined) continue
    warn(`${setting.path} was changed at run time, and was removed since: ${setting.now}. The change is forgotten`)
    store.batch([{ delete: key }])
  }
}

function loadOverrides(store: Store): PartialConfig {
  const overrides: PartialConfig = {}
  for (const [key, bytes] of store.list(prefixes.configOverrides)) {
    const override = readOrSetAside(store, key, bytes, (json) => overrideOf(lastPart(key), json))
    if (override !== undefined) setPath(overrides, lastPart(key), override.value)
  }
  return overrides
}

/** Throws for an unknown field or an invalid value. */
function overrideOf(path: string, json: Uint8Array): { readonly value: unknown } {
  const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json)) as unknown
  const alone: PartialConfig = {}
  setPath(alone, path, value)
  checkConfig(alone, 'a field changed at run time')
  return { value }
}

/** Replaces all of them. Throws StoreError. */
export function saveOverrides(store: Store, overrides: PartialConfig): void {
  const value = (path: string) => new TextEncoder().encode(JSON.stringify(readPath(overrides, path)))
  const kept = new Set(leafPaths(overrides).map((path) => keys.configOverride(path)))
  const unset = [...store.list(prefixes.configOverrides)].flatMap(([key]) => (kept.has(key) ? [] : [{ delete: key }]))
  store.batch([
    ...unset,
    ...leafPaths(overrides).map((path) => ({ put: keys.configOverride(path), value: value(path) }))
  ])
}
