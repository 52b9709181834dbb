import { describe, expect, it } from 'vitest'
import { isWitnessed, medianSeen } from '../../../src/protocol/admission/witness.ts'
import { bareClaim, LOCAL, MAIN, timeAt } from '../fixtures.ts'

describe('a witness', () => {
  const claim = bareClaim({ firstRound: 1000 })
  const handed = (...rounds: number[]) => rounds.map((seen, index) => ({ peer: `${index}`, prefix: `${index}`, seen }))

  it.each([
    [982, true],
    [600, true],
    [599, false],
    [983, false],
    [1000, false],
    [1001, false]
  ])('that saw C at %i: %s', (seen, witnessed) =>
    expect(isWitnessed(claim, { seen }, timeAt(1100), MAIN)).toBe(witnessed)
  )

  it('[a pulse that was known before the commitment] is no witness: p follows its s, where the slack is no less than min_commit too', () => {
    for (const [min_commit, receipt_slack, latest] of [
      [2, 2, 999],
      [1, 0, 999],
      [1, 9, 999],
      [3, 2, 999],
      [4, 2, 998],
      [20, 0, 980]
    ] as const) {
      const profile = { ...MAIN, min_commit, receipt_slack }
      expect(
        [latest, latest + 1].map((seen) => isWitnessed(claim, { seen }, timeAt(1100), profile)),
        `${min_commit}, ${receipt_slack}`
      ).toEqual([true, false])
    }
  })

  it('[a claim that few vouch for] has one in more than half of k diverse neighbours, whatever the others say or leave out', () => {
    const eleven = handed(...Array.from({ length: 10 }, () => 1), 980)
    const late = handed(...Array.from({ length: 9 }, () => 5000)).map((word) => ({
      ...word,
      peer: `late ${word.peer}`
    }))
    expect(medianSeen(eleven, MAIN)).toBe(980)
    expect(medianSeen([...late, ...eleven], MAIN)).toBe(980)
    expect(medianSeen(eleven.slice(1), MAIN)).toBeUndefined()
    expect(
      medianSeen(
        eleven.map((word) => ({ ...word, prefix: 'one' })),
        MAIN
      )
    ).toBeUndefined()
    expect(isWitnessed(claim, { handedOver: eleven }, timeAt(1100), MAIN)).toBe(true)
    expect(
      isWitnessed(claim, { handedOver: handed(...Array.from({ length: 10 }, () => 980)) }, timeAt(1100), MAIN)
    ).toBe(false)
    expect(isWitnessed(claim, { seen: 2000, handedOver: eleven }, timeAt(2001), MAIN)).toBe(true)
    expect(isWitnessed(claim, { seen: 2000, vouched: 980 }, timeAt(2001), MAIN)).toBe(true)
    expect(isWitnessed(claim, { seen: 2000, vouched: 1990 }, timeAt(2001), MAIN)).toBe(false)
  })

  it('counts against an entry if C came before it: by arrival, else by rounds', () => {
    const witnessed = (facts: object, entry: object): boolean =>
      isWitnessed(claim, { seen: 970, ...facts }, timeAt(1100), MAIN, { tenureRound: 970, ...entry })
    expect(witnessed({ arrival: 7 }, { arrival: 8 })).toBe(true)
    expect(witnessed({ arrival: 8 }, { arrival: 7 })).toBe(false)
    for (const [facts, entry] of [
      [{}, {}],
      [{ arrival: 7 }, {}],
      [{}, { arrival: 8 }]
    ] as const) {
      expect(witnessed(facts, entry)).toBe(false)
      expect(witnessed({ ...facts, seen: 969 }, entry)).toBe(true)
    }
    expect(witnessed({ arrival: 8, vouched: 969 }, { arrival: 7 })).toBe(true)
    expect(witnessed({ arrival: 8, vouched: 970 }, { arrival: 7 })).toBe(false)
  })

  it('may be five neighbours where prefixes do not count, by the median of what they saw', () => {
    expect(medianSeen(handed(1, 2, 980, 995, 5000), LOCAL)).toBe(980)
    expect(medianSeen(handed(1, 2, 3, 4), LOCAL)).toBeUndefined()
  })
})
