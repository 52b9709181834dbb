import { describe, expect, it } from 'vitest'
import { type OpenCommitment, isForgotten, leastWorthy, sentAgain } from '../../../src/protocol/admission/holder.ts'
import { bytesOf, MAIN } from '../fixtures.ts'

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

  it('[a flood of commitments] lose the least work of the fullest prefix when the table is full', () => {
    const flood = [open('flood', 30), open('flood', 25), open('flood', 40)]
    expect(leastWorthy([open('honest', 22), ...flood])).toBe(flood[1])
    expect(leastWorthy([open('a', 22, 1), open('a', 22, 2)])?.seen).toBe(2)
    expect(leastWorthy([])).toBeUndefined()
  })
})
