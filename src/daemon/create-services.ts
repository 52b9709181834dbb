import { statfsSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { createIdempotency } from '../api/access/idempotency.ts'
import { createTokenService } from '../api/access/tokens.ts'
import { createEventLog, type WritableEventLog } from '../api/event-log.ts'
import type { ApiServices, DnsResolver } from '../api/services.ts'
import { readAccessToken } from '../data-directory/access-token.ts'
import { admitUnlocked } from '../data-directory/open.ts'
import type { DataPaths } from '../data-directory/paths.ts'
import { writePrivateFile } from '../data-directory/private-files.ts'
import { isSeedSafe } from '../data-directory/seed-safety.ts'
import { prefixes } from '../store/keys.ts'
import { VERSION } from '../version.ts'
import type { BackupKeeper } from '../backup/kept/keeper.ts'
import type { BackupView } from '../views/backup.ts'
import { taskEventDetail } from '../registry/claims/ledger.ts'
import type { DaemonCore, UseCases } from './create-use-cases.ts'
import { NO_FARM } from '../views/farm.ts'
import { createMetrics } from './metrics.ts'
import { checkReadiness } from './readiness.ts'
import type { OpenedDirectory } from './open-directory.ts'
import { createSeedService } from './seed-service.ts'
import type { Lifecycle } from './lifecycle.ts'

/** Events that a late reader of GET /api/events still gets. */
const EVENTS_KEPT = 1_000

export interface DaemonServices extends ApiServices {
  readonly events: WritableEventLog
}

export function createServices(
  core: DaemonCore,
  { config, tasks, registry }: UseCases,
  {
    paths,
    directory: { keeper, seed, holdings },
    dns
  }: {
    readonly paths: DataPaths
    readonly directory: Pick<OpenedDirectory, 'keeper' | 'seed' | 'holdings'>
    readonly dns: DnsResolver
  }
): DaemonServices {
  const { profile, store, network, beacon, clock, log, pool, farm } = core
  const now = () => clock.now()
  return {
    version: VERSION,
    instance: randomUUID(),
    registry,
    tasks,
    tokens: createTokenService({
      store,
      prefix: prefixes.tokens,
      readMainToken: () => readAccessToken(paths.token),
      writeMainToken: (token) => writePrivateFile(paths.token, `${token}\n`),
      now
    }),
    config,
    seed: createSeedService({
      holder: seed,
      paths,
      admit: (opened) => admitUnlocked(paths, profile, store, opened),
      tasks,
      registry,
      now,
      info: (message) => log.info(message),
      warn: (message) => log.warn(message)
    }),
    dns,
    farm: () => farm?.view() ?? NO_FARM,
    backup: () => ({
      ...backupView(keeper, config.current().backup.file),
      missing: holdings.missing()
    }),
    events: createEventLog({ capacity: EVENTS_KEPT, now }),
    idempotency: createIdempotency({ store, prefix: prefixes.idempotency, now }),
    metrics: createMetrics(),
    log,
    readiness: () =>
      checkReadiness({
        network,
        beacon,
        tasks,
        registry,
        isSeedSafe: () => isSeedSafe(paths),
        isSeedLocked: () => seed.isLocked,
        dns,
        missingAddon: pool.missingAddon,
        freeBytes() {
          const { bavail, bsize } = statfsSync(paths.root)
          return bavail * bsize
        },
        backup: keeper,
        holdings,
        now
      }),
    allowedHosts: () => [config.current().api.host, ...config.current().api.allowed_hosts],
    allowedOrigins: () => config.current().api.allowed_origins,
    now
  }
}

/** `file`: of `backup.file`. Without a keeper the configuration names none. */
export function backupView(keeper: Pick<BackupKeeper, 'status'> | undefined, file: string): Pick<BackupView, 'kept'> {
  if (keeper === undefined) return { kept: null }
  const { state, writtenMs, isPending, failures, reason } = keeper.status()
  return {
    kept: {
      file,
      state,
      written_at: writtenMs === undefined ? null : new Date(writtenMs).toISOString(),
      pending: isPending,
      failures,
      reason: reason ?? null
    }
  }
}

const PULSE_EVENT_INTERVAL_MS = 60_000

/** Subscribes to each part; `life` ends it. */
export function forwardEvents(
  events: WritableEventLog,
  { network, beacon, clock, log }: DaemonCore,
  { tasks, registry }: Pick<UseCases, 'tasks' | 'registry'>,
  life: Lifecycle
): void {
  life.onStop(
    'events',
    network.subscribe(({ type, detail }) => events.append(type, detail))
  )
  life.onStop(
    'events',
    registry.subscribe(({ type, detail }) => events.append(type, detail))
  )
  let saidAtMs = -Infinity
  life.onStop(
    'events',
    beacon.on('pulse', ({ round }) => {
      // A pulse a second would push everything else out of the log.
      if (clock.now() - saidAtMs < PULSE_EVENT_INTERVAL_MS) return
      saidAtMs = clock.now()
      events.append('beacon:pulse', { round })
    })
  )
  life.onStop(
    'events',
    tasks.subscribe(({ type, task }) => {
      if (type === 'progress') return
      events.append(`task:${type}`, taskEventDetail(task))
      // A failure is logged with its cause where it happens.
      if (type !== 'failed') log.info({ name: task.name, task: task.task_id }, `${task.kind}: ${task.phase}`)
    })
  )
}
