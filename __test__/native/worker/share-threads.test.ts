import { describe, expect, it } from 'vitest'
import { shareThreads } from '../../../src/native/pool/evaluation.ts'

describe('sharing threads among evaluations', () => {
  it('gives one evaluation all of them', () => {
    expect(shareThreads(8, 1)).toEqual([8])
  })

  it('leaves one to each for squaring, and shares the rest evenly', () => {
    expect(shareThreads(8, 3)).toEqual([3, 3, 2])
    expect(shareThreads(4, 4)).toEqual([1, 1, 1, 1])
  })

  it('never takes the one that squares', () => {
    expect(shareThreads(1, 1)).toEqual([1])
    expect(shareThreads(2, 5)).toEqual([1, 1, 1, 1, 1])
    expect(shareThreads(3, 0)).toEqual([])
  })
})
