import { describe, expect, it } from 'vitest'
import type { BackupView, SeedBody } from '../../../../src/web/assets/lib/api.ts'
import { backupState, checklist, seedNotice } from '../../../../src/web/assets/seed/words.ts'

type Kept = NonNullable<BackupView['kept']>

const NOW = Date.parse('2026-11-21T12:00:00Z')
const kept = (change: Partial<Kept> = {}): Kept => ({
  file: '/backups/chronym.age',
  state: 'kept',
  written_at: '2026-11-21T11:00:00.000Z',
  pending: false,
  failures: 0,
  reason: null,
  ...change
})

describe('what is said of the kept backup', () => {
  it.each([
    [kept(), 'good', 'It was written 1 h ago.'],
    [kept({ pending: true }), 'good', 'The newest changes follow'],
    [kept({ written_at: '2026-11-18T12:00:00.000Z' }), 'warn', 'once a day'],
    [kept({ written_at: null }), 'warn', 'writes it soon'],
    [kept({ state: 'missing' }), 'bad', 'Nothing is at its place'],
    [kept({ state: 'failing', reason: 'ENOSPC' }), 'bad', 'Cause: ENOSPC.'],
    [kept({ state: 'waiting' }), 'warn', 'until the seed is unlocked']
  ])('%#', (given, tone, text) => {
    const state = backupState(given, NOW)
    expect(state?.tone).toBe(tone)
    expect(state?.text).toContain(text)
  })

  it('is nothing where none is configured', () => {
    expect(backupState(null, NOW)).toBeNull()
  })
})

describe('what an owner should do', () => {
  it('is first to keep the words elsewhere; the rest is advice', () => {
    const items = checklist({ sealed: false, kept_elsewhere: false }, null, NOW)
    expect(items.map(({ isDone, isAdvice }) => [isDone, isAdvice])).toEqual([
      [false, false],
      [false, true],
      [false, true]
    ])
    expect(items.map(({ how }) => how)).toEqual([
      ['key show', 'key check'],
      ['key passphrase'],
      ['backup my-names.age']
    ])
  })

  it('is nothing once words, passphrase and backup are there', () => {
    const items = checklist({ sealed: true, kept_elsewhere: true }, kept(), NOW)
    expect(items.every(({ isDone, how }) => isDone && how.length === 0)).toBe(true)
  })

  it('is to mind a configured backup that fails', () => {
    expect(checklist({ sealed: true, kept_elsewhere: true }, kept({ state: 'failing' }), NOW)[2]).toMatchObject({
      isDone: false,
      isAdvice: false
    })
  })
})

const seed = (change: Partial<SeedBody>): SeedBody => ({
  state: 'unlocked',
  sealed: true,
  kept_elsewhere: true,
  waiting: [],
  ...change
})

describe('what the dashboard says of the seed', () => {
  it('is nothing while it is unlocked and kept elsewhere too', () => {
    expect(seedNotice(seed({}))).toBeUndefined()
  })

  it('reminds until the words are checked or a backup exists', () => {
    const told = seedNotice(seed({ kept_elsewhere: false }))
    expect(told).toMatchObject({ isLocked: false, waiting: [] })
    expect(told!.lines.join(' ')).toMatch(/check.* or make a backup/)
  })

  it('tells that it is locked and each signature that waits', () => {
    const waiting: SeedBody['waiting'] = [
      { what: 'register', name: 'alice.chronym', task_id: 't' },
      { what: 'renew', name: 'bob.chronym', task_id: 'u' },
      { what: 'adopt', name: 'carol.chronym', task_id: null }
    ]
    expect(seedNotice(seed({ state: 'locked', waiting }))).toEqual({
      title: 'The seed is locked',
      lines: [expect.stringContaining('wait')],
      waiting: ['registration of alice.chronym', 'renewal of bob.chronym', 'look-up of your carol.chronym'],
      isLocked: true
    })
    expect(seedNotice(seed({ state: 'locked', kept_elsewhere: false }))!.lines).toHaveLength(2)
  })
})
