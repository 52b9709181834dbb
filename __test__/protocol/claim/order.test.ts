import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../../src/protocol/encoding/bytes.ts'
import { compareContest, compareRecords, equivocates, noteEquivocation } from '../../../src/protocol/claim/claim.ts'
import { bareClaim } from '../fixtures.ts'

describe('the order of the records of one key', () => {
  it('goes by p, then serial, then payload, then record', () => {
    expect(
      compareRecords(bareClaim({ newestRound: 2, serial: 1 }), bareClaim({ newestRound: 1, serial: 9 }))
    ).toBeGreaterThan(0)
    expect(compareRecords(bareClaim({ serial: 2 }), bareClaim({ serial: 1 }))).toBeGreaterThan(0)
  })
})

describe('equivocation', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((payload) => bareClaim({ payload })) as [
    ReturnType<typeof bareClaim>,
    ReturnType<typeof bareClaim>,
    ReturnType<typeof bareClaim>
  ]

  it('is two payloads at one (p, serial)', () => {
    expect(equivocates(a, b)).toBe(true)
    expect(equivocates(a, bareClaim({ payload: 'a', record: 'other' }))).toBe(false)
    expect(equivocates(a, bareClaim({ payload: 'b', serial: 2 }))).toBe(false)
  })

  it('is noted with the lowest and the highest hash, in whatever order they come', () => {
    const forwards = noteEquivocation(noteEquivocation(undefined, a, b), b, c)
    const backwards = noteEquivocation(noteEquivocation(undefined, c, b), a, c)
    expect(forwards).toEqual(backwards)
    expect(compareBytes(...(forwards!.payloadHashes as unknown as [Uint8Array, Uint8Array]))).toBeLessThan(0)
  })

  it('keeps the newest and forgets nothing for records that agree', () => {
    const newer = noteEquivocation(
      undefined,
      bareClaim({ serial: 5, payload: 'a' }),
      bareClaim({ serial: 5, payload: 'b' })
    )
    expect(noteEquivocation(newer, a, b)).toBe(newer)
    expect(noteEquivocation(newer, a, a)).toBe(newer)
  })
})

describe('the order of a contest', () => {
  it('prefers the lower p, then the lower tie', () => {
    expect(compareContest(bareClaim({ firstRound: 1, tie: 9 }), bareClaim({ firstRound: 2, tie: 1 }))).toBeLessThan(0)
    expect(compareContest(bareClaim({ tie: 1 }), bareClaim({ tie: 2, owner: 'bob' }))).toBeLessThan(0)
    expect(compareContest(bareClaim({ serial: 1 }), bareClaim({ serial: 2 }))).toBe(0)
  })
})
