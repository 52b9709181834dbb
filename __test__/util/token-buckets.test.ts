/** By a clock of the test's own. */
import { beforeEach, describe, expect, it } from 'vitest'
import { TokenBuckets } from '../../src/util/token-buckets.ts'

let nowMs: number

beforeEach(() => {
  nowMs = 1_000
})

const now = (): number => nowMs

describe('token buckets', () => {
  const buckets = (keys = 100): TokenBuckets => new TokenBuckets({ perSecond: 10, burst: 20, keys, now })

  it('give a burst, then so much a second, and let nobody save up more', () => {
    const of = buckets()
    of.take('a', 20)
    expect([of.has('a'), of.has('b')]).toEqual([false, true])
    nowMs += 100
    expect(of.has('a')).toBe(true)
    nowMs += 1_000_000
    of.take('a', 20)
    expect(of.has('a')).toBe(false)
  })

  it('let a sender go into debt once, which it pays back by waiting', () => {
    const of = buckets()
    of.take('a', 70)
    nowMs += 4_900
    expect(of.has('a')).toBe(false)
    nowMs += 200
    expect(of.has('a')).toBe(true)
  })

  it('fill no bucket when the clock goes back, and refill from then on', () => {
    const of = buckets()
    of.take('a', 20)
    nowMs -= 10_000
    expect(of.has('a')).toBe(false)
    nowMs += 100
    expect(of.has('a')).toBe(true)
  })

  it('take all of what is asked or nothing, and say how long to wait for it', () => {
    const of = buckets()
    expect(of.tryTake('a', 19.5)).toBe(0)
    expect(of.tryTake('a', 1)).toBeCloseTo(0.05)
    expect(of.tryTake('b', 1), 'each has its own').toBe(0)
    nowMs += 50
    expect(of.tryTake('a', 1)).toBe(0)
    expect(of.tryTake('a', 1)).toBeCloseTo(0.1)
  })

  it('are bounded: those who come while all are in use share one, so a new name is not a new burst', () => {
    const of = buckets(3)
    for (const key of ['a', 'b', 'c']) of.take(key, 20)
    of.take('d', 10)
    expect(of.has('e')).toBe(true)
    of.take('e', 10)
    expect([of.has('d'), of.has('e'), of.has('f')]).toEqual([false, false, false])
    expect(of.has('a'), 'nobody that is owed something was forgotten').toBe(false)
    nowMs += 2_001
    for (const key of ['d', 'e', 'f']) expect(of.has(key)).toBe(true)
  })
})
