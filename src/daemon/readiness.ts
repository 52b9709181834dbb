import type { ReadinessCheck } from '../views/readiness.ts'
import type { DnsResolver } from '../api/services.ts'
import type { Holdings } from '../backup/holdings.ts'
import type { BackupKeeper } from '../backup/kept/keeper.ts'
import type { BeaconClient } from '../beacon/types.ts'
import type { Network } from '../network/types.ts'
import type { Registry } from '../registry/use-cases.ts'
import type { TaskManager } from '../registry/tasks.ts'
import type { MissingView } from '../views/backup.ts'
import type { DnsView } from '../views/dns.ts'
import { plural } from '../util/words.ts'
import { socketAddressText } from '../config/socket-address.ts'

/** Without a new pulse for this many rounds the daemon is not ready. */
const STALE_BEACON_ROUNDS = 20

/** With less room on the disk no write is sure: a change of a name takes some pages of the database and of its log. */
const LEAST_FREE_BYTES = 2 ** 20

interface ReadinessSources {
  readonly network: Pick<Network, 'status' | 'canAsk'>
  readonly beacon: Pick<BeaconClient, 'latest' | 'now'>
  readonly tasks: Pick<TaskManager, 'unreadable' | 'list'>
  readonly registry: Pick<Registry, 'ownedNames'>
  readonly isSeedSafe: () => boolean
  readonly isSeedLocked: () => boolean
  readonly dns: Pick<DnsResolver, 'view'>
  /** Why the addon is missing, if it is. */
  readonly missingAddon?: string | undefined
  /** Free bytes for this user on the disk with the data directory. */
  readonly freeBytes: () => number
  /** Undefined where the configuration names no `backup.file`. */
  readonly backup?: Pick<BackupKeeper, 'status'> | undefined
  readonly holdings: Pick<Holdings, 'missing'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

interface Stored {
  /** Tasks that have neither ended nor are paused. */
  readonly working: number
  readonly stalled: readonly string[]
  readonly unsigned: number
  readonly unreadable: number
  readonly names: number
  readonly warned: number
}

/**
 * Whether each part works, as the interface answers: without `peers`, look-ups are SVC-RES-001. Counts names instead of
 * listing them: no token is needed here.
 */
export function checkReadiness({
  network,
  beacon,
  tasks,
  registry,
  isSeedSafe,
  isSeedLocked,
  dns,
  missingAddon,
  freeBytes,
  backup,
  holdings,
  now
}: ReadinessSources): ReadinessCheck[] {
  const stored = readStore({ tasks, registry })
  return [
    checkPeers(network),
    checkBeacon(beacon),
    ...('failure' in stored
      ? [{ name: 'store', ok: false, detail: stored.failure }]
      : checkStored(stored, freeBytes())),
    checkHoldings(holdings.missing()),
    checkSeed(isSeedSafe(), isSeedLocked(), 'failure' in stored ? 0 : stored.unsigned),
    ...(missingAddon === undefined ? [] : [NO_ADDON]),
    ...checkDns(dns.view()),
    ...(backup === undefined ? [] : [checkBackup(backup, now())])
  ]
}

/** Look-ups go on. Shows no path: no token is needed here. */
const NO_ADDON: ReadinessCheck = {
  name: 'addon',
  ok: true,
  detail: 'none: records are verified slowly, and nothing is registered or renewed (SVC-VDF-001)',
  warning: true
}

function checkPeers(network: ReadinessSources['network']): ReadinessCheck {
  const { status, peers } = network.status()
  return { name: 'peers', ok: network.canAsk(), detail: `${status}, ${peers} connected` }
}

function checkBeacon(beacon: ReadinessSources['beacon']): ReadinessCheck {
  const latest = beacon.latest()
  if (latest === undefined) return { name: 'beacon', ok: false, detail: 'no pulse yet' }
  const age = beacon.now() - latest.round
  return {
    name: 'beacon',
    ok: age <= STALE_BEACON_ROUNDS,
    detail: `round ${latest.round}, ${plural(age, 'round')} old`
  }
}

function checkStored({ working, stalled, unreadable, names, warned }: Stored, freeBytes: number): ReadinessCheck[] {
  const reasons = [...new Set(stalled)].join(', ')
  const isFull = freeBytes < LEAST_FREE_BYTES
  return [
    { name: 'store', ok: !isFull, detail: isFull ? 'readable, but its disk is full: nothing is saved' : 'readable' },
    warnedOf('journal', unreadable, 'readable', `${unreadable} unreadable record(s) set aside`),
    warnedOf('tasks', stalled.length, `${working} under way`, `${stalled.length} cannot continue: ${reasons}`),
    warnedOf('names', warned, `${names} owned, no warnings`, `${warned} of ${names} need attention`)
  ]
}

/** Look-ups go on without them. */
function checkHoldings(missing: readonly MissingView[]): ReadinessCheck {
  const counts = (['name', 'identity', 'task'] as const)
    .map((what) => [missing.filter((each) => each.what === what).length, what] as const)
    .flatMap(([count, what]) => (count === 0 ? [] : plural(count, what, PLURALS[what])))
  return warnedOf('holdings', missing.length, 'complete', `the database lost ${counts.join(', ')}`)
}

const PLURALS = { name: 'names', identity: 'identities', task: 'tasks' } as const

/** A locked seed is not a failure: look-ups and squaring continue. */
function checkSeed(isSafe: boolean, isLocked: boolean, unsigned: number): ReadinessCheck {
  const safety = isSafe ? 'kept elsewhere too' : 'no other copy is known'
  const waiting = unsigned === 0 ? 'no task waits for it' : `${unsigned} task(s) wait for a signature`
  if (isLocked) return { ...warnedOf('seed', 1, '', `locked, ${waiting}; ${safety}`), code: 'seed-locked' }
  return warnedOf('seed', isSafe ? 0 : 1, safety, safety)
}

/** Left out where DNS is off. Others don't rely on this daemon's DNS, so the check never fails. */
function checkDns({ enabled, listen, zone }: DnsView): ReadinessCheck[] {
  return enabled
    ? [warnedOf('dns', listen.length === 0 ? 1 : 0, `${zone} on ${dnsText(listen)}`, 'not started yet')]
    : []
}

/** Shows no path: no token is needed here. */
function checkBackup(backup: Pick<BackupKeeper, 'status'>, nowMs: number): ReadinessCheck {
  const { state, writtenMs, isPending, reason } = backup.status()
  const age =
    writtenMs === undefined ? 'not written yet' : `written ${Math.max(0, Math.round((nowMs - writtenMs) / 1000))} s ago`
  if (state === 'waiting') return warnedOf('backup', 0, `${age}, changes wait until the seed is unlocked`, '')
  if (state === 'missing') return warnedOf('backup', 1, '', `${age}, but missing now`)
  return warnedOf(
    'backup',
    state === 'failing' ? 1 : 0,
    isPending ? `${age}, changes wait` : age,
    `${age}, and it cannot be written now: ${reason ?? 'see the log'}`
  )
}

function readStore({ tasks, registry }: Pick<ReadinessSources, 'tasks' | 'registry'>): Stored | { failure: string } {
  try {
    const names = registry.ownedNames()
    const working = tasks.list().filter(({ status, paused }) => status === 'running' && !paused)
    return {
      working: working.length,
      stalled: working.flatMap(({ stalled }) => stalled?.code ?? []),
      unsigned: working.filter(({ stalled }) => stalled?.code === 'SVC-KEY-006').length,
      unreadable: tasks.unreadable(),
      names: names.length,
      warned: names.filter(({ warnings }) => warnings.length > 0).length
    }
  } catch (error) {
    return { failure: (error as Error).message }
  }
}

function warnedOf(name: string, problems: number, well: string, warning: string): ReadinessCheck {
  return problems === 0 ? { name, ok: true, detail: well } : { name, ok: true, detail: warning, warning: true }
}

export function dnsText(listen: DnsView['listen']): string {
  const transports = new Map<string, string[]>()
  for (const { transport, ...address } of listen) {
    const text = socketAddressText(address)
    transports.set(text, [...(transports.get(text) ?? []), transport])
  }
  return [...transports].map(([address, of]) => `${address} (${of.join(', ')})`).join(', ')
}
