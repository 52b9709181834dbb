/** Moves that look at more than names: each does no more than its rule allows, and tries what it says. */
import { describe, expect, it } from 'vitest'
import { MOVES } from '../../../../bench/sim/moves/index.ts'
import { run } from '../../../../bench/sim/run.ts'

/** Each with what its remark must tell, so that a move that tries nothing does not pass. */
const PLAYED: readonly (readonly [id: string, nodes: number, tells: RegExp])[] = [
  ['told-that-it-is-lost', 30, /^told 168 times of 168 .* has 2 links/],
  ['lying-receipts', 30, /^3 of 3 liars were asked; p is 22 rounds after/],
  ['divided-contest', 30, /^of 15 honest holders (0 and 15|15 and 0) have/],
  ['lapsed-owner', 30, /of renewals 0 have it, (19|20) the new owner's claim$/],
  ['slept-while-others-settled', 30, /^4 of 4 slept with the rival's claim; .* 0 have it$/],
  ['look-up-before-the-claim', 70, /they show 1 bits of K$/]
]

describe('a move that the docs name', () => {
  it.each(PLAYED)('%s does no more than it may', async (id, nodes, tells) => {
    const move = MOVES.find((each) => each.id === id)!
    const result = await run({ nodes, days: 0, names: 0, seed: '1', move })
    expect(result).toMatchObject({ isAllowed: true, breaches: [], violations: [] })
    expect(result.remark).toMatch(tells)
  })
})
