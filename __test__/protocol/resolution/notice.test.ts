import { describe, expect, it } from 'vitest'
import { noticeAmong } from '../../../src/protocol/resolution/notice.ts'
import { tally } from '../../../src/protocol/resolution/quorum.ts'
import { bareClaim, MAIN } from '../fixtures.ts'

const change = (first: number, consented: boolean) => ({ hash: new Uint8Array(32).fill(first), consented })
const [ALONE, OTHER, BOTH] = [change(1, false), change(2, false), change(3, true)]
const claim = (...changes: ReturnType<typeof change>[]) => bareClaim({ changes })

describe('a notice', () => {
  const told = (count: number, final = 7) => Array.from({ length: count }, () => ({ claim: claim(ALONE), final }))

  it('is told where more than half of the votes hold it, with the round by which as many call it final', () => {
    expect(noticeAmong(claim(), told(10), 20)).toBeUndefined()
    expect(noticeAmong(claim(), [...told(10), { claim: claim(OTHER), final: 1 }], 20)).toBeUndefined()
    const liars = Array.from({ length: 10 }, () => ({ claim: claim(ALONE), final: 0 }))
    expect(noticeAmong(claim(), [...told(10), ...liars], 20)).toEqual({ claim: claim(ALONE), final: 7, votes: 20 })
    expect(noticeAmong(claim(), told(11), 20)!.final).toBe(7)
  })
  it('ends with a change that both keys signed', () => {
    expect(noticeAmong(claim(BOTH), told(20), 20)).toBeUndefined()
  })
  it('[a thief of the change words] that a peer serves as the record counts only where most do', () => {
    const votes = (thiefs: number) =>
      Array.from({ length: 20 }, (_, index) => ({
        peer: `${index}`,
        prefix: `10.${index}.0.0/24`,
        held: { claim: index < thiefs ? claim(ALONE, BOTH) : claim(), state: 'settled' as const }
      }))
    const newest = (thiefs: number) => {
      const result = tally(votes(thiefs), { asked: 20, done: true }, MAIN)
      return result.kind === 'owner' ? result.owner.newest.changes : result.kind
    }
    expect([newest(1), newest(10), newest(11)]).toEqual([[], [], [ALONE, BOTH]])
  })
})
