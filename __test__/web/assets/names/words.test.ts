import { describe, expect, it } from 'vitest'

interface Said {
  word: string
  text?: string
  tone: string
}
const { leaseWords, renewalWords, zoneWords, releaseAct } = (await import(
  new URL('../../../../src/web/assets/names/words.ts', import.meta.url).href
)) as {
  leaseWords: (name: object, nowMs: number) => Said
  renewalWords: (name: object, nowMs: number) => string
  zoneWords: (name: object, hasEdits: boolean) => Said
  releaseAct: (name: object) => string | undefined
}

const NOW = Date.parse('2026-11-23T12:00:00.000Z')
const name = (change: object = {}, renewal: object = {}) => ({
  state: 'live',
  lease_end: '2026-11-30T12:00:00.000Z',
  serial: 2,
  published_serial: 2,
  renewal: { state: 'scheduled', due: '2026-11-29T12:00:00.000Z', ...renewal },
  ...change
})

describe('a name in words', () => {
  it.each([
    [name(), { word: 'live', text: '7 d left', tone: 'good' }],
    [name({ lease_end: '2026-11-23T13:00:00.000Z' }), { word: 'live', text: '1 h left', tone: 'good' }],
    [
      name({ lease_end: '2026-11-23T13:00:00.000Z' }, { state: 'off' }),
      { word: 'live', text: '1 h left', tone: 'warn' }
    ],
    [name({}, { state: 'released' }), { word: 'released', text: '7 d left, then it lapses', tone: 'warn' }],
    [
      name({ state: 'grace', lease_end: '2026-11-23T11:00:00.000Z' }),
      { word: 'grace', text: 'lapsed 1 h ago; only you may renew it', tone: 'bad' }
    ],
    [name({ state: 'lapsed' }), { word: 'lapsed', text: 'anyone may register it', tone: 'bad' }],
    [name({ state: 'contested' }), { word: 'contested', text: 'peers name another key', tone: 'bad' }],
    [name({ state: 'lost' }), { word: 'lost', text: 'peers have settled on another key', tone: 'bad' }]
  ])('says how its lease is: %#', (owned, said) => {
    expect(leaseWords(owned, NOW)).toEqual(said)
  })

  it('says when it is renewed', () => {
    expect(renewalWords(name(), NOW)).toBe('by itself in 6 d')
    expect(renewalWords(name({}, { due: '2026-11-23T11:00:00.000Z' }), NOW)).toBe('by itself, now')
    for (const state of ['running', 'paused', 'failed', 'off', 'released', 'impossible'])
      expect(renewalWords(name({}, { state }), NOW)).toMatch(/^\w/)
  })

  it('says what its zone is', () => {
    expect(zoneWords(name(), true).word).toBe('unsaved edits')
    expect(zoneWords(name(), false).word).toBe('published')
    expect(zoneWords(name({ serial: 3 }), false).word).toBe('draft')
    expect(zoneWords(name({ serial: 0 }), false).word).toBe('no zone')
  })

  it('can be released while it is ours, and taken back once', () => {
    expect(releaseAct(name())).toBe('release')
    expect(releaseAct(name({ state: 'grace' }, { state: 'released' }))).toBe('undo')
    expect(releaseAct(name({ state: 'lost' }))).toBeUndefined()
  })
})
