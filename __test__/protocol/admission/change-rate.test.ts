import { describe, expect, it } from 'vitest'
import { type ChangeBudget, nextChangeMs, spendChange } from '../../../src/protocol/admission/holder.ts'
import { MAIN } from '../fixtures.ts'

describe('changes of one name', () => {
  it('are five at once, then one every 30 s', () => {
    let budget: ChangeBudget | undefined
    for (let n = 0; n < 5; n++) budget = spendChange(budget, 1000, MAIN)!
    expect(spendChange(budget, 1000, MAIN)).toBeUndefined()
    expect(nextChangeMs(budget, 1000, MAIN)).toBe(31_000)
    expect(spendChange(budget, 30_999, MAIN)).toBeUndefined()
    expect(spendChange(budget, 31_000, MAIN)).toEqual({ left: 0, atMs: 31_000 })
    expect(nextChangeMs(undefined, 5, MAIN)).toBe(5)
  })

  it('are not made more by a clock that goes back, nor by a long rest', () => {
    expect(spendChange({ left: 0, atMs: 1000 }, 0, MAIN)).toBeUndefined()
    expect(spendChange({ left: 0, atMs: 0 }, 10 ** 9, MAIN)).toEqual({ left: 4, atMs: 10 ** 9 })
  })

  it('wait for no clock that was set back by more than a full refill takes', () => {
    const { interval, burst } = MAIN.changes
    const backMs = burst * interval * 1000
    expect(spendChange({ left: 0, atMs: backMs }, 0, MAIN)).toBeUndefined()
    expect(spendChange({ left: 0, atMs: backMs + 1 }, 0, MAIN)).toEqual({ left: burst - 1, atMs: 0 })
  })
})
