/** What the first view says: what needs the owner's attention, most urgent first, and its numbers. Pure. */
import type {
  BackupView,
  DnsView,
  NetworkStatusView,
  OwnedNameView,
  ReadinessBody,
  SeedBody,
  TaskView,
  ZoneDraft
} from '../lib/api.ts'
import { to } from '../lib/router.ts'
import { count, duration, plural } from '../lib/words.ts'
import type { StatProps, Tone } from '../parts/basics.ts'
import { seedNotice } from '../seed/words.ts'

export const STATUS_TONES: Readonly<Record<NetworkStatusView['status'], Tone>> = {
  online: 'good',
  connecting: 'warn',
  offline: 'bad'
}

export interface Matter {
  readonly key: string
  readonly tone: 'bad' | 'warn' | ''
  readonly title: string
  readonly text: string
  /** Where something can be done about it; `act` names that. */
  readonly href: string | undefined
  readonly act: string
}

const RANK = { bad: 0, warn: 1, '': 2 }

/** Checks of /readyz whose matter is told below in better words, or by a view of its own. */
const TOLD_ELSEWHERE = new Set(['seed', 'names', 'tasks'])

const CHECKS: Readonly<Record<string, readonly [title: string, href?: string]>> = {
  peers: ['No peers to ask', '#/network'],
  beacon: ['The beacon is behind', '#/network'],
  store: ['The store cannot be read'],
  journal: ['Records were set aside'],
  dns: ['DNS does not answer yet'],
  backup: ['The backup is not up to date', '#/seed'],
  holdings: ['The database lost something', '#/seed']
}

/** Each as its path answers, undefined where it is not known. */
interface Sources {
  readonly readiness?: Pick<ReadinessBody, 'checks'> | undefined
  readonly status?: (Pick<NetworkStatusView, 'mode'> & { diversity: { message: string | null } | null }) | undefined
  readonly names?: readonly Pick<OwnedNameView, 'name' | 'state' | 'warnings'>[] | undefined
  readonly seed?: Pick<SeedBody, 'state' | 'kept_elsewhere' | 'waiting'> | undefined
  readonly drafts?: readonly Pick<ZoneDraft, 'name' | 'owner'>[] | undefined
  readonly tasks?: readonly Pick<TaskView, 'task_id' | 'kind' | 'name' | 'stalled' | 'status'>[] | undefined
}

export function attention({ readiness, status, names = [], seed, drafts = [], tasks = [] }: Sources): Matter[] {
  const found: Matter[] = []
  const add = (tone: Matter['tone'], key: string, title: string, text: string, act: string, href?: string) =>
    found.push({ tone, key, title, text, act, href })
  for (const { name, ok, warning, detail } of readiness?.checks ?? []) {
    if ((ok && warning !== true) || TOLD_ELSEWHERE.has(name)) continue
    const [title, href] = CHECKS[name] ?? [name]
    add(ok ? 'warn' : 'bad', `check ${name}`, title, detail, 'Look', href)
  }
  const told = seed && seedNotice(seed)
  if (told !== undefined) {
    const waiting = told.waiting.length > 0 ? ` ${plural(told.waiting.length, 'signature')} wait.` : ''
    const [tone, act] = told.isLocked ? (['bad', 'Unlock'] as const) : (['warn', 'How to keep it'] as const)
    add(tone, 'seed', told.title, `${told.lines[0]}${waiting}`, act, '#/seed')
  }
  // What the daemon says of a name has the cure in it.
  for (const { name, state, warnings } of names)
    for (const { code, message } of warnings)
      add(
        state === 'live' || state === 'sold' ? 'warn' : 'bad',
        `name ${name} ${code}`,
        name,
        message,
        'Open',
        to('names', name)
      )
  for (const { task_id: id, kind, name, stalled, status: at } of tasks)
    if (at === 'running' && stalled !== null)
      add('warn', `task ${id}`, `The task to ${kind} ${name} waits`, stalled.message, 'Look', '#/tasks')
  if (status?.mode === 'offline') {
    const text = 'It asks no peers, publishes nothing and renews nothing.'
    add('warn', 'mode', 'The daemon is set offline', text, 'Settings', '#/settings')
  } else if (status?.diversity?.message != null)
    add('warn', 'diversity', 'The network is thin', status.diversity.message, 'Look', '#/network')
  for (const { name, owner } of drafts)
    if (owner === 'owned') {
      const text = 'A draft is saved here, which only this daemon sees.'
      add('', `draft ${name}`, `The zone of ${name} is not published`, text, 'Open', to('names', name))
    }
  return found.sort((a, b) => RANK[a.tone] - RANK[b.tone])
}

export function nextRenewal(
  names: readonly { renewal: Pick<OwnedNameView['renewal'], 'state' | 'due'> }[],
  nowMs: number
): StatProps {
  const dues = names.flatMap(({ renewal: { state, due } }) =>
    state === 'scheduled' && due !== null ? Date.parse(due) : []
  )
  const seconds = (Math.min(...dues) - nowMs) / 1000
  const value = dues.length === 0 ? '–' : seconds > 0 ? duration(seconds) : 'now'
  return { value, word: 'until the next renewal', href: '#/names' }
}

/** The daemon knows only whether a backup was made by hand, not how many. */
export function lastBackup(
  { kept }: { kept: Pick<NonNullable<BackupView['kept']>, 'written_at'> | null },
  { kept_elsewhere: isSafe }: Pick<SeedBody, 'kept_elsewhere'>,
  nowMs: number
): StatProps {
  const href = '#/seed'
  if (kept?.written_at != null)
    return { value: duration((nowMs - Date.parse(kept.written_at)) / 1000), word: 'since the last backup', href }
  if (isSafe) return { value: 'by hand', word: 'backup or words kept', href }
  return { value: 'none', word: 'backup yet', tone: 'warn', href }
}

type Counted = { readonly stats: Pick<NonNullable<DnsView['stats']>, 'queries'> | null }

/** Queries over the network protocols of DNS, since the start. */
export const queriesOf = ({ stats }: Counted): number =>
  Object.values(stats?.queries ?? {}).reduce((sum, each) => sum + each, 0)

/** Whether a resolver asks this daemon; it sees no more than the queries. */
export function dnsUse(dns: Pick<DnsView, 'enabled'> & Counted): StatProps {
  const href = '#/network'
  if (!dns.enabled) return { value: 'off', word: 'DNS', href }
  const queries = queriesOf(dns)
  return queries === 0
    ? { value: 'not yet', word: 'asked for a name by DNS', href }
    : { value: count(queries), word: 'DNS queries seen', href }
}
