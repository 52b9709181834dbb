import { describe, expect, it } from 'vitest'
import { Pace } from '../../src/evaluations/pace.ts'

const TICK_MS = 500

/** Looks every half second for so long, at `perSecond`; returns time and amount at the end. */
function work(
  pace: Pace,
  from: { atMs: number; done: number },
  seconds: number,
  perSecond: number
): { atMs: number; done: number } {
  let { atMs, done } = from
  for (let tick = 0; tick < seconds * 2; tick++) {
    atMs += TICK_MS
    done += perSecond / 2
    pace.push(atMs, done)
  }
  return { atMs, done }
}

const start = { atMs: 1_000_000, done: 0 }

describe('the pace of a task', () => {
  it('is not known before something was seen to be done', () => {
    const pace = new Pace()
    expect(pace.perSecond).toBeUndefined()
    pace.push(0, 5)
    expect(pace.perSecond).toBeUndefined()
    pace.push(500, 5)
    expect(pace.perSecond).toBeUndefined()
  })

  it('is the rate measured', () => {
    const pace = new Pace()
    work(pace, start, 10, 300)
    expect(pace.perSecond).toBeCloseTo(300, 6)
  })

  it('moves by little when a machine is busy for a few seconds of an hour', () => {
    const pace = new Pace()
    const hour = work(pace, start, 3600, 300)
    work(pace, hour, 10, 30)
    expect(pace.perSecond).toBeGreaterThan(285)
  })

  it('follows a machine that stays slower', () => {
    const pace = new Pace()
    work(pace, work(pace, start, 3600, 300), 20 * 60, 150)
    expect(pace.perSecond).toBeLessThan(155)
  })

  it('does not change while the machine sleeps, whatever its clock says afterwards', () => {
    const pace = new Pace()
    const before = work(pace, start, 60, 300)
    // A night, nothing done.
    work(pace, { atMs: before.atMs + 8 * 3600_000, done: before.done }, 2, 300)
    expect(pace.perSecond).toBeCloseTo(300, 6)
    // The clock is set back a day.
    work(pace, { atMs: before.atMs - 24 * 3600_000, done: before.done + 700 }, 2, 300)
    expect(pace.perSecond).toBeCloseTo(300, 6)
  })

  it('lasts through a rest, and through repeated squarings', () => {
    const pace = new Pace()
    const before = work(pace, start, 60, 300)
    pace.rest()
    work(pace, { atMs: before.atMs + 1_000, done: before.done - 2_000 }, 10, 300)
    expect(pace.perSecond).toBeCloseTo(300, 6)
  })
})
