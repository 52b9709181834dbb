/** The configuration at run time, the tasks and the registry, which serve each other. */
import type { Holdings } from '../backup/holdings.ts'
import type { Config } from '../config/config.ts'
import { createConfigService, type LiveConfig } from '../config/service.ts'
import type { StartSources } from '../config/sources.ts'
import type { Logger } from '../log.ts'
import type { NativePool } from '../native/types.ts'
import { roundTimeMs } from '../protocol/time/beacon-time.ts'
import { createContext, type RegistryContext, type RegistryParts } from '../registry/context.ts'
import { createClaimSteps } from '../registry/claims/steps.ts'
import { createRegistry } from '../registry/registry.ts'
import type { Registry } from '../registry/use-cases.ts'
import { createTaskManager, type TaskOptions } from '../registry/claims/manager.ts'
import type { ClaimTasks } from '../registry/tasks.ts'
import { saveOverrides, type StartConfig } from './config-overrides.ts'

export interface DaemonCore extends RegistryParts {
  readonly pool: NativePool
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
  holdings: Pick<Holdings, 'forget'>
): UseCases {
  const { store, log } = core
  const config = createConfigService({
    initial,
    overrides,
    sources,
    started,
    save: (next) => saveOverrides(store, next),
    async apply(next, previous) {
      log.level = next.log.level
      if (next.mode !== previous.mode) await registry.setMode(next.mode)
    }
  })
  const taskOptions = taskOptionsOf(config, initial)
  const parts = { ...core, listIn: () => config.current().backup.list_in, codes: initial.pins.codes }
  const context = createContext(parts)
  const tasks = createTasks(core, context, taskOptions, initial.data_dir)
  const registry = createRegistry(context, tasks, {
    automaticRenewal: () => config.current().auto_renew,
    slots: () => taskOptions.maxTasks,
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
  { store, pool, seed, beacon, profile, clock, log }: DaemonCore,
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
    seed,
    steps: createClaimSteps(context),
    options,
    clock,
    certainMs,
    log
  })
}
