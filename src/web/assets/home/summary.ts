/** The numbers of the first view: `{value, word, tone?, href}` each. Pure. */
import { count, duration } from '../lib/words.ts'

/** `names`: of GET /api/names. */
export function nextRenewal(names, nowMs) {
  const dues = names.flatMap(({ renewal: { state, due } }) =>
    state === 'scheduled' && due !== null ? Date.parse(due) : []
  )
  const seconds = (Math.min(...dues) - nowMs) / 1000
  const value = dues.length === 0 ? '–' : seconds > 0 ? duration(seconds) : 'now'
  return { value, word: 'until the next renewal', href: '#/names' }
}

/** Of GET /api/backup and GET /api/seed. Of backups made by hand the daemon knows only that there is one. */
export function lastBackup({ kept }, { kept_elsewhere: isSafe }, nowMs) {
  const href = '#/seed'
  if (kept?.written_at != null)
    return { value: duration((nowMs - Date.parse(kept.written_at)) / 1000), word: 'since the last backup', href }
  if (isSafe) return { value: 'by hand', word: 'backup or words kept', href }
  return { value: 'none', word: 'backup yet', tone: 'warn', href }
}

/** Queries over the network protocols of DNS, since the start. `dns`: of GET /api/dns. */
export const queriesOf = ({ stats }) => Object.values(stats?.queries ?? {}).reduce((sum, each) => sum + each, 0)

/** Whether a resolver asks this daemon; it sees no more than the queries. */
export function dnsUse(dns) {
  const href = '#/network'
  if (!dns.enabled) return { value: 'off', word: 'DNS', href }
  const queries = queriesOf(dns)
  return queries === 0
    ? { value: 'not yet', word: 'asked for a name by DNS', href }
    : { value: count(queries), word: 'DNS queries seen', href }
}
