/** Builds everything, starts it in order and stops it in reverse: services are constructed in this folder only. */
import { availableParallelism } from 'node:os'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import type { AppOptions } from '../api/app.ts'
import { serve, type ApiServer } from '../api/serve.ts'
import type { ReadinessCheck } from '../views/readiness.ts'
import { configuredBackup } from '../backup/kept/create-keeper.ts'
import type { BackupKeeper } from '../backup/kept/keeper.ts'
import { checkConfig, type Config, loadNetwork, mergeConfig, P2P_PORT } from '../config/config.ts'
import { configuredDns } from '../config/dns.ts'
import type { StartSources } from '../config/service.ts'
import { NODE_SEED_BYTES } from '../data-directory/key-files.ts'
import { dataPaths, defaultDataDir, type DataPaths } from '../data-directory/paths.ts'
import { makePrivateDirectory, requirePrivateDirectory } from '../data-directory/private-files.ts'
import { removeRunningRecord, writeRunningRecord } from '../data-directory/running-record.ts'
import { createLogger, type Logger } from '../log.ts'
import { withDaemon } from '../util/shell-commands.ts'
import { createNativePool } from '../native/pool/pool.ts'
import { createNetwork } from '../network/network.ts'
import type { NetworkOptions } from '../network/types.ts'
import { defaultListenAddresses } from '../network/transport/addresses.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import type { OpenedStore } from '../store/types.ts'
import { systemClock as clock, createRoundClock, savedLapseRound } from '../time/clock.ts'
import type { DnsView } from '../views/dns.ts'
import { VERSION } from '../version.ts'
import { observeAttention } from './attention-metrics.ts'
import { createUseCases, type DaemonCore, readStartConfig } from './create-use-cases.ts'
import { createFarm } from './create-farm.ts'
import { createBeacon } from './create-beacon.ts'
import { createDns } from './create-dns.ts'
import { createServices, type DaemonServices, forwardEvents } from './create-services.ts'
import { Lifecycle } from './lifecycle.ts'
import { observe } from './metrics.ts'
import { openDirectory, type OpenedDirectory } from './open-directory.ts'
import type { PassphraseSources } from './seed-service.ts'
import { proofCost } from './proof-cost.ts'
import { returnSpareMemory } from './spare-memory.ts'

const RANDOM_STEPS = 2 ** 40

/** Three looks at the file system. */
const FILES_CHECK_MS = 5_000

export interface StartOptions extends Pick<AppOptions, 'limits'> {
  /** Besides `seed.passphrase_file`, where a passphrase may come from. Default: nowhere. */
  readonly passphrase?: PassphraseSources
}

const NO_PASSPHRASE: PassphraseSources = { stdin: Readable.from([]), credentials: undefined, ask: undefined }

export interface RunningDaemon {
  readonly network: string
  /** A note about this network for users, if any. */
  readonly warning: string | undefined
  readonly apiUrl: string
  /** A note about that address for users, if any. */
  readonly apiWarning: string | undefined
  readonly addresses: string[]
  readonly peerId: string
  readonly dataDir: string
  /** The first start on a directory that had no seed. */
  readonly isSeedNew: boolean
  readonly tokenFile: string
  readonly beaconUrls: readonly string[]
  /** Empty where DNS is off. */
  readonly dns: DnsView['listen']
  summary(): Record<string, unknown>
  /** As `GET /readyz`. */
  readiness(): readonly ReadinessCheck[]
  warn(message: string): void
  /** Resolves once its data directory is lost, which is logged: stop it, since nothing that it writes stays. */
  readonly lost: Promise<void>
  stop(): Promise<void>
}

/** 0 <= x < 1; spreads what nobody should foresee. */
function randomPart(): number {
  return randomInt(RANDOM_STEPS) / RANDOM_STEPS
}

type BootstrapSettings = Pick<NetworkOptions, 'bootstrap' | 'bootstrapFile' | 'bootstrapKey' | 'resolvers' | 'mdns'>

function warningOf(profile: NetworkProfile, { bootstrap, bootstrapFile }: BootstrapSettings): string | undefined {
  if (profile.scope !== 'public')
    return profile.scope === 'loopback' ? 'this machine only, promises no security' : 'promises no security'
  return bootstrap.length === 0 && bootstrapFile === undefined
    ? 'there are no public peers yet; name peers in p2p.bootstrap'
    : undefined
}

/**
 * Starts the daemon. Throws ServiceError, StoreError or ListenError with a message for people; what had started is
 * stopped again.
 * The limits of `options` are for load generators, which the rate limits would stop.
 */
export async function startDaemon(
  sources: StartSources,
  { passphrase = NO_PASSPHRASE, ...options }: StartOptions = {}
): Promise<RunningDaemon> {
  const early = checkConfig(mergeConfig(sources.file, sources.environment, sources.flags), 'configuration')
  const keptBackup = await configuredBackup(early)
  configuredDns(early)
  const { profile, ...beside } = loadNetwork(early.network)
  const paths = dataPaths(early.data_dir === '' ? defaultDataDir(profile.id) : early.data_dir)
  // Who reads the log may be another user, whose own directory is another one.
  const log = createLogger(early.log.level, (text) => withDaemon(text, { dataDir: paths.root }))
  const life = new Lifecycle((what, error) => log.error({ err: error }, `${what} did not stop cleanly`))
  try {
    if (!existsSync(paths.root)) makePrivateDirectory(paths.root)
    requirePrivateDirectory(paths.root)
    const directory = await openDirectory({
      paths,
      profile,
      keptBackup,
      passphrase: { file: early.seed.passphrase_file, sources: passphrase },
      log,
      life
    })
    const { store, keeper } = directory
    const startConfig = readStartConfig(store, paths.root, sources, (warning) => log.warn(warning))
    const { initial } = startConfig
    log.level = initial.log.level

    const bootstrap = {
      bootstrap: [...initial.p2p.bootstrap, ...beside.bootstrap],
      bootstrapFile: initial.p2p.bootstrap_file === '' ? undefined : initial.p2p.bootstrap_file,
      bootstrapKey: initial.p2p.bootstrap_key === '' ? beside.bootstrap_key : initial.p2p.bootstrap_key,
      resolvers: initial.dns.forward,
      mdns: initial.p2p.mdns
    }
    const { core, beaconUrls } = await createCore({ initial, profile, bootstrap, directory, log, life })
    const useCases = createUseCases(core, startConfig, sources, directory.holdings, (next) =>
      dns.setProxy(configuredDns(next)?.proxy)
    )
    const dns = createDns({
      // its server is the addon's
      settings: core.pool.missingAddon === undefined ? configuredDns(initial) : undefined,
      profile,
      registry: useCases.registry,
      seed: directory.seed,
      store: directory.store,
      paths,
      now: () => clock.now(),
      log
    })
    const services = createServices(core, useCases, { paths, directory, dns: dns.resolver })
    const { network, beacon } = core
    life.onStop(
      'observers',
      observe(services.metrics, {
        network,
        beacon,
        ...useCases,
        dns: services.dns,
        farm: core.farm && services.farm,
        now: () => clock.now(),
        version: VERSION,
        backup: keeper
      })
    )
    observeAttention(services.metrics, {
      readiness: () => services.readiness(),
      beacon,
      registry: useCases.registry,
      dataDir: paths.root,
      now: () => clock.now()
    })
    forwardEvents(services.events, core, useCases, life)
    await startParts(core, services, keeper, life)
    await dns.start(services, life)
    life.onStop('spare memory', returnSpareMemory(clock))
    const api = await startApi(services, { paths, address: initial.api, options, life })
    const warning = warningOf(profile, bootstrap)
    const lost = watchFiles(store, log, life)
    const running = describe({
      core,
      api,
      services,
      warning,
      paths,
      isSeedNew: directory.isSeedNew,
      beaconUrls,
      lost,
      life
    })
    log.info({ api: api.url, network: profile.id, peer_id: running.peerId }, 'started')
    // Node itself writes it at the end, which a killed daemon does not reach.
    flushCompileCache()
    return running
  } catch (error) {
    await life.stop()
    throw error
  }
}

interface CoreParts {
  readonly initial: Config
  readonly profile: NetworkProfile
  /** Of the configuration and of the profile's file. */
  readonly bootstrap: BootstrapSettings
  readonly directory: OpenedDirectory
  readonly log: Logger
  readonly life: Lifecycle
}

/** Only the pool is started yet. */
async function createCore({
  initial,
  profile,
  bootstrap,
  directory: { store, seed, nodeKey },
  log,
  life
}: CoreParts): Promise<{ readonly core: DaemonCore; readonly beaconUrls: readonly string[] }> {
  const warn = (message: string) => log.warn(message)
  const pool = createNativePool({
    evaluationThreads: initial.vdf.threads,
    // Proving may use the core that squaring leaves free, and no more: vdf.threads bounds the load of this machine.
    provingThreads: Math.min(availableParallelism(), initial.vdf.threads + 1),
    warn
  })
  life.onStop('worker pool', () => pool.close())
  if (pool.missingAddon !== undefined)
    log.warn(
      { reason: pool.missingAddon },
      'there is no native addon: records are verified slowly, nothing is registered or renewed, and DNS is off'
    )
  const { beacon, beaconUrls } = await createBeacon({
    profile,
    urls: initial.beacon.urls,
    pool,
    warn,
    life,
    knownRound: savedLapseRound(store)
  })
  const roundClock = createRoundClock(beacon, profile, store, () => clock.now())
  const network = createNetwork({
    profile,
    store,
    nodeSeed: nodeKey.secretKey.subarray(0, NODE_SEED_BYTES),
    beacon,
    pool,
    proofMs: proofCost(pool, profile.discriminant_bits, warn),
    listen: initial.p2p.listen.length > 0 ? initial.p2p.listen : await defaultListenAddresses(profile, P2P_PORT),
    announce: initial.p2p.announce,
    mapPort: initial.p2p.map_port,
    ...bootstrap,
    mode: initial.mode,
    log,
    agent: `chronym/${VERSION}`,
    storageBytes: initial.p2p.storage_mib * 2 ** 20,
    clock: roundClock
  })
  const farm = await createFarm({ settings: initial.vdf, profile, pool, log })
  const core = { profile, store, network, beacon, pool, farm, seed, clock, roundClock, log, random: randomPart }
  return { core, beaconUrls }
}

/** Starts what works without requests, each after what it needs. */
async function startParts(
  { beacon, network, farm }: DaemonCore,
  { registry, tasks }: Pick<DaemonServices, 'registry' | 'tasks'>,
  keeper: BackupKeeper | undefined,
  life: Lifecycle
): Promise<void> {
  beacon.start()
  life.onStop('beacon', () => beacon.stop())
  await network.start()
  life.onStop('network', () => network.stop())
  await registry.start()
  life.onStop('registry', () => registry.stop())
  if (farm !== undefined) {
    await farm.start()
    life.onStop('farm', () => farm.close())
  }
  await tasks.start()
  life.onStop('tasks', () => tasks.stop())
  // Before the tasks: what the farm has goes on there.
  life.onStop('farm', () => farm?.leave())
  keeper?.start()
}

/** In the data directory, which is closed to others: whoever may connect may read the token there too. */
const API_SOCKET = 'api.sock'

interface ApiParts {
  readonly paths: DataPaths
  readonly address: Config['api']
  readonly options: Pick<AppOptions, 'limits'>
  readonly life: Lifecycle
}

async function startApi(services: DaemonServices, { paths, address, options, life }: ApiParts): Promise<ApiServer> {
  const api = await serve(services, { ...address, socket: resolve(paths.root, API_SOCKET) }, options)
  life.onStop('http interface', () => api.close())
  for (const warning of [api.warning, api.socketWarning]) if (warning !== undefined) services.log.warn(warning)
  // It leads the command line to a daemon on any port by its data directory alone.
  writeRunningRecord(paths, {
    url: api.url,
    socket: api.hasSocket ? API_SOCKET : undefined,
    instance: services.instance
  })
  life.onStop('running record', () => removeRunningRecord(paths, services.instance))
  return api
}

/** Resolves once a daemon on these files makes no sense any more. */
function watchFiles(store: OpenedStore, log: Logger, life: Lifecycle): Promise<void> {
  return new Promise((resolve) => {
    const end = clock.every(FILES_CHECK_MS, () => {
      const found = store.check()
      if (found === undefined) return
      if (!found.isFatal) {
        log.warn(found.message)
        return
      }
      end()
      log.error(`${found.message}: it stops, since what it writes would be lost`)
      resolve()
    })
    life.onStop('watch over the files', end)
  })
}

interface StartedParts {
  readonly isSeedNew: boolean
  readonly core: DaemonCore
  readonly services: Pick<DaemonServices, 'dns' | 'readiness' | 'log'>
  readonly api: ApiServer
  readonly warning: string | undefined
  readonly paths: DataPaths
  readonly beaconUrls: readonly string[]
  readonly lost: Promise<void>
  readonly life: Lifecycle
}

function describe({
  core: { profile, network },
  services,
  api,
  warning,
  paths,
  isSeedNew,
  beaconUrls,
  lost,
  life
}: StartedParts): RunningDaemon {
  const running: RunningDaemon = {
    network: profile.id,
    warning,
    apiUrl: api.url,
    apiWarning: api.warning,
    addresses: network.addresses().map(({ address }) => address),
    peerId: network.status().peer_id,
    dataDir: paths.root,
    isSeedNew,
    tokenFile: paths.token,
    beaconUrls,
    dns: services.dns.view().listen,
    summary: () => ({
      version: VERSION,
      network: running.network,
      api_url: running.apiUrl,
      token_file: running.tokenFile,
      data_dir: running.dataDir,
      peer_id: running.peerId,
      addresses: running.addresses,
      beacon_urls: running.beaconUrls,
      dns: running.dns
    }),
    readiness: () => services.readiness(),
    warn: (message) => services.log.warn(message),
    lost,
    stop: () => life.stop()
  }
  return running
}
