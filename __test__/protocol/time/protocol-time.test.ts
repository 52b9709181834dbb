import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import {
  clockRound,
  roundsIn,
  roundTimeMs,
  pulseRandomness,
  advanceTime,
  clockLags,
  TIME_ZERO
} from '../../../src/protocol/time.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import quicknet from '../../vectors/quicknet-pulses.json' with { type: 'json' }
import { MAIN } from '../fixtures.ts'

describe('rounds', () => {
  const beacon = { period: 3, genesis: 1000 }

  it('begin with round 1 at the genesis', () => {
    expect(clockRound(999_999, beacon)).toBe(0)
    expect(clockRound(1_000_000, beacon)).toBe(1)
    expect(clockRound(1_002_999, beacon)).toBe(1)
    expect(clockRound(1_003_000, beacon)).toBe(2)
    expect(clockRound(-1e15, beacon)).toBe(0)
  })

  it('are due at the time whose clock round they are', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 40 }),
        (round) => clockRound(roundTimeMs(round, beacon), beacon) === round
      ),
      { seed: 1 }
    )
    expect(roundsIn(7, beacon)).toBe(3)
  })

  it('have the randomness that quicknet gives', () => {
    for (const pulse of quicknet.pulses)
      expect(toHex(pulseRandomness(Buffer.from(pulse.signature, 'hex')))).toBe(pulse.randomness)
  })
})

describe('protocol time', () => {
  it('is moved by a verified pulse and never back', () => {
    const time = advanceTime(TIME_ZERO, { clock: 100, verified: 90 }, MAIN)
    expect(time).toEqual({ verified: 90, lapse: 90, now: 100, fresh: true })
    expect(advanceTime(time, { clock: 100, verified: 50 }, MAIN).verified).toBe(90)
    expect(advanceTime(time, { clock: 10, verified: 95 }, MAIN)).toEqual({
      verified: 95,
      lapse: 95,
      now: 95,
      fresh: true
    })
  })

  it('is not fresh before the first pulse', () => {
    expect(advanceTime(TIME_ZERO, { clock: 10 }, MAIN).fresh).toBe(false)
  })

  it('takes no lapse back after a restart, when the clock is behind and a pulse of long ago comes first', () => {
    const restarted = { ...TIME_ZERO, lapse: 1_000_000 }
    expect(advanceTime(restarted, { clock: 500, verified: 500 }, MAIN)).toEqual({
      verified: 500,
      lapse: 1_000_000,
      now: 500,
      fresh: true
    })
  })

  it('warns of a clock that lags more than 20 rounds', () => {
    expect(clockLags(100, 120)).toBe(false)
    expect(clockLags(100, 121)).toBe(true)
  })
})
