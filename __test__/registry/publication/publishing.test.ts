import { describe, expect, it } from 'vitest'
import type { PutOutcome } from '../../../src/network/types.ts'
import { isSuperseded, requireMajority } from '../../../src/registry/publication/publishing.ts'

function outcome(storedBy: number, of: number, ...codes: string[]): PutOutcome {
  return {
    storedBy,
    of,
    refusals: codes.map((code, index) => ({ peer: `p${index}`, code, detail: `said ${code}` }))
  }
}

describe('a majority', () => {
  it.each([
    [1, 1],
    [2, 3],
    [3, 5]
  ])('is %d of %d', (storedBy, of) => {
    expect(requireMajority('it', outcome(storedBy, of))).toEqual({ stored_by: storedBy, of })
  })

  it.each([
    [0, 0],
    [0, 1],
    [1, 2],
    [2, 4]
  ])('is not %d of %d: SVC-PUB-002, to be tried again', (storedBy, of) => {
    expect(() => requireMajority('it', outcome(storedBy, of))).toThrow(
      expect.objectContaining({ code: 'SVC-PUB-002', extensions: { stored_by: storedBy, of } })
    )
  })

  it('that refuses for the sake of another owner is SVC-REG-001, a half is not', () => {
    const code = (expected: string): object => expect.objectContaining({ code: expected }) as object
    expect(() => requireMajority('it', outcome(1, 3, 'taken', 'contest'))).toThrow(code('SVC-REG-001'))
    expect(() => requireMajority('it', outcome(2, 4, 'taken', 'contest'))).toThrow(code('SVC-PUB-002'))
    expect(() => requireMajority('it', outcome(0, 3, 'taken', 'full', 'busy'))).toThrow('said taken (taken)')
  })
})

describe('a record', () => {
  it('is superseded when more than half keep a newer one', () => {
    expect(isSuperseded(outcome(1, 3, 'stale', 'stale'))).toBe(true)
    expect(isSuperseded(outcome(2, 4, 'stale', 'stale'))).toBe(false)
    expect(isSuperseded(outcome(0, 3, 'stale', 'taken', 'full'))).toBe(false)
  })
})
