import { describe, expect, it } from 'vitest'
import { claimedSplit, FORM_BYTES, proofOutput, proofShape } from '../../../src/protocol/claim/proof.ts'
import { MAIN } from '../fixtures.ts'

const profile = { ...MAIN, two_segment_from: 1000, split_divisor: 3 }

describe('the shape of a proof', () => {
  it('is one segment below the limit', () => {
    expect(proofShape(999, profile)).toEqual({ depth: 0, split: null, length: 200 })
  })

  it.each([
    [1000, 667],
    [1001, 668],
    [1002, 668]
  ])('of %d squarings is two segments, the first one rounded up: %d', (iterations, split) => {
    expect(proofShape(iterations, profile)).toEqual({ depth: 1, split, length: 341 })
  })
})

describe('the bytes of a proof', () => {
  it('begin with the output, and name the split behind two forms, in a view of a larger buffer too', () => {
    const bytes = new Uint8Array(10 + 2 * FORM_BYTES + 141)
    const proof = bytes.subarray(10)
    proof.fill(7, 0, FORM_BYTES)
    proof.set([0, 0, 0, 1, 0, 0, 0, 2], 2 * FORM_BYTES)
    expect(proofOutput(proof)).toEqual(new Uint8Array(FORM_BYTES).fill(7))
    expect(claimedSplit(proof)).toBe(2 ** 32 + 2)
  })

  it('throws a RangeError where the split is cut off', () => {
    expect(() => claimedSplit(new Uint8Array(2 * FORM_BYTES + 7))).toThrow(RangeError)
  })
})
