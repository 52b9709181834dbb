import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EntryState } from '../../../src/protocol/admission/entry.ts'
import {
  type NeighbourAnswer,
  type NeighbourFacts,
  claimToAdopt,
  claimToRepair,
  isAdoptionDecided,
  isRevisionDecided,
  isUnopposed,
  longKnown,
  roundsOfAcquaintance
} from '../../../src/protocol/admission/neighbours.ts'
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import { bytesOf, LOCAL, MAIN } from '../fixtures.ts'

const X = bytesOf('X')
const Y = bytesOf('Y')

/** One answer a peer, each from a prefix of its own. */
function answers(...held: ([Uint8Array, EntryState] | undefined)[]): NeighbourAnswer[] {
  return held.map((entry, index) => {
    const origin = { peer: `peer ${index}`, prefix: `prefix ${index}` }
    return entry === undefined ? origin : { ...origin, entry: { claimId: entry[0], state: entry[1] } }
  })
}

function times<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value)
}

/** Whatever those who were not waited for answer, or never do, says the same as what decided. */
function expectTold(
  isDecided: (facts: NeighbourFacts, awaited: number, profile: NetworkProfile) => boolean,
  said: (facts: NeighbourFacts, profile: NetworkProfile) => unknown
): void {
  for (const profile of [MAIN, LOCAL]) expectToldIn(profile, isDecided, said)
}

function expectToldIn(
  profile: NetworkProfile,
  isDecided: (facts: NeighbourFacts, awaited: number, profile: NetworkProfile) => boolean,
  said: (facts: NeighbourFacts, profile: NetworkProfile) => unknown
): void {
  const entry = fc.option(
    fc.record({
      claimId: fc.constantFrom(X, Y),
      state: fc.constantFrom<EntryState>('fresh', 'settling', 'settled', 'provisional')
    }),
    { nil: undefined, freq: 2 }
  )
  // Of many, so that what they agree on is often decided.
  const agreeing = fc.record({
    claimId: fc.constant(X),
    state: fc.constantFrom<EntryState>('fresh', 'fresh', 'fresh', 'settling')
  })
  const opposed = fc.record({ claimId: fc.constant(Y), state: fc.constant<EntryState>('settling') })
  const fate = fc.constantFrom('heard', 'heard', 'heard', 'heard', 'heard', 'late', 'never')
  const asked = fc.oneof(
    ...[agreeing, opposed, fc.constant(undefined)].map((most) =>
      fc.array(
        fc.record({
          prefix: fc.integer({ min: 0, max: 15 }).map(String),
          met: fc.constantFrom(undefined, 1, 3, 5, 5),
          entry: fc.oneof(entry, most, most, most),
          fate
        }),
        { maxLength: 20 }
      )
    )
  )
  let decided = 0
  fc.assert(
    fc.property(asked, (peers) => {
      const all = peers.map(({ prefix, met, entry: held, fate: of }, index) => ({
        fate: of,
        answer: { peer: `${index}`, prefix, ...(met !== undefined && { met }), ...(held && { entry: held }) }
      }))
      const factsOf = (...fates: string[]) => ({
        answers: all.filter((each) => fates.includes(each.fate)).map(({ answer }) => answer),
        known: peers.length
      })
      const early = factsOf('heard')
      if (!isDecided(early, peers.length - early.answers.length, profile)) return
      if (early.answers.length < peers.length) decided++
      expect(said(factsOf('heard', 'late'), profile)).toEqual(said(early, profile))
    }),
    { numRuns: 5_000 }
  )
  expect(decided).toBeGreaterThan(50)
}

describe('what the neighbourhood agrees on', () => {
  it('is adopted when five diverse peers hold something and more than half of them one claim', () => {
    expect(
      claimToAdopt(
        {
          answers: answers(...times(3, [X, 'settled'] as [Uint8Array, EntryState]), [Y, 'settled'], [Y, 'settled']),
          known: 20
        },
        MAIN
      )
    ).toEqual({ claimId: X, state: 'settling' })
    expect(
      claimToAdopt({ answers: answers(...times(4, [X, 'settled'] as [Uint8Array, EntryState])), known: 20 }, MAIN)
    ).toBeUndefined()
    expect(
      claimToAdopt(
        {
          answers: answers(
            ...times(3, [X, 'settled'] as [Uint8Array, EntryState]),
            ...times(3, [Y, 'settled'] as [Uint8Array, EntryState])
          ),
          known: 20
        },
        MAIN
      )
    ).toBeUndefined()
  })

  it('is what all say where fewer are known, and nothing where nobody is', () => {
    expect(claimToAdopt({ answers: answers([X, 'fresh'], [X, 'fresh']), known: 2 }, LOCAL)).toEqual({
      claimId: X,
      state: 'fresh'
    })
    expect(claimToAdopt({ answers: answers([X, 'fresh'], undefined), known: 2 }, LOCAL)).toBeUndefined()
    expect(claimToAdopt({ answers: [], known: 0 }, LOCAL)).toBeUndefined()
  })

  it('is nothing where fewer are known than a quorum, in a profile that limits prefixes', () => {
    expect(claimToAdopt({ answers: answers([X, 'fresh'], [X, 'fresh']), known: 2 }, MAIN)).toBeUndefined()
    expect(
      claimToRepair(Y, { answers: answers(...times(7, [X, 'settled'] as [Uint8Array, EntryState])), known: 7 }, MAIN)
    ).toBeUndefined()
    expect(
      isUnopposed(X, { answers: answers(...times(7, [X, 'settled'] as [Uint8Array, EntryState])), known: 7 }, MAIN)
    ).toBe(false)
  })

  it('counts no provisional entry and no crowd from one prefix', () => {
    expect(
      claimToAdopt({ answers: answers(...times(9, [X, 'provisional'] as [Uint8Array, EntryState])), known: 9 }, MAIN)
    ).toBeUndefined()
    const crowd = answers(...times(9, [X, 'settled'] as [Uint8Array, EntryState])).map((answer) => ({
      ...answer,
      prefix: 'one'
    }))
    expect(claimToAdopt({ answers: crowd, known: 9 }, MAIN)).toBeUndefined()
  })

  it('repairs only with more than half of all k, silent peers included', () => {
    const x = [X, 'settled'] as [Uint8Array, EntryState]
    expect(claimToRepair(Y, { answers: answers(...times(11, x), ...times(9, undefined)), known: 20 }, MAIN)).toEqual({
      claimId: X,
      state: 'settling'
    })
    expect(claimToRepair(Y, { answers: answers(...times(11, x)), known: 20 }, MAIN)).toBeDefined()
    expect(claimToRepair(Y, { answers: answers(...times(10, x)), known: 10 }, MAIN)).toBeUndefined()
    expect(claimToRepair(X, { answers: answers(...times(11, x)), known: 20 }, MAIN)).toBeUndefined()
  })

  it('repairs where prefixes do not count with more than half of at least eight answers, "none" among them', () => {
    const x = [X, 'settled'] as [Uint8Array, EntryState]
    expect(claimToRepair(Y, { answers: answers(...times(5, x), ...times(3, undefined)), known: 20 }, LOCAL)).toEqual({
      claimId: X,
      state: 'settling'
    })
    expect(
      claimToRepair(Y, { answers: answers(...times(4, x), ...times(4, undefined)), known: 20 }, LOCAL)
    ).toBeUndefined()
    expect(claimToRepair(Y, { answers: answers(...times(7, x)), known: 20 }, LOCAL)).toBeUndefined()
    expect(claimToRepair(Y, { answers: answers(...times(3, x)), known: 3 }, LOCAL)).toBeDefined()
  })
})

describe('those that a node without an entry hears', () => {
  const met = (...rounds: (number | undefined)[]): NeighbourAnswer[] =>
    answers(...times(rounds.length, undefined)).map((answer, index) => ({
      ...answer,
      ...(rounds[index] !== undefined && { met: rounds[index] })
    }))
  const heard = (all: NeighbourAnswer[], rounds: number[], profile = MAIN, known = 20): number =>
    longKnown({ answers: all, known }, rounds, profile).answers.length

  it('are the eight or more known longest, otherwise those known long, otherwise all', () => {
    expect(heard(met(...times(8, 1), ...times(8, 5), ...times(4, 9)), [2, 6])).toBe(8)
    expect(heard(met(...times(7, 1), ...times(9, 5), ...times(4, 9)), [2, 6])).toBe(16)
    expect(heard(met(...times(7, 1), ...times(13, 9)), [2, 6])).toBe(20)
    expect(heard(met(...times(8, 2), ...times(12, undefined)), [2])).toBe(20)
  })

  it('are diverse', () => {
    const crowd = met(...times(20, 1)).map((answer) => ({ ...answer, prefix: 'one' }))
    expect(heard([...crowd, ...met(...times(7, 9))], [2])).toBe(27)
  })

  it('are all known where prefixes do not count and there are fewer', () => {
    expect(heard(met(1, 1), [2], LOCAL, 2)).toBe(2)
    expect(heard(met(1, 1, 9), [2], LOCAL, 3)).toBe(3)
    expect(heard([], [2], LOCAL, 0)).toBe(0)
  })

  it('are known for a week, for a day, and since before the commitment', () => {
    const profile = { provisional_settle: 700, settle: 100 }
    expect(roundsOfAcquaintance({ now: 1000 }, undefined, profile)).toEqual([300, 900])
    expect(roundsOfAcquaintance({ now: 1000 }, 250, profile)).toEqual([250, 300, 900])
    expect(roundsOfAcquaintance({ now: 1000 }, 990, profile)).toEqual([300, 900, 990])
  })
})

describe('whether those who are silent still can change what is adopted', () => {
  const x = [X, 'fresh'] as [Uint8Array, EntryState]

  it.each([
    ['sixteen of twenty hold nothing', answers(...times(16, undefined)), 4, true],
    ['fifteen do', answers(...times(15, undefined)), 5, false],
    [
      'fourteen hold nothing, two hold a provisional claim',
      answers(...times(14, undefined), ...times(2, [X, 'provisional'] as [Uint8Array, EntryState])),
      4,
      true
    ],
    ['three hold a claim, sixteen nothing', answers(...times(3, x), ...times(16, undefined)), 1, true],
    ['four hold it', answers(...times(4, x), ...times(15, undefined)), 1, false],
    ['enough hold it that the last one cannot change that', answers(...times(6, x), ...times(13, undefined)), 1, true],
    [
      'as many of them are settling as fresh',
      answers(...times(4, x), ...times(4, [X, 'settling'] as [Uint8Array, EntryState]), ...times(11, undefined)),
      1,
      false
    ],
    [
      'of two claims neither leads by more',
      answers(...times(6, x), ...times(4, [Y, 'fresh'] as [Uint8Array, EntryState]), ...times(9, undefined)),
      1,
      false
    ]
  ])('%s', (_title, heard, awaited, decided) =>
    expect(isAdoptionDecided({ answers: heard, known: 20 }, awaited, MAIN)).toBe(decided)
  )

  it('is told by none of their answers', () => {
    expectTold(isAdoptionDecided, claimToAdopt)
  })

  it.each([[[2]], [[4]], [[2, 4]], [[2, 4, 6]]])('is told by none of their answers where rounds %j count', (rounds) => {
    expectTold(
      (facts, awaited, profile) => isAdoptionDecided(facts, awaited, profile, rounds),
      (facts, profile) => claimToAdopt(longKnown(facts, rounds, profile), profile)
    )
  })
})

describe('the answers that a question about an entry can do without', () => {
  const x = [X, 'settling'] as [Uint8Array, EntryState]
  const y = [Y, 'settled'] as [Uint8Array, EntryState]

  it.each([
    ['most hold the same', answers(...times(14, x)), 6, true],
    ['enough are silent that they could have others repair it', answers(...times(13, x)), 7, false],
    ['nobody else holds it', answers(...times(16, undefined)), 4, true],
    [
      'nobody else holds it, and enough are silent that they could name a claim to adopt',
      answers(...times(15, undefined)),
      5,
      false
    ],
    ['most hold another', answers(...times(15, y), x), 4, true],
    [
      'most hold another, yet too few of all k: four of one prefix with them would change that',
      answers(...times(14, y), ...times(2, x)),
      4,
      false
    ],
    [
      'most of those who have answered hold another, yet not of all',
      answers(...times(9, y), ...times(7, undefined)),
      4,
      false
    ],
    ['too few answer to settle', answers(...times(7, x)), 0, false]
  ])('%s', (_title, heard, awaited, decided) =>
    expect(isRevisionDecided(X, { answers: heard, known: 20 }, awaited, MAIN)).toBe(decided)
  )

  it('is told by none of their answers', () => {
    expectTold(
      (facts, awaited, profile) => isRevisionDecided(X, facts, awaited, profile),
      (facts, profile) => [
        claimToAdopt(facts, profile),
        claimToRepair(X, facts, profile),
        isUnopposed(X, facts, profile)
      ]
    )
  })
})

describe('whether a claim may settle', () => {
  const x = [X, 'settling'] as [Uint8Array, EntryState]
  const y = [Y, 'settled'] as [Uint8Array, EntryState]

  it.each<[string, NeighbourFacts['answers'], number, boolean, NetworkProfile?]>([
    ['eight of twenty answer, with nothing or with it', answers(...times(4, undefined), ...times(4, x)), 20, true],
    ['seven of twenty do', answers(...times(7, x)), 20, false],
    ['two of three do, where there are no more', answers(x, undefined), 3, true, LOCAL],
    ['two of three do', answers(x, undefined), 3, false],
    ['one of two does', answers(x), 2, false, LOCAL],
    ['four liars name another claim', answers(...times(4, y), ...times(8, undefined)), 20, true],
    ['five do, and no more hold it', answers(...times(5, y), ...times(5, x)), 20, true],
    [
      'most of those who hold something hold another claim',
      answers(...times(5, y), ...times(4, x), ...times(9, undefined)),
      20,
      false
    ],
    ['the two that answer hold another claim', answers(y, y), 3, false, LOCAL],
    ['provisional ones hold another', answers(...times(8, [Y, 'provisional'] as [Uint8Array, EntryState])), 8, true]
  ])('%s', (_title, heard, known, may, profile = MAIN) =>
    expect(isUnopposed(X, { answers: heard, known }, profile)).toBe(may)
  )

  it('cannot be told by one who knows of nobody, but where one node may be all', () => {
    expect(isUnopposed(X, { answers: [], known: 0 }, MAIN)).toBe(false)
    expect(isUnopposed(X, { answers: [], known: 0 }, LOCAL)).toBe(true)
  })

  it('needs answers of many machines', () => {
    const crowd = answers(...times(20, x)).map((answer) => ({ ...answer, prefix: 'one' }))
    expect(isUnopposed(X, { answers: crowd, known: 20 }, MAIN)).toBe(false)
  })
})
