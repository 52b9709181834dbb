/** What /metrics shows of the daemon; the HTTP interface adds its own histograms. */
import { isStillOurs } from '../views/own.ts'
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { DnsResolver } from '../api/services.ts'
import type { BackupKeeper } from '../backup/kept/keeper.ts'
import type { BeaconClient } from '../beacon/types.ts'
import type { Network } from '../network/types.ts'
import type { Registry as NameRegistry } from '../registry/use-cases.ts'
import { NAME_WARNING_CODES, type OwnedNameView } from '../views/own.ts'
import type { NetworkDiversityView } from '../views/network.ts'
import type { TaskManager } from '../registry/tasks.ts'
import type { TaskView } from '../views/task.ts'
import type { DnsView } from '../views/dns.ts'
import type { FarmView } from '../views/farm.ts'

export interface MetricSources {
  readonly network: Network
  readonly beacon: BeaconClient
  readonly tasks: TaskManager
  readonly registry: Pick<NameRegistry, 'ownedNames' | 'networkStatus'>
  readonly dns: Pick<DnsResolver, 'view'>
  /** Undefined where the configuration names none. */
  readonly farm?: (() => FarmView) | undefined
  readonly now: () => number
  readonly version: string
  /** Undefined where the configuration names no `backup.file`. */
  readonly backup?: Pick<BackupKeeper, 'status'> | undefined
}

const NAME_STATES = [
  'live',
  'grace',
  'lapsed',
  'changing',
  'contested',
  'lost',
  'changed',
  'sold'
] as const satisfies readonly OwnedNameView['state'][]
const RENEWAL_RESULTS = ['completed', 'failed', 'cancelled'] as const

const stateOf = (task: TaskView) => (task.status === 'running' ? (task.paused ? 'paused' : task.phase) : task.status)

/** Timer behind nodejs_eventloop_lag: its usual 10 ms wake an idle daemon a hundred times a second. */
const LAG_INTERVAL_MS = 100

/** Gauges read their value when they are scraped. Units are in the names, as Prometheus asks. */
export function createMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_INTERVAL_MS })
  return registry
}

export function observe(
  registry: Registry,
  { network, beacon, tasks, registry: names, dns, farm, now, version, backup }: MetricSources
): () => void {
  const registers = [registry]
  new Gauge({ name: 'chronym_info', help: 'Version of the daemon', labelNames: ['version'], registers }).set(
    { version },
    1
  )
  observeNetwork(registers, network, beacon)
  observeDiversity(registers, names)
  observeNames(registers, names, now)
  observeDns(registers, () => dns.view())
  if (backup !== undefined) observeBackup(registers, backup, now)
  observeTasks(registers, tasks)
  if (farm !== undefined) observeFarm(registers, farm)
  return countEnded(registers, tasks)
}

/** Absent where `value` gives undefined. */
function gauge(registers: Registry[], name: string, help: string, value: () => number | undefined): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      const present = value()
      this.remove()
      if (present !== undefined) this.set(present)
    }
  })
}

function observeNetwork(registers: Registry[], network: Network, beacon: BeaconClient): void {
  gauge(registers, 'chronym_peers', 'Connected peers', () => network.status().peers)
  new Gauge({
    name: 'chronym_mode',
    help: 'The mode in force, which auto decides by reach: 1 for one of full, light and offline',
    labelNames: ['mode'],
    registers,
    collect() {
      for (const mode of ['full', 'light', 'offline']) this.set({ mode }, Number(mode === network.status().mode))
    }
  })
  gauge(registers, 'chronym_records', 'Records held for the network', () => network.status().records)
  gauge(registers, 'chronym_beacon_round', 'Highest verified round of the beacon', () => beacon.latest()?.round ?? 0)
}

function observeTasks(registers: Registry[], tasks: TaskManager): void {
  new Gauge({
    name: 'chronym_tasks',
    help: 'Tasks by state',
    labelNames: ['state'],
    registers,
    collect() {
      this.reset()
      for (const task of tasks.list()) this.inc({ state: stateOf(task) })
    }
  })
  gauge(registers, 'chronym_squarings_per_second', 'Squarings per second of all running evaluations', () =>
    tasks.list().reduce((sum, task) => sum + (task.phase === 'evaluate' ? (task.iterations_per_second ?? 0) : 0), 0)
  )
}

export function observeFarm(registers: Registry[], view: () => FarmView): void {
  const farm = (name: string, help: string, value: (farm: FarmView) => number): void =>
    gauge(registers, name, help, () => value(view()))
  farm('chronym_farm_connected', 'Whether the server of the farm is reached', ({ connected }) => Number(connected))
  farm('chronym_farm_workers', 'Workers that may have work', ({ workers }) => workers.length)
  farm('chronym_farm_threads', 'Evaluations that they take at once', ({ workers }) =>
    workers.reduce((sum, { threads }) => sum + threads, 0)
  )
  farm('chronym_farm_tasks', 'Evaluations that this daemon has at the farm', ({ tasks }) => tasks)
  new Counter({
    name: 'chronym_farm_wrong_proofs_total',
    help: 'Proofs of workers that do not verify',
    registers,
    collect() {
      this.reset()
      this.inc(view().wrong_proofs)
    }
  })
}

function countEnded(registers: Registry[], tasks: TaskManager): () => void {
  const ended = new Counter({
    name: 'chronym_tasks_ended_total',
    help: 'Tasks that ended',
    labelNames: ['result'],
    registers
  })
  const renewals = new Counter({
    name: 'chronym_renewals_total',
    help: 'Renewals that ended',
    labelNames: ['result'],
    registers
  })
  // An alert on the increase needs the zero before it.
  for (const result of RENEWAL_RESULTS) renewals.inc({ result }, 0)
  return tasks.subscribe(({ type, task }) => {
    if (type !== 'completed' && type !== 'failed') return
    ended.inc({ result: type })
    if (task.kind === 'renew') renewals.inc({ result: task.error?.code === 'SVC-TSK-003' ? 'cancelled' : type })
  })
}

function observeDiversity(registers: Registry[], network: Pick<NameRegistry, 'networkStatus'>): void {
  const diverse = (name: string, help: string, value: (diversity: NetworkDiversityView) => number): void =>
    gauge(registers, name, `${help}; absent where the network limits no prefixes`, () => {
      const { diversity } = network.networkStatus()
      return diversity === null ? undefined : value(diversity)
    })
  diverse('chronym_diverse_peers', 'Diverse peers of the routing table', ({ peers }) => peers)
  diverse(
    'chronym_diverse_peers_missing',
    'Diverse peers that answers, settling and adoption lack',
    ({ missing }) => missing.peers
  )
}

function observeNames(registers: Registry[], names: Pick<NameRegistry, 'ownedNames'>, now: () => number): void {
  new Gauge({
    name: 'chronym_names',
    help: 'Names of this daemon by state',
    labelNames: ['state'],
    registers,
    collect() {
      for (const state of NAME_STATES) this.set({ state }, 0)
      for (const { state } of names.ownedNames()) this.inc({ state })
    }
  })
  new Gauge({
    name: 'chronym_name_warnings',
    help: 'Names of this daemon that need attention, by warning',
    labelNames: ['warning'],
    registers,
    collect() {
      for (const warning of NAME_WARNING_CODES) this.set({ warning }, 0)
      for (const { warnings } of names.ownedNames()) for (const { code: warning } of warnings) this.inc({ warning })
    }
  })
  gauge(
    registers,
    'chronym_nearest_lease_end_seconds',
    'Until the first lease of this daemon ends; below zero in its grace, absent without names',
    () => {
      const ends = names
        .ownedNames()
        .flatMap(({ state, lease_end: end }) => (isStillOurs(state) ? [Date.parse(end)] : []))
      return ends.length > 0 ? Math.round((Math.min(...ends) - now()) / 1000) : undefined
    }
  )
}

function observeBackup(registers: Registry[], backup: Pick<BackupKeeper, 'status'>, now: () => number): void {
  gauge(
    registers,
    'chronym_backup_age_seconds',
    'Since the file of backup.file was last written, at least once a day; absent before the first time',
    () => {
      const { writtenMs } = backup.status()
      return writtenMs === undefined ? undefined : Math.max(0, Math.round((now() - writtenMs) / 1000))
    }
  )
  new Counter({
    name: 'chronym_backup_failures_total',
    help: 'Attempts to write the file of backup.file that failed',
    registers,
    collect() {
      this.reset()
      this.inc(backup.status().failures)
    }
  })
}

type Stats = NonNullable<DnsView['stats']>

export function observeDns(registers: Registry[], view: () => Pick<DnsView, 'stats'>): void {
  const counter = (
    name: string,
    help: string,
    label: string,
    counts: (stats: Stats) => Record<string, number>
  ): void => {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset()
        const { stats } = view()
        if (stats !== null)
          for (const [value, count] of Object.entries(counts(stats))) this.inc({ [label]: value }, count)
      }
    })
  }
  const dns = (name: string, help: string, value: (stats: Stats) => number): void =>
    gauge(registers, name, help, () => {
      const { stats } = view()
      return stats === null ? undefined : value(stats)
    })
  counter('chronym_dns_queries_total', 'DNS queries by transport', 'transport', ({ queries }) => queries)
  counter('chronym_dns_answers_total', 'DNS answers by outcome', 'outcome', ({ answers }) => answers)
  counter('chronym_dns_cache_total', 'Uses of the DNS cache by result', 'result', ({ cache }) => cache)
  dns('chronym_dns_names', 'Names that the DNS server knows', ({ names }) => names)
  dns('chronym_dns_cache_bytes', 'Bytes of names and packed answers', ({ cache_bytes: bytes }) => bytes)
  dns('chronym_dns_waiting_queries', 'DNS queries that wait for a look-up', ({ waiting }) => waiting)
  dns('chronym_dns_connections', 'Open connections for DNS over TCP and TLS', ({ connections }) => connections)
}
