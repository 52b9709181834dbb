import { describe, expect, it } from 'vitest'
import { owned, task } from '../fixtures.ts'
import { attention, dnsUse, lastBackup, nextRenewal } from '../../../../src/web/assets/home/words.ts'

type Sources = Parameters<typeof attention>[0]
const tasks = [task({ name: 'bob.chronym' })]
const seed = { state: 'unlocked', kept_elsewhere: true, waiting: [] } as const
const well: Sources = {
  readiness: { checks: [{ name: 'peers', ok: true, detail: 'online, 8 connected' }] },
  status: { mode: 'full', diversity: { message: null } },
  names: [{ name: 'alice.chronym', state: 'live', warnings: [] }],
  seed: { ...seed, waiting: [] },
  drafts: [],
  tasks
}
const found = (change: Sources) => attention({ ...well, ...change }).map(({ key, tone }) => `${tone} ${key}`)

describe('what needs attention', () => {
  it('is nothing while all is well, and while nothing is known', () => {
    expect(attention(well)).toEqual([])
    expect(attention({})).toEqual([])
  })

  it.each<[Sources, string[]]>([
    [
      { readiness: { checks: [{ name: 'beacon', ok: false, detail: 'round 7, 40 rounds old' }] } },
      ['bad check beacon']
    ],
    [
      { readiness: { checks: [{ name: 'backup', ok: true, warning: true, detail: 'missing now' }] } },
      ['warn check backup']
    ],
    [{ readiness: { checks: [{ name: 'seed', ok: true, warning: true, detail: '' }] } }, []],
    [{ seed: { ...seed, kept_elsewhere: false, waiting: [] } }, ['warn seed']],
    [{ seed: { ...seed, state: 'locked', waiting: [] } }, ['bad seed']],
    [
      { names: [{ name: 'a.chronym', state: 'grace', warnings: [{ code: 'grace', message: 'Renew it now.' }] }] },
      ['bad name a.chronym grace']
    ],
    [{ tasks: [{ ...tasks[0]!, stalled: { code: 'SVC-BCN-001', message: 'No pulse.' } }] }, ['warn task t']],
    [{ tasks: [task({ status: 'completed', stalled: { code: 'SVC-BCN-001', message: 'No pulse.' } })] }, []],
    [{ status: { mode: 'full', diversity: { message: 'Three more peers are needed.' } } }, ['warn diversity']],
    [{ status: { mode: 'offline', diversity: null } }, ['warn mode']],
    [{ drafts: [{ name: 'a.chronym', owner: 'owned' }] }, [' draft a.chronym']],
    [{ drafts: [{ name: 'a.chronym', owner: 'registering' }] }, []]
  ])('is %j: %j', (change, items) => {
    expect(found(change)).toEqual(items)
  })

  it('has the most urgent first, each with where to go', () => {
    const items = attention({
      ...well,
      drafts: [{ name: 'a.chronym', owner: 'owned' }],
      seed: { ...seed, kept_elsewhere: false, waiting: [] },
      readiness: { checks: [{ name: 'peers', ok: false, detail: 'offline, 0 connected' }] }
    })
    expect(items.map(({ tone }) => tone)).toEqual(['bad', 'warn', ''])
    for (const { title, text, href } of items)
      expect([title, text, href]).toEqual(Array(3).fill(expect.stringMatching(/./)))
  })
})

const NOW = Date.parse('2026-11-21T12:00:00Z')
const name = (state: 'off' | 'scheduled', due: string) => owned({}, { state, due })

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
