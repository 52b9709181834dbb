import { describe, expect, it } from 'vitest'
import { leaseState, renewalRound, revealWindow } from '../../../src/protocol/time.ts'
import { isRollback, remember } from '../../../src/protocol/resolution/pin.ts'
import { bareClaim, LOCAL, MAIN } from '../fixtures.ts'

describe('a lease', () => {
  const end = 100 + MAIN.lease
  const graceEnd = end + MAIN.grace

  it('is live, then in grace, then dead, each to its last round', () => {
    expect(leaseState(100, end, MAIN)).toEqual({
      state: 'live',
      startRound: 100,
      endRound: end,
      graceEndRound: graceEnd
    })
    expect(leaseState(100, end + 1, MAIN).state).toBe('grace')
    expect(leaseState(100, graceEnd, MAIN).state).toBe('grace')
    expect(leaseState(100, graceEnd + 1, MAIN).state).toBe('dead')
  })

  it('is renewed a tenth before its end, or three times as long as the renewal takes', () => {
    expect(renewalRound(0, 10, MAIN)).toBe(MAIN.lease - MAIN.lease / 10)
    expect(renewalRound(0, MAIN.lease / 4, MAIN)).toBe(MAIN.lease / 4)
    expect(renewalRound(500, MAIN.lease, MAIN)).toBe(500)
  })
})

describe('the reveal window', () => {
  it('is 14 days, longer for hard names, at most half the lease', () => {
    const days = (count: number) => (count * 86_400) / 3
    expect(revealWindow(600_000_000, MAIN)).toBe(days(14))
    expect(revealWindow(600_000_000 * 480, MAIN)).toBe(Math.ceil((8 * 600_000_000 * 480) / (333_000 * 3)))
    expect(revealWindow(600_000_000 * 960, MAIN)).toBe(Math.ceil((8 * 600_000_000 * 960) / (333_000 * 3)))
    expect(revealWindow(2 ** 48, MAIN)).toBe(MAIN.lease / 2)
    expect(revealWindow(1_000_000, LOCAL)).toBe(LOCAL.lease / 2)
  })
})

describe('anti-rollback memory', () => {
  it('keeps the newest record and knows older ones', () => {
    const [old, newer] = [bareClaim({ serial: 1 }), bareClaim({ serial: 2 })]
    const memory = remember(remember(undefined, newer), old)
    expect(isRollback(undefined, old)).toBe(false)
    expect(isRollback(memory, old)).toBe(true)
    expect(isRollback(memory, newer)).toBe(false)
    expect(remember(memory, bareClaim({ serial: 3 })).serial).toBe(3)
  })
})
