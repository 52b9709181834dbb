import { expect, it } from 'vitest'

interface Figure {
  readonly value: string
  readonly word: string
  readonly tone?: string
}
const { nextRenewal, lastBackup, dnsUse } = (await import(
  new URL('../../../../src/web/assets/home/words.ts', import.meta.url).href
)) as {
  nextRenewal: (names: object[], nowMs: number) => Figure
  lastBackup: (backup: object, seed: object, nowMs: number) => Figure
  dnsUse: (dns: object) => Figure
}

const NOW = Date.parse('2026-11-21T12:00:00Z')
const name = (state: string, due: string | null) => ({ renewal: { state, due } })

it.each([
  [[], '–'],
  [[name('off', '2026-11-21T13:00:00Z')], '–'],
  [[name('scheduled', '2026-11-23T12:00:00Z'), name('scheduled', '2026-11-21T13:00:00Z')], '1 h'],
  [[name('scheduled', '2026-11-21T11:00:00Z')], 'now']
])('says when the next renewal is: %j', (names, value) => {
  expect(nextRenewal(names, NOW).value).toBe(value)
})

it.each([
  [{ kept: { written_at: '2026-11-21T10:00:00Z' } }, true, '2 h', undefined],
  [{ kept: { written_at: null } }, false, 'none', 'warn'],
  [{ kept: null }, false, 'none', 'warn'],
  [{ kept: null }, true, 'by hand', undefined]
])('says how old the last backup is: %j, kept elsewhere %s', (backup, isSafe, value, tone) => {
  const figure = lastBackup(backup, { kept_elsewhere: isSafe }, NOW)
  expect([figure.value, figure.tone]).toEqual([value, tone])
})

it.each([
  [{ enabled: false, stats: null }, 'off'],
  [{ enabled: true, stats: { queries: { udp: 0, tcp: 0 } } }, 'not yet'],
  [{ enabled: true, stats: { queries: { udp: 1200, tcp: 34 } } }, '1,234']
])('says whether anything asks by DNS: %j', (dns, value) => {
  expect(dnsUse(dns).value).toBe(value)
})
