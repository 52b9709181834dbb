import { beforeEach, describe, expect, it } from 'vitest'
import { ASSUMED_SHARE, AwakeTime, LEAST_SHARE } from '../../../src/registry/upkeep/awake-time.ts'
import { keys } from '../../../src/store/keys.ts'
import { MemoryStore } from '../claims/fakes.ts'
import { ManualClock } from '../../time/manual-clock.ts'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
const LOOK = 60 * 1000

let store: MemoryStore
let clock: ManualClock
let awake: AwakeTime

beforeEach(() => {
  store = new MemoryStore()
  clock = new ManualClock()
  begin()
})

function begin(): void {
  awake = new AwakeTime(store, clock, LOOK)
}

function stay(ms: number): void {
  for (let passed = 0; passed <= ms; passed += LOOK) {
    awake.look()
    if (passed < ms) clock.set(clock.now() + LOOK)
  }
}

function sleep(ms: number): void {
  clock.set(clock.now() + ms)
}

describe('the share of the calendar in which a machine is awake', () => {
  it('is taken for eight hours a day until it is known', () => {
    expect(awake.share()).toBe(ASSUMED_SHARE)
    stay(1.75 * DAY)
    expect(awake.share(), 'a quarter of what counts is known').toBeCloseTo(0.25 + 0.75 * ASSUMED_SHARE, 3)
  })

  it.each([
    [24, 1],
    [12, 0.5],
    [2, 1 / 12],
    [0.5, LEAST_SHARE]
  ])('of one that is awake %f hours a day is %f after four weeks', (hours, share) => {
    for (let day = 0; day < 28; day++) {
      stay(hours * HOUR)
      sleep(DAY - hours * HOUR)
    }
    expect(awake.share()).toBeCloseTo(share, 2)
  })

  it('forgets after four weeks, and falls to the least after as many away', () => {
    stay(28 * DAY)
    sleep(14 * DAY)
    expect(awake.share()).toBeCloseTo(0.5, 1)
    sleep(14 * DAY)
    awake.look()
    expect(awake.share()).toBe(LEAST_SHARE)
    stay(28 * DAY)
    expect(awake.share()).toBeGreaterThan(0.99)
  })

  it('outlives a restart, and a crash but for ten minutes', () => {
    stay(14 * DAY)
    const before = awake.share()
    begin()
    expect(awake.share()).toBeCloseTo(before, 2)
    stay(5 * 60 * 1000)
    awake.save()
    const saved = store.get(keys.awake())!
    expect(saved.length).toBeLessThan(500)
    begin()
    expect(awake.share()).toBeCloseTo(before, 2)
  })

  it('does not believe a clock that was set: neither a jump ahead nor the days it has left when it is set back', () => {
    stay(7 * DAY)
    sleep(365 * DAY)
    stay(HOUR)
    expect(awake.share()).toBe(LEAST_SHARE)
    sleep(-365 * DAY - HOUR)
    stay(HOUR)
    expect(awake.share()).toBeGreaterThanOrEqual(LEAST_SHARE)
    stay(28 * DAY)
    expect(awake.share()).toBeGreaterThan(0.99)
  })

  it('is kept here when it cannot be written', () => {
    stay(7 * DAY)
    store.onWrite = () => {
      throw new Error('full')
    }
    expect(() => stay(20 * 60 * 1000)).toThrow('full')
    expect(awake.share()).toBeGreaterThan(0.99)
  })
})
