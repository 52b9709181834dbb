/** The numbers of the first view. Pure. */
import type { BackupView, DnsView, OwnedNameView, SeedBody } from '../lib/api.ts'
import type { StatProps } from '../parts/basics.ts'
import { count, duration } from '../lib/words.ts'

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
