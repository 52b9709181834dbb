/** What needs the owner's attention, most urgent first. Pure. */
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
import { count, duration, plural } from '../lib/words.ts'
import type { StatProps } from '../parts/basics.ts'
import { seedNotice } from '../seed/words.ts'

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

const TITLES: Readonly<Record<string, string>> = {
  peers: 'No peers to ask',
  beacon: 'The beacon is behind',
  store: 'The store cannot be read',
  journal: 'Records were set aside',
  dns: 'DNS does not answer yet',
  backup: 'The backup is not up to date',
  holdings: 'The database lost something'
}
const LINKS: Readonly<Record<string, string>> = {
  peers: '#/network',
  beacon: '#/network',
  backup: '#/seed',
  holdings: '#/seed'
}

/** Each as its path answers, undefined where it is not known. */
interface Sources {
  readonly readiness?: ReadinessBody | undefined
  readonly status?: NetworkStatusView | undefined
  readonly names?: readonly OwnedNameView[] | undefined
  readonly seed?: SeedBody | undefined
  readonly drafts?: readonly ZoneDraft[] | undefined
  readonly tasks?: readonly TaskView[] | undefined
}

export function attention({ readiness, status, names = [], seed, drafts = [], tasks = [] }: Sources): Matter[] {
  const found = [
    ...ofChecks(readiness),
    ...ofSeed(seed),
    ...names.flatMap(ofName),
    ...tasks.flatMap(ofTask),
    ...ofStatus(status),
    ...drafts.flatMap(ofDraft)
  ]
  return found.sort((a, b) => RANK[a.tone] - RANK[b.tone])
}

const ofChecks = (readiness: Sources['readiness']): Matter[] =>
  (readiness?.checks ?? [])
    .filter(({ name, ok, warning }) => !(ok && warning !== true) && !TOLD_ELSEWHERE.has(name))
    .map(({ name, ok, detail }) => ({
      key: `check ${name}`,
      tone: ok ? 'warn' : 'bad',
      title: TITLES[name] ?? name,
      text: detail,
      href: LINKS[name],
      act: 'Look'
    }))

function ofSeed(seed: Sources['seed']): Matter[] {
  const told = seed === undefined ? undefined : seedNotice(seed)
  if (told === undefined) return []
  return [
    {
      key: 'seed',
      tone: told.isLocked ? 'bad' : 'warn',
      title: told.title,
      text: [told.lines[0], told.waiting.length > 0 && `${plural(told.waiting.length, 'signature')} wait.`]
        .filter(Boolean)
        .join(' '),
      href: '#/seed',
      act: told.isLocked ? 'Unlock' : 'How to keep it'
    }
  ]
}

/** What the daemon says of a name has the cure in it. */
const ofName = ({ name, state, warnings }: OwnedNameView): Matter[] =>
  warnings.map(({ code, message }) => ({
    key: `name ${name} ${code}`,
    tone: state === 'live' ? 'warn' : 'bad',
    title: name,
    text: message,
    href: `#/names/${encodeURIComponent(name)}`,
    act: 'Open'
  }))

const ofTask = ({ task_id: id, kind, name, stalled, status }: TaskView): Matter[] =>
  status === 'running' && stalled !== null
    ? [
        {
          key: `task ${id}`,
          tone: 'warn',
          title: `The task to ${kind} ${name} waits`,
          text: stalled.message,
          href: '#/tasks',
          act: 'Look'
        }
      ]
    : []

function ofStatus(status: Sources['status']): Matter[] {
  if (status === undefined) return []
  const { mode, diversity } = status
  if (mode === 'offline')
    return [
      {
        key: 'mode',
        tone: 'warn',
        title: 'The daemon is set offline',
        text: 'It asks no peers, publishes nothing and renews nothing.',
        href: '#/settings',
        act: 'Settings'
      }
    ]
  return diversity === null || diversity.message === null
    ? []
    : [
        {
          key: 'diversity',
          tone: 'warn',
          title: 'The network is thin',
          text: diversity.message,
          href: '#/network',
          act: 'Look'
        }
      ]
}

const ofDraft = ({ name, owner }: ZoneDraft): Matter[] =>
  owner === 'owned'
    ? [
        {
          key: `draft ${name}`,
          tone: '',
          title: `The zone of ${name} is not published`,
          text: 'A draft is saved here, which only this daemon sees.',
          href: `#/names/${encodeURIComponent(name)}`,
          act: 'Open'
        }
      ]
    : []

export function nextRenewal(names: readonly Pick<OwnedNameView, 'renewal'>[], nowMs: number): StatProps {
  const dues = names.flatMap(({ renewal: { state, due } }) =>
    state === 'scheduled' && due !== null ? Date.parse(due) : []
  )
  const seconds = (Math.min(...dues) - nowMs) / 1000
  const value = dues.length === 0 ? '–' : seconds > 0 ? duration(seconds) : 'now'
  return { value, word: 'until the next renewal', href: '#/names' }
}

/** Of backups made by hand the daemon knows only that there is one. */
export function lastBackup(
  { kept }: Pick<BackupView, 'kept'>,
  { kept_elsewhere: isSafe }: Pick<SeedBody, 'kept_elsewhere'>,
  nowMs: number
): StatProps {
  const href = '#/seed'
  if (kept?.written_at != null)
    return { value: duration((nowMs - Date.parse(kept.written_at)) / 1000), word: 'since the last backup', href }
  if (isSafe) return { value: 'by hand', word: 'backup or words kept', href }
  return { value: 'none', word: 'backup yet', tone: 'warn', href }
}

/** Queries over the network protocols of DNS, since the start. */
export const queriesOf = ({ stats }: Pick<DnsView, 'stats'>): number =>
  Object.values(stats?.queries ?? {}).reduce((sum, each) => sum + each, 0)

/** Whether a resolver asks this daemon; it sees no more than the queries. */
export function dnsUse(dns: Pick<DnsView, 'enabled' | 'stats'>): StatProps {
  const href = '#/network'
  if (!dns.enabled) return { value: 'off', word: 'DNS', href }
  const queries = queriesOf(dns)
  return queries === 0
    ? { value: 'not yet', word: 'asked for a name by DNS', href }
    : { value: count(queries), word: 'DNS queries seen', href }
}
