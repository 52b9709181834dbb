/**
 * Two honest owners claim one name in the same rounds. Each half of its twenty holders saw another commitment, and
 * liars tell each holder what they like.
 */
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { equalBytes } from '../../../src/protocol/encoding/bytes.ts'
import type { Claim } from '../../../src/protocol/claim/claim.ts'
import {
  MAX_CONTENDERS,
  newEntry,
  ownSight,
  tickEntry,
  withSight,
  type Entry
} from '../../../src/protocol/admission/entry.ts'
import { admit, reviseEntry } from '../../../src/protocol/admission/admission.ts'
import { revealWindow } from '../../../src/protocol/time.ts'
import type { NeighbourAnswer } from '../../../src/protocol/admission/neighbours.ts'
import type { Tally } from '../../../src/protocol/resolution/quorum.ts'
import type { CommitmentFacts } from '../../../src/protocol/admission/witness.ts'
import { HolderWorkbench } from '../../network/holder-workbench.ts'
import { randomFrom } from '../../properties/cases.ts'
import { bareClaim, MAIN, timeAt } from '../../protocol/fixtures.ts'
import { answersOf, Neighbourhood, type Holder } from './neighbourhood.ts'

/** The first reveal. */
const BEGIN = 5_000
const ALICE = bareClaim({ owner: 'alice', firstRound: 4_300 })
const BOB = bareClaim({ owner: 'bob', firstRound: 4_301 })

type Lie = (to: Holder, all: readonly Holder[], random: () => number) => Claim | undefined

const holds = (claim: Claim, { entry }: Holder): boolean => entry !== undefined && equalBytes(entry.claim.id, claim.id)
const own: Lie = (to) => (holds(ALICE, to) ? ALICE : BOB)
const other: Lie = (to) => (holds(ALICE, to) ? BOB : ALICE)

const LIES: Record<string, Lie> = {
  'what it holds': own,
  'what the other half holds': other,
  'what the smaller half holds': (to, all) =>
    all.filter((each) => holds(ALICE, each)).length * 2 > all.length ? BOB : ALICE,
  'the earlier claim to its witnesses': (to) => (to.facts.get(ALICE)?.seen === undefined ? undefined : ALICE),
  nothing: () => undefined,
  anything: (_to, _all, random) => (random() < 0.5 ? ALICE : BOB)
}

interface Outcome {
  readonly hood: Neighbourhood
  /** The owners that somebody who resolves may be shown, each by another answer of the liars. */
  readonly owners: (string | undefined)[]
}

/**
 * The first holders have seen Alice's commitment, the others Bob's. Where `isHanded`, every second one was handed over
 * what the others have seen.
 */
function contest({
  liars,
  lie,
  seenAlice,
  isHanded = false,
  isAtOnce = true,
  seed
}: {
  liars: number
  lie: Lie
  seenAlice: number
  isHanded?: boolean
  isAtOnce?: boolean
  seed: number
}): Outcome {
  const random = randomFrom(seed)
  const size = MAIN.k - liars
  const shuffled = Array.from({ length: size }, (_, place) => ({ place, at: random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ place }) => place)
  const seen = new Map<Claim, readonly number[]>([
    [ALICE, shuffled.slice(0, seenAlice)],
    [BOB, shuffled.slice(seenAlice)]
  ])
  const factsAt = (place: number): Map<Claim, CommitmentFacts> =>
    new Map(
      [...seen].map(([claim, witnesses]) => {
        const handedOver = witnesses
          .filter((witness) => witness !== place)
          .map((witness) => ({ peer: `${witness}`, prefix: `${witness}`, seen: claim.firstRound - 20 }))
        return [
          claim,
          {
            ...(witnesses.includes(place) && { seen: claim.firstRound - 20 }),
            ...(isHanded && place % 2 === 0 && { handedOver })
          }
        ]
      })
    )
  const hood = new Neighbourhood(
    { profile: MAIN, claims: [ALICE, BOB], random, liars, lie: (to, all) => lie(to, all, random) },
    factsAt
  )
  const offers = hood.holders
    .flatMap((holder) => [ALICE, BOB].map((claim) => ({ holder, claim, order: random() })))
    .sort((left, right) => left.order - right.order)
  if (isAtOnce) hood.offerAtOnce(offers, BEGIN)
  else
    for (const [index, { holder, claim }] of offers.entries()) hood.offer(holder, claim, BEGIN + Math.floor(index / 10))
  hood.ask(BEGIN + 5 + MAIN.contest, BEGIN + 5 * MAIN.settle)
  return { hood, owners: [ALICE, BOB].map((shown) => ownerIn(hood.resolve(shown))) }
}

/** Neighbours met in round 0 that hold this claim, still settling. */
function settlingOn(claim: Claim, count: number, from = 0): NeighbourAnswer[] {
  return answersOf(count, claim, 'settling', from).map((answer) => ({ ...answer, met: 0 }))
}

function ownerIn(found: Tally): string | undefined {
  if (found.kind !== 'owner' || found.thin) return undefined
  return equalBytes(found.owner.newest.id, ALICE.id) ? 'alice' : 'bob'
}

describe('a neighbourhood that a contest has divided', () => {
  it.each([0, 2, 3, 4, 5])(
    '[liars who keep a contest divided], %i of them, end with one owner everywhere',
    (liars) => {
      const half = Math.floor((MAIN.k - liars) / 2)
      for (const [name, lie] of Object.entries(LIES)) {
        for (const seenAlice of [half - 1, half, half + 1]) {
          for (const [seed, [isHanded, isAtOnce]] of [
            [false, true],
            [true, true],
            [false, false],
            [true, false]
          ].entries()) {
            const { hood, owners } = contest({
              liars,
              lie,
              seenAlice,
              isHanded: isHanded!,
              isAtOnce: isAtOnce!,
              seed: 100 * liars + 10 * seenAlice + seed
            })
            const told =
              `${liars} liars tell ${name}, ${seenAlice} have seen the earlier commitment, ` +
              `handed over: ${isHanded}, at once: ${isAtOnce}`
            expect(owners[0], told).toBe(owners[1])
            expect(owners[0], told).toBeDefined()
            expect(Math.min(hood.count(ALICE), hood.count(BOB)), told).toBeLessThan(MAIN.witness_quorum)
            expect(
              hood.holders.every(({ entry }) => entry?.state === 'settled'),
              told
            ).toBe(true)
            // A claim that comes later finds the other at most holders; and five liars have a holder enter what they
            // say.
            if (isAtOnce && liars < MAIN.witness_quorum) expect(owners, told).toEqual(['alice', 'alice'])
          }
        }
      }
    },
    60_000
  )

  it('[liars who keep a contest divided] need six, where four others saw the earlier commitment (threat model)', () => {
    const lie = LIES['the earlier claim to its witnesses']!
    expect(contest({ liars: 6, lie, seenAlice: 4, seed: 1 }).owners, 'contested, or Bob, as they like').toEqual([
      undefined,
      'bob'
    ])
    expect(contest({ liars: 6, lie, seenAlice: 5, seed: 1 }).owners).toEqual(['alice', 'alice'])
    expect(contest({ liars: 5, lie, seenAlice: 4, seed: 1 }).owners).toEqual(['bob', 'bob'])
  })

  it('[liars who keep a contest divided] serve no claim from after the contest, or from outside it', () => {
    const others = settlingOn(BOB, 15, 5)
    const after = (
      claim: Claim,
      round: number,
      fresh = withSight(newEntry(BOB, 'fresh', timeAt(BEGIN)), 4_281)
    ): ReturnType<typeof reviseEntry> => {
      const entry = tickEntry(fresh, timeAt(round), MAIN)!
      const decision = admit(entry, claim, { time: timeAt(round), commitment: {} }, MAIN)
      if (decision.kind !== 'refuse') throw new Error(decision.kind)
      const settling = tickEntry(decision.entry ?? entry, timeAt(BEGIN + 1_000), MAIN)!
      return reviseEntry(
        settling,
        { answers: [...settlingOn(claim, 5), ...others], known: 20 },
        timeAt(BEGIN + 1_000),
        MAIN
      )
    }
    expect(after(ALICE, BEGIN + MAIN.contest)).toMatchObject({ kind: 'adopt', agreed: { claimId: ALICE.id } })
    expect(after(ALICE, BEGIN + MAIN.contest + 1), 'a VDF that was begun after the reveal').toBeUndefined()
    const window = revealWindow(ALICE.firstIterations, MAIN)
    const [begin, late] = [BEGIN + window, { ...ALICE, firstRound: 1_000 }]
    const kept = withSight(newEntry({ ...BOB, firstRound: begin - 700 }, 'fresh', timeAt(begin)), begin - 720)
    const refused = admit(kept, late, { time: timeAt(begin), commitment: {} }, MAIN)
    expect(refused, 'a finished claim that was kept back for too long').toEqual({
      kind: 'refuse',
      code: 'unwitnessed',
      detail: expect.any(String) as string,
      entry: kept
    })
    // A newcomer has seen neither: to it the old name and its rival have come at the same time.
    expect(after(ALICE, BEGIN + 1, newEntry(BOB, 'settling', timeAt(BEGIN)))).toBeUndefined()
    expect(after(ALICE, BEGIN + 1, withSight(newEntry(BOB, 'settling', timeAt(BEGIN)), 4_281))).toMatchObject({
      kind: 'adopt'
    })
  })

  it('[a partition in the contest] hides a claim, which a holder that saw its C in time follows whenever it comes', () => {
    const hidden = (seen: number | undefined, round: number): ReturnType<typeof reviseEntry> => {
      const fresh = withSight(newEntry(BOB, 'fresh', timeAt(BEGIN)), 4_281)
      const settling = tickEntry(fresh, timeAt(round), MAIN)!
      const commitment = seen === undefined ? {} : { seen }
      const decision = admit(settling, ALICE, { time: timeAt(round), commitment }, MAIN)
      expect(decision).toMatchObject({ kind: 'refuse', code: 'taken' })
      const { entry = settling } = decision as { entry?: Entry }
      return reviseEntry(entry, { answers: settlingOn(ALICE, 10), known: 20 }, timeAt(round), MAIN)
    }
    const half = BEGIN + MAIN.settle / 2
    expect(hidden(4_280, half)).toMatchObject({ kind: 'adopt', agreed: { claimId: ALICE.id } })
    expect(hidden(undefined, half), 'nobody here saw its C').toBeUndefined()
    expect(hidden(ALICE.firstRound - 5, half), 'C came too late for its pulse').toBeUndefined()
  })

  it.each([
    [4, 'owner'],
    [5, 'earlier']
  ])(
    '[liars who keep a contest divided] %i neighbours hold the earlier claim: a restarted holder has that of the %s',
    async (count, winner) => {
      const at = new HolderWorkbench({ profile: { answers_per_prefix: 2, answers_per_wide_prefix: 4 } })
      try {
        const { lab } = at
        const target = at.holder()
        const own = at.witnessed(target, 'divided.chronym', 'owner')
        const earlier = lab.reveal('divided.chronym', lab.owner('earlier'), { p: lab.round - 1 })
        expect(await at.put(target, own)).toEqual({ type: 'stored' })
        expect(await at.put(target, earlier)).toMatchObject({
          type: 'refused',
          code: 'unwitnessed'
        })
        lab.advance(lab.profile.contest + 1)
        at.addNeighbours(14, { reveal: own, state: 'settling' })
        at.addNeighbours(count, { reveal: earlier, state: 'settling' })
        at.neighbours = at.neighbours.map((each, index) => ({
          ...each,
          answer: async (request) => {
            for (let turn = 0; index >= 14 && turn < 1_000; turn++) await setImmediate()
            return each.answer(request)
          }
        }))
        const restarted = at.holder()
        await restarted.reveals.revise(at.key('divided.chronym'))
        expect(at.stateOf(restarted, 'divided.chronym')).toEqual({
          state: 'settling',
          owner: lab.owner(winner).publicKey
        })
      } finally {
        at.close()
      }
    }
  )

  it('notes sixteen claims of a contest, the lowest, and none once it is settled', () => {
    let entry: Entry = withSight(newEntry(BOB, 'fresh', timeAt(BEGIN)), 4_281)
    for (let index = 0; index < 20; index++) {
      const decision = admit(
        entry,
        bareClaim({ owner: `rival ${index}`, firstRound: 4_200 + index }),
        { time: timeAt(BEGIN), commitment: {} },
        MAIN
      )
      entry = (decision as { entry: Entry }).entry
    }
    expect(entry.contenders?.map(({ firstRound }) => firstRound)).toEqual(
      Array.from({ length: MAX_CONTENDERS }, (_, index) => 4_200 + index)
    )
    expect(ownSight(entry)).toBe(4_281)
    const ripe = timeAt(BEGIN + MAIN.settle + 1)
    const revision = reviseEntry(tickEntry(entry, ripe, MAIN)!, { answers: settlingOn(BOB, 20), known: 20 }, ripe, MAIN)
    expect(revision).toMatchObject({ kind: 'keep', entry: { state: 'settled' } })
    expect((revision as { entry: Entry }).entry.contenders).toBeUndefined()
  })
})
