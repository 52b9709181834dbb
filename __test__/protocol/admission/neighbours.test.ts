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

/** What one peer answers: the claim that it holds, or nothing. */
type Held = [Uint8Array, EntryState] | undefined

/** One answer a peer, each from a prefix of its own. */
function answers(...held: Held[]): NeighbourAnswer[] {
  return held.map((entry, index) => {
    const origin = { peer: `peer ${index}`, prefix: `prefix ${index}` }
    return entry === undefined ? origin : { ...origin, entry: { claimId: entry[0], state: entry[1] } }
  })
}

function times<T extends Held | number>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value)
}

/** The answers of those who answer, among as many as are known. */
function told(known: number, ...held: Held[]): NeighbourFacts {
  return { answers: answers(...held), known }
}

/** As many peers at one prefix. */
function crowd(count: number, held: Held): NeighbourAnswer[] {
  return answers(...times(count, held)).map((answer) => ({ ...answer, prefix: 'one' }))
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
    { numRuns: 5_000, seed: 1 }
  )
  expect(decided).toBeGreaterThan(50)
}

describe('what the neighbourhood agrees on', () => {
  const settledX: Held = [X, 'settled']
  const freshX: Held = [X, 'fresh']

  it('is adopted when five diverse peers hold something and more than half of them one claim', () => {
    const settledY: Held = [Y, 'settled']
    expect(claimToAdopt(told(20, ...times(3, settledX), ...times(2, settledY)), MAIN)).toEqual({
      claimId: X,
      state: 'settling'
    })
    expect(claimToAdopt(told(20, ...times(4, settledX)), MAIN)).toBeUndefined()
    expect(claimToAdopt(told(20, ...times(3, settledX), ...times(3, settledY)), MAIN)).toBeUndefined()
  })

  it('is what all say where fewer are known, and nothing where nobody is', () => {
    expect(claimToAdopt(told(2, freshX, freshX), LOCAL)).toEqual({ claimId: X, state: 'fresh' })
    expect(claimToAdopt(told(2, freshX, undefined), LOCAL)).toBeUndefined()
    expect(claimToAdopt(told(0), LOCAL)).toBeUndefined()
  })

  it('is nothing where fewer are known than a quorum, in a profile that limits prefixes', () => {
    expect(claimToAdopt(told(2, freshX, freshX), MAIN)).toBeUndefined()
    expect(claimToRepair(Y, told(7, ...times(7, settledX)), MAIN)).toBeUndefined()
    expect(isUnopposed(X, told(7, ...times(7, settledX)), MAIN)).toBe(false)
  })

  it('counts no provisional entry and no crowd from one prefix', () => {
    expect(claimToAdopt(told(9, ...times(9, [X, 'provisional'])), MAIN)).toBeUndefined()
    expect(claimToAdopt({ answers: crowd(9, settledX), known: 9 }, MAIN)).toBeUndefined()
  })

  it('repairs only with more than half of all k, silent peers included', () => {
    const repaired = { claimId: X, state: 'settling' }
    expect(claimToRepair(Y, told(20, ...times(11, settledX), ...times(9, undefined)), MAIN)).toEqual(repaired)
    expect(claimToRepair(Y, told(20, ...times(11, settledX)), MAIN)).toBeDefined()
    expect(claimToRepair(Y, told(10, ...times(10, settledX)), MAIN)).toBeUndefined()
    expect(claimToRepair(X, told(20, ...times(11, settledX)), MAIN)).toBeUndefined()
  })

  it('repairs where prefixes do not count with more than half of at least eight answers, "none" among them', () => {
    const repaired = { claimId: X, state: 'settling' }
    expect(claimToRepair(Y, told(20, ...times(5, settledX), ...times(3, undefined)), LOCAL)).toEqual(repaired)
    expect(claimToRepair(Y, told(20, ...times(4, settledX), ...times(4, undefined)), LOCAL)).toBeUndefined()
    expect(claimToRepair(Y, told(20, ...times(7, settledX)), LOCAL)).toBeUndefined()
    expect(claimToRepair(Y, told(3, ...times(3, settledX)), LOCAL)).toBeDefined()
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
    const ofOnePrefix = crowd(20, undefined).map((answer) => ({ ...answer, met: 1 }))
    expect(heard([...ofOnePrefix, ...met(...times(7, 9))], [2])).toBe(27)
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
  const x: Held = [X, 'fresh']

  it.each<[string, Held[], number, boolean]>([
    ['sixteen of twenty hold nothing', times(16, undefined), 4, true],
    ['fifteen do', times(15, undefined), 5, false],
    [
      'fourteen hold nothing, two hold a provisional claim',
      [...times(14, undefined), ...times(2, [X, 'provisional'])],
      4,
      true
    ],
    ['three hold a claim, sixteen nothing', [...times(3, x), ...times(16, undefined)], 1, true],
    ['four hold it', [...times(4, x), ...times(15, undefined)], 1, false],
    ['enough hold it that the last one cannot change that', [...times(6, x), ...times(13, undefined)], 1, true],
    [
      'as many of them are settling as fresh',
      [...times(4, x), ...times(4, [X, 'settling']), ...times(11, undefined)],
      1,
      false
    ],
    [
      'of two claims neither leads by more',
      [...times(6, x), ...times(4, [Y, 'fresh']), ...times(9, undefined)],
      1,
      false
    ]
  ])('%s', (_title, heard, awaited, decided) =>
    expect(isAdoptionDecided(told(20, ...heard), awaited, MAIN)).toBe(decided)
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

/** What holders of the entry asked about, and of another, answer. */
const x: Held = [X, 'settling']
const y: Held = [Y, 'settled']

describe('the answers that a question about an entry can do without', () => {
  it.each<[string, Held[], number, boolean]>([
    ['most hold the same', times(14, x), 6, true],
    ['enough are silent that they could have others repair it', times(13, x), 7, false],
    ['nobody else holds it', times(16, undefined), 4, true],
    [
      'nobody else holds it, and enough are silent that they could name a claim to adopt',
      times(15, undefined),
      5,
      false
    ],
    ['most hold another', [...times(15, y), x], 4, true],
    [
      'most hold another, yet too few of all k: four of one prefix with them would change that',
      [...times(14, y), ...times(2, x)],
      4,
      false
    ],
    [
      'most of those who have answered hold another, yet not of all',
      [...times(9, y), ...times(7, undefined)],
      4,
      false
    ],
    ['too few answer to settle', times(7, x), 0, false]
  ])('%s', (_title, heard, awaited, decided) =>
    expect(isRevisionDecided(X, told(20, ...heard), awaited, MAIN)).toBe(decided)
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
  it.each<[string, Held[], number, boolean, NetworkProfile?]>([
    ['eight of twenty answer, with nothing or with it', [...times(4, undefined), ...times(4, x)], 20, true],
    ['seven of twenty do', times(7, x), 20, false],
    ['two of three do, where there are no more', [x, undefined], 3, true, LOCAL],
    ['two of three do', [x, undefined], 3, false],
    ['one of two does', [x], 2, false, LOCAL],
    ['four liars name another claim', [...times(4, y), ...times(8, undefined)], 20, true],
    ['five do, and no more hold it', [...times(5, y), ...times(5, x)], 20, true],
    [
      'most of those who hold something hold another claim',
      [...times(5, y), ...times(4, x), ...times(9, undefined)],
      20,
      false
    ],
    ['the two that answer hold another claim', [y, y], 3, false, LOCAL],
    ['provisional ones hold another', times(8, [Y, 'provisional']), 8, true]
  ])('%s', (_title, heard, known, may, profile = MAIN) =>
    expect(isUnopposed(X, told(known, ...heard), profile)).toBe(may)
  )

  it('cannot be told by one who knows of nobody, but where one node may be all', () => {
    expect(isUnopposed(X, told(0), MAIN)).toBe(false)
    expect(isUnopposed(X, told(0), LOCAL)).toBe(true)
  })

  it('needs answers of many machines', () => {
    expect(isUnopposed(X, { answers: crowd(20, x), known: 20 }, MAIN)).toBe(false)
  })
})
