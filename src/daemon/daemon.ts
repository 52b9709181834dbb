/** Builds everything, starts it in order and stops it in reverse: the only place that constructs services. */
import { randomInt, randomUUID } from 'node:crypto'
import { readAccessToken } from '../data-directory/access-token.ts'
import { existsSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { StartSources } from '../config/sources.ts'
import type { AppOptions } from '../api/app.ts'
import { createEventLog } from '../api/event-log.ts'
import { createIdempotency } from '../api/access/idempotency.ts'
import { serve } from '../api/serve.ts'
import { createTokenService } from '../api/access/tokens.ts'
import { configuredBackup } from '../backup/kept/configured.ts'
import { createKeeper } from '../backup/kept/create-keeper.ts'
import type { BackupKeeper } from '../backup/kept/keeper.ts'
import { createBeaconClient } from '../beacon/client.ts'
import { startDevBeacon } from '../beacon/dev-beacon.ts'
import {
  checkConfig,
  leafPaths,
  mergeConfig,
  P2P_PORT,
  readPath,
  setPath,
  type PartialConfig
} from '../config/config.ts'
import { createConfigService } from '../config/service.ts'
import { admitUnlocked, openDataDirectory } from '../data-directory/open.ts'
import { Lifecycle } from './lifecycle.ts'
import { createLogger } from '../log.ts'
import { createMetrics, observe } from './metrics.ts'
import { createNativePool } from '../native/pool/pool.ts'
import { loadProfile } from '../config/network-profile.ts'
import { defaultListenAddress } from '../network/transport/default-listen.ts'
import { createNetwork } from '../network/network.ts'
import { NODE_SEED_BYTES } from '../data-directory/node-key.ts'
import { dataPaths, defaultDataDir, makePrivateDirectory, writePrivateFile } from '../data-directory/paths.ts'
import { roundTimeMs } from '../protocol/time/beacon-time.ts'
import { DEV_BEACON_CHAIN } from '../protocol/profile/dev-beacon.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import { checkReadiness } from './readiness.ts'
import { createRegistry } from '../registry/registry.ts'
import { createTaskSteps } from '../registry/registration/task-steps.ts'
import { createRoundClock } from '../time/round-clock.ts'
import { writeRunningRecord } from '../data-directory/running-record.ts'
import { seedAtStart, type PassphraseSources } from './seed-at-start.ts'
import { isHalfSealed, seedForm } from '../data-directory/seed-files.ts'
import { SeedHolder } from '../registry/seed-holder.ts'
import { createSeedService } from './seed-service.ts'
import { isSeedSafe } from '../data-directory/seed-safety.ts'
import { keys, lastPart, prefixes } from '../store/keys.ts'
import { readOrSetAside } from '../store/read-or-set-aside.ts'
import type { Store } from '../store/types.ts'
import { systemClock as clock } from '../time/clock.ts'
import { taskEventDetail } from '../tasks/state/event-detail.ts'
import { createTaskManager } from '../tasks/manager.ts'
import { VERSION } from '../version.ts'

/** drand's public relays for quicknet (docs.drand.love). */
const PUBLIC_BEACONS = [
  'https://api.drand.sh',
  'https://api2.drand.sh',
  'https://api3.drand.sh',
  'https://drand.cloudflare.com'
]
/** Events that a late reader of GET /api/events still gets. */
const EVENTS_KEPT = 1_000
/** Steps of what `randomPart` gives. */
const RANDOM_STEPS = 2 ** 40
/** The words themselves are never logged. */
const NEW_SEED =
  'this directory has a new seed, to which all its names will belong: write its 24 words down, then check them'
const UNCHECKED_SEED =
  'only this directory is known to have the seed of its names: write the 24 words down, then check them'
const LOCKED_SEED =
  'the seed is locked: look-ups and squaring go on, and whatever needs a signature waits until it is unlocked'
const HALF_SEALED =
  'the words of the seed are in clear beside the sealed ones: setting or removing the passphrase was cut off; stop the daemon and run `chronym key passphrase` again'
/** One pulse in so long becomes an event. */
const PULSE_EVENT_INTERVAL_MS = 60_000

export interface StartOptions extends Pick<AppOptions, 'limits'> {
  /** Beside `seed.passphrase_file`, where a passphrase may come from. Default: nowhere. */
  readonly passphrase?: PassphraseSources
}

const NO_PASSPHRASE: PassphraseSources = { stdin: Readable.from([]), credentials: undefined, ask: undefined }

export interface RunningDaemon {
  readonly network: string
  /** What a user has to know about this network, where there is something. */
  readonly warning: string | undefined
  readonly apiUrl: string
  /** What a user has to know about that address, where there is something. */
  readonly apiWarning: string | undefined
  readonly addresses: string[]
  readonly peerId: string
  readonly dataDir: string
  readonly tokenFile: string
  readonly beaconUrls: readonly string[]
  /** The same for programs. */
  summary(): Record<string, unknown>
  stop(): Promise<void>
}

/** Fields changed at run time by earlier runs, one value a field. */
function loadOverrides(store: Store): PartialConfig {
  const overrides: PartialConfig = {}
  for (const [key, bytes] of store.list(prefixes.configOverrides)) {
    const override = readOrSetAside(store, key, bytes, (json) => overrideOf(lastPart(key), json))
    if (override !== undefined) setPath(overrides, lastPart(key), override.value)
  }
  return overrides
}

/** Throws where the value is not one of that field, or there is no such field. */
function overrideOf(path: string, json: Uint8Array): { readonly value: unknown } {
  const value = JSON.parse(new TextDecoder().decode(json)) as unknown
  const alone: PartialConfig = {}
  setPath(alone, path, value)
  checkConfig(alone, 'a field changed at run time')
  return { value }
}

function saveOverrides(store: Store, overrides: PartialConfig): void {
  const value = (path: string) => new TextEncoder().encode(JSON.stringify(readPath(overrides, path)))
  const kept = new Set(leafPaths(overrides).map((path) => keys.configOverride(path)))
  const unset = [...store.list(prefixes.configOverrides)].flatMap(([key]) => (kept.has(key) ? [] : [{ delete: key }]))
  store.batch([
    ...unset,
    ...leafPaths(overrides).map((path) => ({ put: keys.configOverride(path), value: value(path) }))
  ])
}

/** 0 <= x < 1; what is spread by it nobody can foresee. */
function randomPart(): number {
  return randomInt(RANDOM_STEPS) / RANDOM_STEPS
}

function warningOf(profile: NetworkProfile, bootstrap: readonly string[]): string | undefined {
  if (profile.scope !== 'public')
    return profile.scope === 'loopback' ? 'this machine only, promises no security' : 'promises no security'
  return bootstrap.length === 0 ? 'there are no public peers yet; name peers in p2p.bootstrap' : undefined
}

/**
 * Starts the daemon. Throws ServiceError, StoreError or ListenError with a message for people; what had started is
 * stopped again. The limits of `options` are for load generators, which the rate limits would stop.
 */
export async function startDaemon(
  { file, environment, flags }: StartSources,
  { passphrase = NO_PASSPHRASE, ...options }: StartOptions = {}
): Promise<RunningDaemon> {
  const early = checkConfig(mergeConfig(file, environment, flags), 'configuration')
  const keptBackup = configuredBackup(early)
  const log = createLogger(early.log.level)
  const life = new Lifecycle((what, error) => log.error({ err: error }, `${what} did not stop cleanly`))
  try {
    const profile = loadProfile(early.network)
    const paths = dataPaths(early.data_dir === '' ? defaultDataDir(profile.id) : early.data_dir)
    if (!existsSync(paths.root)) makePrivateDirectory(paths.root)
    let keeper: BackupKeeper | undefined
    const unsealed = await seedAtStart(paths, {
      file: early.seed.passphrase_file,
      sources: passphrase,
      warn: (message) => log.warn(message)
    })
    const { store, masterSeed, nodeKey, isSeedNew, isNodeKeyReplaced } = openDataDirectory(paths, profile, {
      unsealed,
      onSetAside: (key, reason) =>
        log.error(
          { key, reason },
          'a record of the database cannot be read; it is set aside as it is, and everything else goes on'
        ),
      onChange: (changed) => keeper?.changed(changed)
    })
    life.onStop('store', () => store.close())
    const holder = new SeedHolder(masterSeed)
    if (keptBackup !== undefined)
      keeper = createKeeper({
        ...keptBackup,
        paths,
        profile,
        seed: () => (seedForm(paths) === 'sealed' ? holder.require() : undefined),
        isReady: () => !holder.isLocked,
        log,
        clock
      })
    // After everything that writes has stopped.
    life.onStop('backup', () => keeper?.stop())
    life.onStop(
      'unlocking',
      holder.onUnlock(() => keeper?.resume())
    )
    if (isHalfSealed(paths)) log.warn({ clear: paths.seed, sealed: paths.sealedSeed }, HALF_SEALED)
    if (holder.isLocked) log.warn({ unlock: `chronym unlock --data-dir ${paths.root}` }, LOCKED_SEED)
    if (isNodeKeyReplaced)
      log.warn(
        { file: paths.nodeKey },
        'there was no node key: a new one is made, and peers see a new node; no name depends on it'
      )
    if (!isSeedSafe(paths))
      log.warn(
        { show: `chronym key show --data-dir ${paths.root}`, check: `chronym key check --data-dir ${paths.root}` },
        isSeedNew ? NEW_SEED : UNCHECKED_SEED
      )

    const overrides = loadOverrides(store)
    const initial = checkConfig(
      { ...mergeConfig(file, overrides, environment, flags), data_dir: paths.root },
      'configuration'
    )
    const started = checkConfig({ ...mergeConfig(file, environment, flags), data_dir: paths.root }, 'configuration')
    log.level = initial.log.level

    const warn = (message: string) => log.warn(message)
    const pool = createNativePool({
      evaluationThreads: initial.vdf.threads,
      provingThreads: initial.vdf.proving_threads,
      warn
    })
    life.onStop('worker pool', () => pool.close())

    let beaconUrls: readonly string[] = initial.beacon.urls
    if (beaconUrls.length === 0 && profile.beacon.chain_hash === DEV_BEACON_CHAIN.chain_hash) {
      const devBeacon = await startDevBeacon({ host: '127.0.0.1', port: 0, profileBeacon: profile.beacon })
      life.onStop('dev beacon', () => devBeacon.close())
      beaconUrls = [devBeacon.url]
    } else if (beaconUrls.length === 0) {
      beaconUrls = PUBLIC_BEACONS
    }
    const beacon = createBeaconClient({ chain: profile.beacon, urls: beaconUrls, pool, warn })

    const roundClock = createRoundClock(beacon, profile, store, () => clock.now())
    const network = createNetwork({
      profile,
      store,
      nodeSeed: nodeKey.secretKey.subarray(0, NODE_SEED_BYTES),
      beacon,
      pool,
      listen: initial.p2p.listen.length > 0 ? initial.p2p.listen : [await defaultListenAddress(profile, P2P_PORT)],
      bootstrap: initial.p2p.bootstrap,
      mode: initial.mode,
      log,
      storageBytes: initial.p2p.storage_mib * 2 ** 20,
      clock: roundClock
    })
    const core = { profile, store, network, beacon, pool, seed: holder, clock, roundClock, log, random: randomPart }
    const config = createConfigService({
      initial,
      overrides,
      sources: { file, environment, flags },
      started,
      save: (next) => saveOverrides(store, next),
      async apply(next, previous) {
        log.level = next.log.level
        if (next.mode !== previous.mode) await registry.setMode(next.mode)
      }
    })
    // Read at each use, so that a change at run time counts from the next task on.
    const taskOptions = {
      get maxTasks() {
        return config.current().vdf.max_tasks
      },
      get queue() {
        return config.current().vdf.queue
      },
      checkpointSeconds: initial.vdf.checkpoint_seconds,
      memoryBytes: initial.vdf.memory_mib * 2 ** 20
    }
    const certainMs = () => {
      const latest = beacon.latest()
      return latest === undefined ? 0 : roundTimeMs(latest.round, profile.beacon)
    }
    const tasks = createTaskManager({
      store,
      dataDir: paths.root,
      pool,
      steps: createTaskSteps(core),
      options: taskOptions,
      clock,
      certainMs,
      log
    })
    const registry = createRegistry(
      { ...core, tasks },
      { automaticRenewal: () => config.current().auto_renew, slots: () => taskOptions.maxTasks }
    )

    const events = createEventLog({ capacity: EVENTS_KEPT, now: () => clock.now() })
    const metrics = createMetrics()
    const instance = randomUUID()
    const services = {
      version: VERSION,
      instance,
      registry,
      tasks,
      tokens: createTokenService({
        store,
        prefix: prefixes.tokens,
        readMainToken: () => readAccessToken(paths.token),
        writeMainToken: (token) => writePrivateFile(paths.token, `${token}\n`),
        now: () => clock.now()
      }),
      config,
      seed: createSeedService({
        holder,
        paths,
        admit: (opened) => admitUnlocked(paths, profile, store, opened),
        tasks,
        registry,
        now: () => clock.now(),
        info: (message) => log.info(message),
        warn: (message) => log.warn(message)
      }),
      events,
      idempotency: createIdempotency({ store, prefix: prefixes.idempotency, now: () => clock.now() }),
      metrics,
      log,
      readiness: () =>
        checkReadiness({
          network,
          beacon,
          tasks,
          registry,
          isSeedSafe: () => isSeedSafe(paths),
          isSeedLocked: () => holder.isLocked,
          backup: keeper,
          now: () => clock.now()
        }),
      allowedHosts: () => [config.current().api.host, ...config.current().api.allowed_hosts],
      allowedOrigins: () => config.current().api.allowed_origins,
      now: () => clock.now()
    }

    life.onStop(
      'observers',
      observe(metrics, { network, beacon, tasks, registry, now: () => clock.now(), version: VERSION, backup: keeper })
    )
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
        // A pulse a second would push everything else out of what is kept.
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

    beacon.start()
    life.onStop('beacon', () => beacon.stop())
    await network.start()
    life.onStop('network', () => network.stop())
    await registry.start()
    life.onStop('registry', () => registry.stop())
    await tasks.start()
    life.onStop('tasks', () => tasks.stop())
    keeper?.start()
    const api = await serve(services, initial.api, options)
    life.onStop('http interface', () => api.close())
    if (api.warning !== undefined) log.warn(api.warning)
    // With it the command line finds a daemon on any port by its data directory alone.
    writeRunningRecord(paths, { url: api.url, instance })
    life.onStop('running record', () => rmSync(paths.running, { force: true }))

    const { peer_id: peerId } = network.status()
    log.info({ api: api.url, network: profile.id, peer_id: peerId }, 'started')
    const running: RunningDaemon = {
      network: profile.id,
      warning: warningOf(profile, initial.p2p.bootstrap),
      apiUrl: api.url,
      apiWarning: api.warning,
      addresses: network.listenAddresses(),
      peerId,
      dataDir: paths.root,
      tokenFile: paths.token,
      beaconUrls,
      summary: () => ({
        version: VERSION,
        network: running.network,
        api_url: running.apiUrl,
        token_file: running.tokenFile,
        data_dir: running.dataDir,
        peer_id: running.peerId,
        addresses: running.addresses,
        beacon_urls: running.beaconUrls
      }),
      stop: () => life.stop()
    }
    return running
  } catch (error) {
    await life.stop()
    throw error
  }
}
