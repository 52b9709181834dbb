/** Time chains: what makes an age, and what rules of ages show. */
import { describe, expect, it } from 'vitest'
import { ageOf, bytesOf, pathOf, rootOf, TimeChain } from '../../../../bench/sim/trials/age/chain.ts'
import { shownBy } from '../../../../bench/sim/trials/age/rules.ts'
import { runAges } from '../../../../bench/sim/trials/age/run.ts'
import { sha256, utf8 } from '../../../../src/protocol/encoding/bytes.ts'

const leaf = (name: string): Uint8Array => sha256(utf8(name))
const CLAIM = leaf('claim')

/** Ticks of days 0 to `days`, the claim in that of day 3 among others. */
function chainOf(days: number, leftOut?: number): TimeChain {
  const chain = new TimeChain('somebody')
  for (let day = 0; day <= days; day++)
    if (day !== leftOut) chain.tick(day, day === 3 ? [leaf('a'), leaf('b'), CLAIM] : [leaf(`${day}`)])
  return chain
}

describe('the age of a claim', () => {
  it('is the days of unbroken work since the first tick that holds it', () => {
    const chain = chainOf(100)
    const evidence = chain.evidence(CLAIM)!
    expect(ageOf(CLAIM, evidence, chain.ticks, 100)).toBe(97)
    expect(ageOf(CLAIM, evidence, chain.ticks, 101)).toBe(97)
    expect(chain.evidence(leaf('nobody'))).toBeUndefined()
  })

  it('is none where the chain has stopped, leaves out a day, was changed, or the path is of another claim', () => {
    const chain = chainOf(100)
    const evidence = chain.evidence(CLAIM)!
    expect(ageOf(CLAIM, evidence, chain.ticks, 102), 'stopped').toBe(0)
    const broken = chainOf(100, 50)
    expect(ageOf(CLAIM, broken.evidence(CLAIM)!, broken.ticks, 100), 'broken').toBe(0)
    const forked = chain.ticks.map((tick, at) => (at === 60 ? { ...tick, root: leaf('other') } : tick))
    expect(ageOf(CLAIM, evidence, forked, 100), 'changed').toBe(0)
    expect(ageOf(leaf('b'), evidence, chain.ticks, 100), 'another claim').toBe(0)
    expect(ageOf(CLAIM, { ...evidence, day: 4 }, chain.ticks, 100), 'another day').toBe(0)
    // Before the claim a gap does no harm: the work after it counts.
    const early = chainOf(100, 1)
    expect(ageOf(CLAIM, early.evidence(CLAIM)!, early.ticks, 100)).toBe(97)
  })

  it.each([1, 2, 3, 5, 8, 13])('has a path to the root from each of %i leaves', (count) => {
    const leaves = Array.from({ length: count }, (_, index) => leaf(`${index}`))
    for (const [index, each] of leaves.entries()) {
      const chain = new TimeChain('x')
      chain.tick(0, leaves)
      expect(chain.evidence(each)).toMatchObject({ index, path: pathOf(leaves, index) })
      chain.tick(1, [])
      expect(ageOf(each, chain.evidence(each)!, chain.ticks, 1)).toBe(1)
    }
    expect(rootOf(leaves)).toHaveLength(32)
  })

  it('takes less than a kilobyte beside the record', () => {
    expect(bytesOf({ path: Array.from({ length: 20 }, () => new Uint8Array(32)) })).toBe(688)
  })
})

describe('rules of ages', () => {
  const seen = { kind: 'owner', owner: 'thief' } as const

  it('change nothing without a claim that is four times as old, and at least 30 days', () => {
    for (const ages of [
      [10, 0],
      [100, 26],
      [29, 1]
    ])
      for (const rule of ['today', 'defence', 'over-votes'] as const)
        expect(
          shownBy(
            rule,
            seen,
            new Map([
              ['owner', ages[0]!],
              ['thief', ages[1]!]
            ])
          )
        ).toEqual(seen)
  })

  it('contest or overrule a majority for a much younger claim', () => {
    const ages = new Map([
      ['owner', 365],
      ['thief', 1]
    ])
    expect(shownBy('defence', seen, ages)).toEqual({ kind: 'contested' })
    expect(shownBy('over-votes', seen, ages)).toEqual({ kind: 'owner', owner: 'owner' })
  })
})

it('stop eleven ids, and give one hoarder a name where every chain counts', async () => {
  const results = await runAges({ nodes: 30, seed: '1' })
  const rowOf = (id: string, ids: number): unknown =>
    results.find(({ attack }) => attack.id === id && attack.ids === ids)?.seen
  expect(rowOf('thief with a fresh claim', 11)).toMatchObject({
    anybody: { today: 'wrong', defence: 'contested', 'over-votes': 'right' }
  })
  expect(rowOf('hoarder of four years, one id', 1)).toEqual({
    anybody: { today: 'right', defence: 'contested', 'over-votes': 'wrong' },
    named: { today: 'right', defence: 'right', 'over-votes': 'right' }
  })
  expect(rowOf('evidence withheld: all that are asked', 20)).toMatchObject({ named: { 'over-votes': 'wrong' } })
})
