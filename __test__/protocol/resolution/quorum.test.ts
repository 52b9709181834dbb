import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EntryState } from '../../../src/protocol/admission/entry.ts'
import type { ResolveAnswer, Tally } from '../../../src/protocol/resolution/quorum.ts'
import { tally, withoutDead } from '../../../src/protocol/resolution/quorum.ts'
import { bareClaim, MAIN } from '../fixtures.ts'

const ALICE = bareClaim({ owner: 'alice' })
const BOB = bareClaim({ owner: 'bob' })

type Vote = [typeof ALICE, EntryState?] | undefined

function answers(...votes: Vote[]): ResolveAnswer[] {
  return votes.map((vote, index) => {
    const origin = { peer: `${index}`, prefix: `${index}` }
    return vote === undefined ? origin : { ...origin, held: { claim: vote[0], state: vote[1] ?? 'settled' } }
  })
}

function times(count: number, vote: Vote): Vote[] {
  return Array.from({ length: count }, () => vote)
}

function decide(votes: Vote[], asked = votes.length, done = true): Tally {
  return tally(answers(...votes), { asked, done }, MAIN)
}

describe('the vote', () => {
  it('goes to the owner with more than half, "none" without a vote', () => {
    expect(decide([...times(3, [ALICE]), ...times(2, [BOB]), ...times(15, undefined)])).toMatchObject({
      kind: 'owner',
      owner: { pubkey: ALICE.pubkey, votes: 3 },
      of: 5,
      thin: true,
      settled: true
    })
  })

  it('goes to nobody without a majority, and says who had votes', () => {
    const result = decide([...times(2, [ALICE]), ...times(2, [BOB])])
    expect(result).toMatchObject({ kind: 'contested', rule: 'no-majority' })
    expect(result.kind === 'contested' && result.candidates.map(({ votes }) => votes)).toEqual([2, 2])
  })

  it('finds nothing where nobody holds anything', () => {
    expect(decide(times(5, undefined))).toEqual({ kind: 'none', rule: 'nobody-holds-it', answered: 5, thin: true })
    expect(decide(times(10, undefined))).toMatchObject({ kind: 'none', thin: true })
    expect(decide(times(11, undefined))).toMatchObject({ kind: 'none', thin: false })
    expect(decide([])).toMatchObject({ kind: 'none', thin: true })
  })

  it('[a squatter without a witness] has no vote beside a single other answer', () => {
    for (const others of [1, 10])
      expect(decide([...times(10, [BOB, 'provisional']), ...times(others, [ALICE, 'fresh'])], 20)).toMatchObject({
        kind: 'owner',
        owner: { pubkey: ALICE.pubkey },
        of: others,
        thin: true,
        provisional: false,
        settled: false
      })
    expect(decide(times(3, [BOB, 'provisional']))).toMatchObject({
      kind: 'owner',
      rule: 'provisional-only',
      provisional: true,
      settled: false
    })
  })

  it('[a lone vote against a provisional claim] makes it contested where most hold that claim', () => {
    const beside = (provisional: Vote[], others: number): Tally =>
      decide([...provisional, ...times(others, [ALICE, 'fresh'])], 20)
    const bobs = (count: number): Vote[] => times(count, [BOB, 'provisional'])
    for (const others of [1, 5, 9])
      expect(beside(bobs(11), others)).toMatchObject({
        kind: 'contested',
        rule: 'provisional-majority',
        candidates: [
          { pubkey: BOB.pubkey, votes: 11 },
          { pubkey: ALICE.pubkey, votes: others }
        ]
      })
    const alices = { kind: 'owner', owner: { pubkey: ALICE.pubkey } }
    expect(beside(bobs(9), 11)).toMatchObject({ ...alices, thin: false })
    const two: Vote[] = [...bobs(6), ...times(6, [bareClaim({ owner: 'carol' }), 'provisional'])]
    expect(beside(two, 1), 'two claims, none with most').toMatchObject(alices)
    expect(beside(times(15, [ALICE, 'provisional']), 1), 'one claim').toMatchObject(alices)
  })

  it('stops as soon as more than half of those to be asked agree', () => {
    expect(decide(times(10, [ALICE]), 20, false)).toMatchObject({ kind: 'undecided' })
    expect(decide(times(11, [ALICE]), 20, false)).toMatchObject({ kind: 'owner', thin: false })
    expect(decide(times(11, [ALICE, 'provisional']), 20, false)).toMatchObject({ kind: 'undecided' })
  })

  it('counts two answers of a prefix and one of a peer', () => {
    const crowd = answers(...times(9, [BOB])).map((answer) => ({ ...answer, prefix: 'one' }))
    const honest = answers(...times(3, [ALICE])).map((answer) => ({
      ...answer,
      peer: `h${answer.peer}`,
      prefix: `h${answer.prefix}`
    }))
    expect(tally([...crowd, ...honest], { asked: 5, done: true }, MAIN)).toMatchObject({
      kind: 'owner',
      owner: { pubkey: ALICE.pubkey },
      of: 5
    })
    const same = answers([ALICE], [ALICE]).map((answer) => ({ ...answer, peer: 'one' }))
    expect(tally(same, { asked: 2, done: true }, MAIN)).toMatchObject({ of: 1 })
  })

  it('gives the newest record of the owner, from any responder', () => {
    const newest = bareClaim({ owner: 'alice', serial: 7 })
    expect(decide([...times(3, [ALICE]), [newest, 'provisional']])).toMatchObject({ owner: { newest } })
    expect(decide([...times(11, [ALICE]), [newest]], 20)).toMatchObject({ owner: { newest } })
  })

  it('never names two owners, and an early owner is also the late one', () => {
    const vote = fc.constantFrom<Vote>([ALICE], [BOB], [ALICE, 'fresh'], [BOB, 'provisional'], undefined)
    fc.assert(
      fc.property(fc.array(vote, { minLength: 1, maxLength: 20 }), fc.nat(20), (votes, cut) => {
        const asked = votes.length
        const early = decide(votes.slice(0, cut), asked, false)
        const late = decide(votes)
        if (early.kind === 'owner') expect(late).toMatchObject({ kind: 'owner', owner: { pubkey: early.owner.pubkey } })
      }),
      { numRuns: 1000, seed: 1 }
    )
  })
})

describe('a dead claim', () => {
  const END = MAIN.lease + MAIN.grace
  const dead = bareClaim({ owner: 'former', firstRound: 1_000 })
  const live = bareClaim({ owner: 'alice', firstRound: 1_000 + END })
  const owner = (votes: Vote[], lapse = 1_001 + END): unknown => {
    const voted = tally(withoutDead(answers(...votes), lapse, MAIN), { asked: 20, done: true }, MAIN)
    return voted.kind === 'owner' ? [voted.owner.pubkey, voted.owner.votes] : voted.kind
  }

  it('has no vote while somebody shows a live one', () => {
    expect(owner([...times(11, [dead]), ...times(9, [live])])).toEqual([live.pubkey, 9])
    expect(owner([...times(11, [dead]), ...times(9, [live])], END)).toEqual([dead.pubkey, 11])
  })

  it('is what it was where nobody shows a live one: its lease tells that the name is free', () => {
    expect(owner(times(11, [dead]))).toEqual([dead.pubkey, 11])
  })

  it('lives by the newest record that anybody shows', () => {
    const renewed = { ...dead, newestRound: 1_000 + MAIN.lease }
    expect(owner([...times(11, [dead]), [renewed], ...times(5, [live])])).toEqual([dead.pubkey, 12])
  })
})

describe('votes for a claim whose keys changed', () => {
  const change = (first: number) => ({ hash: new Uint8Array(32).fill(first), consented: true })
  const [FIRST, OTHER, LATER] = [change(1), change(2), change(3)]
  const withChanges = (...changes: (typeof FIRST)[]) => ({
    ...bareClaim({ owner: 'alice', changes }),
    pubkey: new Uint8Array(32).fill(changes.length)
  })
  const [before, rotated, later] = [withChanges(), withChanges(FIRST), withChanges(FIRST, LATER)]
  const sold = withChanges(OTHER)
  const vote = (claims: (typeof before)[], final: boolean): Tally =>
    tally(
      claims.map((claim, index) => ({
        peer: `${index}`,
        prefix: `${index}`,
        held: { claim, state: 'settled', ...(final && { final }) }
      })),
      { asked: claims.length, done: true },
      MAIN
    )
  const of = (count: number, claim: typeof before) => Array.from({ length: count }, () => claim)

  it('count for the record with most of them, though some still show the one before', () => {
    expect(vote([...of(19, before), rotated], true)).toMatchObject({
      kind: 'owner',
      owner: { pubkey: rotated.pubkey, votes: 20, final: false }
    })
    expect(vote([...of(5, before), ...of(4, rotated), ...of(11, later)], true)).toMatchObject({
      owner: { pubkey: later.pubkey, final: true }
    })
  })
  it('say that they are final where more than half do, of that record', () => {
    expect(vote(of(20, before), false)).toMatchObject({ owner: { final: true } })
    expect(vote(of(20, rotated), false)).toMatchObject({ owner: { final: false } })
    expect(vote([...of(11, rotated), ...of(9, before)], true)).toMatchObject({ owner: { final: true } })
    expect(vote([...of(10, rotated), ...of(10, before)], true)).toMatchObject({ owner: { final: false } })
  })
  it('[a name sold twice]', () => {
    expect(vote([...of(11, later), ...of(9, sold)], true)).toMatchObject({ owner: { pubkey: later.pubkey, votes: 20 } })
    expect(vote([...of(11, sold), ...of(9, later)], true)).toMatchObject({ owner: { pubkey: sold.pubkey } })
    expect(vote([...of(10, sold), ...of(10, later)], true)).toMatchObject({
      kind: 'contested',
      rule: 'parted',
      candidates: [{ votes: 10 }, { votes: 10 }]
    })
    // those that know of neither do not help one of them, and have the record of before where they are most
    expect(vote([...of(10, before), ...of(9, sold), ...of(1, later)], true)).toMatchObject({ rule: 'parted' })
    for (const others of [
      [...of(5, sold), ...of(3, later)],
      [sold, rotated]
    ])
      expect(vote([...of(12, before), ...others], true)).toMatchObject({
        kind: 'owner',
        owner: { pubkey: before.pubkey, final: true }
      })
    // a fork further on leaves the changes before it
    const [onward, aside] = [withChanges(FIRST, OTHER), later]
    expect(vote([...of(12, rotated), ...of(4, onward), ...of(4, aside)], true)).toMatchObject({
      owner: { pubkey: rotated.pubkey, final: true }
    })
  })
})
