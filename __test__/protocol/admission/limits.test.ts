import { describe, expect, it } from 'vitest'
import type { ChangeBudget } from '../../../src/protocol/admission/change-rate.ts'
import { nextChangeMs, spendChange } from '../../../src/protocol/admission/change-rate.ts'
import type { OpenCommitment } from '../../../src/protocol/admission/open-commitments.ts'
import { isForgotten, leastWorthy, sentAgain } from '../../../src/protocol/admission/open-commitments.ts'
import { bytesOf, MAIN } from '../fixtures.ts'

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
})

describe('open commitments', () => {
  const open = (prefix: string, work: number, seen = 100): OpenCommitment => ({
    commitment: bytesOf(`${prefix} ${work} ${seen}`),
    seen,
    lastSent: seen,
    prefix,
    work
  })

  it('keep their s when sent again and are forgotten commit_keep rounds after that', () => {
    const again = sentAgain(open('a', 22), { now: 500 })
    expect(again).toMatchObject({ seen: 100, lastSent: 500 })
    expect(sentAgain(again, { now: 400 }).lastSent).toBe(500)
    expect(isForgotten(again, { lapse: 500 + MAIN.commit_keep }, MAIN)).toBe(false)
    expect(isForgotten(again, { lapse: 501 + MAIN.commit_keep }, MAIN)).toBe(true)
  })

  it('lose the least work of the fullest prefix when the table is full', () => {
    const flood = [open('flood', 30), open('flood', 25), open('flood', 40)]
    expect(leastWorthy([open('honest', 22), ...flood])).toBe(flood[1])
    expect(leastWorthy([open('a', 22, 1), open('a', 22, 2)])?.seen).toBe(2)
    expect(leastWorthy([])).toBeUndefined()
  })
})
