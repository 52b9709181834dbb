/** The checks of `chronym doctor`; none of them changes anything. */
import { statSync } from 'node:fs'
import { VERSION } from '../version.ts'
import type { Context } from './context.ts'
import { messageOf } from './failure.ts'
import { daemonUrl, findToken, localConfig, localPaths } from './location.ts'
import { formatDuration, plural } from './terminal/format.ts'

export interface Finding {
  name: string
  state: 'ok' | 'warning' | 'failed'
  detail: string
  cure?: string
}

const PROBE_TIMEOUT_MS = 3_000
/** Pulses come every 3 s at most in the built-in networks; older ones mean that something is stuck. */
const STALE_PULSE_SECONDS = 60
/** Permission bits of group and others. */
const OTHERS = 0o077

async function failed(name: string, error: unknown): Promise<Finding> {
  const { toFailure } = await import('./to-failure.ts')
  const { message, cure } = toFailure(error)
  return { name, state: 'failed', detail: message, ...(cure === undefined ? {} : { cure }) }
}

/** Never amiss: on a Node that will not do, no command begins (main.ts). */
function checkNode(): Finding {
  return { name: 'node', state: 'ok', detail: `Node ${process.versions.node}, chronym ${VERSION}` }
}

async function checkAddon(): Promise<Finding> {
  try {
    const { addon } = await import('../native/addon.ts')
    const loaded = addon()
    return { name: 'addon', state: 'ok', detail: `version ${loaded.version()}, backend ${loaded.backend()}` }
  } catch (error) {
    return await failed('addon', error)
  }
}

async function checkConfiguration(context: Context): Promise<Finding> {
  try {
    const { network, mode } = localConfig(context)
    return { name: 'config', state: 'ok', detail: `network ${network}, mode ${mode}, data in ${localPaths(context).root}` }
  } catch (error) {
    return await failed('config', error)
  }
}

async function checkToken(context: Context): Promise<Finding> {
  try {
    if (findToken(context) === undefined) {
      return { name: 'token', state: 'warning', detail: `none at ${localPaths(context).token}`, cure: 'The daemon makes it at its first start; or give --data-dir or --token.' }
    }
    if (context.options.token !== undefined || context.env['CHRONYM_TOKEN'] !== undefined) return { name: 'token', state: 'ok', detail: 'given by flag or environment' }
    const { token } = localPaths(context)
    const open = process.platform !== 'win32' && (statSync(token).mode & OTHERS) !== 0
    return open ? { name: 'token', state: 'warning', detail: `${token} can be read by others`, cure: `chmod 600 ${token}` } : { name: 'token', state: 'ok', detail: token }
  } catch (error) {
    return await failed('token', error)
  }
}

async function get(url: string, token?: string): Promise<Response> {
  return fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS), ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }) })
}

interface Status {
  status: string
  peers: number
  network: string
  beacon: { round: number | null; age_seconds: number | null }
  /** Left out by daemons of before. */
  diversity?: { peers: number; prefixes: number; message: string | null } | null
}

async function checkDaemon(context: Context): Promise<Finding[]> {
  let url: string
  try {
    url = daemonUrl(context)
  } catch (error) {
    return [await failed('daemon', error)]
  }
  try {
    const response = await get(`${url}/api/network-status`)
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    const status = (await response.json()) as Status
    return [
      { name: 'daemon', state: 'ok', detail: `answers at ${url}, network ${status.network}` },
      await checkAccess(context, url),
      checkPeers(status),
      ...checkDiversity(status),
      checkBeacon(status),
      ...(await checkOwned(url))
    ]
  } catch (error) {
    return [{ name: 'daemon', state: 'failed', detail: `no daemon answers at ${url} (${messageOf(error)})`, cure: 'Start it with `chronym daemon`, or name its address with --api.' }]
  }
}

async function checkAccess(context: Context, url: string): Promise<Finding> {
  let token: string | undefined
  try {
    token = findToken(context)
  } catch (error) {
    return await failed('access', error)
  }
  const { status } = await get(`${url}/api/owned-names`, token)
  if (status === 200) return { name: 'access', state: 'ok', detail: 'the daemon takes the token' }
  return { name: 'access', state: 'failed', detail: `the daemon answers ${status} to this token`, cure: 'Is it the token of another daemon or data directory? `chronym token` shows it; see --data-dir.' }
}

function checkPeers({ status, peers }: Status): Finding {
  if (status === 'online') return { name: 'peers', state: 'ok', detail: `online, ${plural(peers, 'peer')}` }
  const cure =
    peers > 0
      ? 'Those connected cannot be asked: their network profile is another, or they are light. All daemons of a network need the same profile.'
      : 'Name peers to join through in p2p.bootstrap (--bootstrap); the log says which of those named cannot be reached.'
  return { name: 'peers', state: 'warning', detail: `${status}, ${plural(peers, 'peer')}`, cure }
}

const DIVERSITY_CURE = 'Name more bootstrap peers of other networks (--bootstrap). For a few machines use a profile with answers_per_prefix 0 or a smaller k: docs/network.md, "A young network".'

/** Nothing where the network counts no prefixes, and while nobody can be asked: that is said above. */
function checkDiversity({ status, diversity }: Status): Finding[] {
  if (!diversity || status !== 'online') return []
  const { peers, prefixes, message } = diversity
  if (message !== null) return [{ name: 'diverse', state: 'warning', detail: message, cure: DIVERSITY_CURE }]
  return [{ name: 'diverse', state: 'ok', detail: `${plural(peers, 'diverse peer')} in ${prefixes} /24 or /48` }]
}

function checkBeacon({ beacon: { round, age_seconds: age } }: Status): Finding {
  if (round === null || age === null) return { name: 'beacon', state: 'failed', detail: 'no verified pulse yet', cure: 'Check beacon.urls (--beacon-url) and the connection.' }
  if (age > STALE_PULSE_SECONDS) return { name: 'beacon', state: 'warning', detail: `the newest pulse (round ${round}) is ${formatDuration(age)} old`, cure: 'Check beacon.urls, the connection and the clock of this machine.' }
  return { name: 'beacon', state: 'ok', detail: `round ${round}, ${formatDuration(age)} old` }
}

const JOURNAL_CURE = 'The log names them; they are kept as they were, under `aside/` in the database. Start what is missing again; check the disk.'

/** What works but should be looked at, as the daemon sees it. */
async function checkOwned(url: string): Promise<Finding[]> {
  const { checks } = (await (await get(`${url}/readyz`)).json()) as { checks: { name: string; detail: string; warning?: boolean }[] }
  const finding = (name: string, cure: string): Finding => {
    const check = checks.find((each) => each.name === name)
    if (check?.warning !== true) return { name, state: 'ok', detail: check?.detail ?? 'not told' }
    return { name, state: 'warning', detail: check.detail, cure }
  }
  return [finding('journal', JOURNAL_CURE), finding('tasks', '`chronym tasks` says which, and why. They go on by themselves when what is missing is there again.'), finding('names', '`chronym names` says which, why, and what to do.')]
}

/** All checks, in the order in which one depends on the other. */
export async function diagnose(context: Context): Promise<Finding[]> {
  return [checkNode(), await checkAddon(), await checkConfiguration(context), await checkToken(context), ...(await checkDaemon(context))]
}
