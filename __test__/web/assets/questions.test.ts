import { describe, expect, it } from 'vitest'

interface Question {
  title: string
  lines: string[]
  changes?: object
  yes: string
  no: string
}
type Ask = (...values: unknown[]) => Question | null

const {
  registerQuestion,
  renewQuestion,
  cancelQuestion,
  saveQuestion,
  publishQuestion,
  discardQuestion,
  releaseQuestion
} = (await import(new URL('../../../src/web/assets/questions.ts', import.meta.url).href)) as Record<
  | 'registerQuestion'
  | 'renewQuestion'
  | 'cancelQuestion'
  | 'saveQuestion'
  | 'publishQuestion'
  | 'discardQuestion'
  | 'releaseQuestion',
  Ask
>

const DAY_MS = 86_400_000
const now = Date.now()
const at = (days: number) => new Date(now + days * DAY_MS).toISOString()
const estimate = (change: object = {}) => ({
  kind: 'register',
  iterations: 600_000_000,
  seconds: 1800,
  queued_seconds: 0,
  proof_kept: false,
  lease_start: at(0),
  lease_end: at(365),
  ...change
})

describe('the question before a registration', () => {
  it('says what more than five minutes of work cost', () => {
    const question = registerQuestion('dave.chronym', estimate())
    expect(question?.title).toBe('Register dave.chronym?')
    expect(question?.lines[0]).toBe('About 30 min on this machine (600,000,000 squarings).')
  })

  it.each([
    ['five minutes', { seconds: 300 }],
    ['a kept proof', { seconds: 0, proof_kept: true }],
    ['little work that waits long', { seconds: 2000, queued_seconds: 1900 }],
    ['a name that the daemon owns, and refuses', { kind: 'renew' }]
  ])('is not asked: %s', (_case, change) => {
    expect(registerQuestion('dave.chronym', estimate(change))).toBeNull()
  })

  it('is asked for one second more than five minutes', () => {
    expect(registerQuestion('dave.chronym', estimate({ seconds: 301 }))).not.toBeNull()
  })

  it('says how much of that is waiting', () => {
    expect(registerQuestion('dave.chronym', estimate({ seconds: 3600, queued_seconds: 600 }))?.lines[0]).toContain(
      'of which 10 min waiting'
    )
  })
})

describe('the question before a renewal', () => {
  const owned = (days: number) => ({
    name: 'dave.chronym',
    lease_end: at(days),
    renewal: { left: 63, state: 'scheduled', due: at(days - 36.5) }
  })
  const short = { kind: 'renew', seconds: 30 }

  it('says that one right after a registration gains nothing and spends one that is left', () => {
    const question = renewQuestion(owned(365), estimate(short))
    expect(question?.lines).toEqual([
      'About 30 s on this machine (600,000,000 squarings).',
      'It gains only 0 s of a lease of 365 d.',
      'It spends one of the 63 renewals that are left.',
      expect.stringMatching(/^The daemon renews it automatically in 328 d/)
    ])
  })

  it('is not asked once half of the lease has passed', () => {
    expect(renewQuestion(owned(182), estimate(short))).toBeNull()
    expect(renewQuestion(owned(183), estimate(short))).not.toBeNull()
  })

  it('is asked for long work, however much it gains', () => {
    const question = renewQuestion(owned(10), estimate({ kind: 'renew' }))
    expect(question?.lines[0]).toContain('About 30 min')
    expect(question?.lines.join()).not.toContain('gains')
  })

  it('says that the estimate of a lost name is a bound', () => {
    expect(renewQuestion(owned(10), estimate())?.lines[0]).toBe(
      'At most as much as registering it: About 30 min on this machine (600,000,000 squarings).'
    )
  })
})

describe('the question before a task is cancelled', () => {
  const task = {
    kind: 'register',
    name: 'dave.chronym',
    phase: 'evaluate',
    progress: 120_000_000,
    iterations: 600_000_000
  }

  it('says how much work would be lost', () => {
    expect(cancelQuestion(task, 200_000)?.lines).toEqual([
      'About 10 min of work (20% of its squarings) would be lost. The task would have to start from the beginning.'
    ])
  })

  it.each([
    ['up to a minute of work', { progress: 12_000_000 }, 200_000],
    ['no work', { progress: 0 }, null]
  ])('is not asked: %s', (_case, change, rate) => {
    expect(cancelQuestion({ ...task, ...change }, rate)).toBeNull()
  })

  it('counts squarings where no rate is known', () => {
    expect(cancelQuestion(task, null)?.lines[0]).toMatch(/^120,000,000 squarings \(20%\) would be lost/)
  })

  it('says that a finished proof is kept', () => {
    expect(cancelQuestion({ ...task, phase: 'reveal', progress: 600_000_000 }, 200_000)?.lines).toEqual([
      'Its finished proof is kept for 30 days. If you register the name again, the daemon reuses it.'
    ])
  })
})

describe('the questions before records are replaced', () => {
  const changes = { added: ['www 300 A 192.0.2.2'], removed: ['www 300 A 192.0.2.1'] }
  const none = { added: [], removed: [] }

  it('are asked where a saved record disappears, with the difference', () => {
    expect(saveQuestion('dave.chronym', changes)?.changes).toBe(changes)
    expect(saveQuestion('dave.chronym', changes, { isChangedElsewhere: true })?.lines[0]).toContain('changed elsewhere')
    expect(saveQuestion('dave.chronym', { ...changes, removed: [] })).toBeNull()
  })

  it('are asked before anything else than what is published takes its place', () => {
    const records = { www: [{ type: 'A', value: '192.0.2.1' }] }
    expect(publishQuestion('dave.chronym', { records }, changes)?.changes).toBe(changes)
    expect(publishQuestion('dave.chronym', { records }, { ...changes, removed: [] })?.changes).toBeDefined()
    expect(publishQuestion('dave.chronym', { records }, none)).toBeNull()
    expect(publishQuestion('dave.chronym', { records: {} }, changes)).toBeNull()
  })

  it('say that nothing can be compared where what is published cannot be read', () => {
    const question = publishQuestion('dave.chronym', { trouble: 'The network is offline.' }, undefined)
    expect(question?.lines[0]).toContain('The network is offline.')
  })

  it('are asked before edits are discarded', () => {
    expect(discardQuestion('dave.chronym', changes)?.changes).toBe(changes)
    expect(discardQuestion('dave.chronym', none)?.lines[0]).toBe('They change no record.')
  })
})

describe('releasing a name', () => {
  it('is asked with what follows from it', () => {
    const question = releaseQuestion({ name: 'dave.chronym', lease_end: at(2) }, now)
    expect(question?.title).toBe('Let dave.chronym lapse?')
    expect(question?.lines[0]).toContain('Its lease ends in 2 d, and after the grace anyone may register it.')
  })
})
