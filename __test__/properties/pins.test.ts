/** Invariant P13 of docs/protocol/rules.md, 18, on resolvers. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { equalBytes } from '../../src/protocol/encoding/bytes.ts'
import type { EntryState } from '../../src/protocol/admission/entry.ts'
import { rulePin, type Pin } from '../../src/protocol/resolution/pin.ts'
import { tally, type ResolveAnswer } from '../../src/protocol/resolution/quorum.ts'
import { bareClaim, MAIN } from '../protocol/fixtures.ts'
import { CASES } from './cases.ts'

const OWNERS = ['alice', 'mallory', 'bob'] as const
type Owner = (typeof OWNERS)[number]
const states = fc.constantFrom<EntryState>('fresh', 'settling', 'settled', 'settled', 'provisional')

/** Often by whole spans of `pin_after`, and just beside them; or into the grace of a pin, and to its last round. */
const steps = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(0, 0.5, 1, 1, 1.5, 2), fc.integer({ min: -1, max: 1 }))
      .map(([spans, aside]) => Math.max(0, spans * MAIN.pin_after + aside))
  },
  { weight: 1, arbitrary: fc.nat(Math.floor(MAIN.lease / 3)) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.integer({ min: MAIN.lease, max: MAIN.lease + MAIN.grace + 1 }),
      fc.constant(MAIN.lease + MAIN.grace)
    )
  }
)

const answer = fc.record({
  who: fc.option(fc.constantFrom(...OWNERS), { nil: undefined }),
  state: states,
  age: fc.oneof(fc.constant(0), fc.nat(MAIN.lease))
})

/**
 * One look-up: some holders are silent, some hold nothing, and all may say anything; often most agree, or few answer.
 */
const lookups = fc.record({
  answers: fc.oneof(
    fc.array(answer, { maxLength: 20 }),
    fc
      .tuple(fc.constantFrom('alice' as const, 'alice' as const, 'mallory' as const), fc.integer({ min: 1, max: 20 }))
      .map(([who, count]) => Array.from({ length: count }, () => ({ who, state: 'settled' as const, age: 0 })))
  ),
  silent: fc.oneof(fc.constant(0), fc.nat(10)),
  rounds: steps,
  /** Rounds that the beacon is behind the clock. */
  behind: fc.oneof(fc.constant(0), fc.nat(2 * MAIN.pin_after)),
  isSecondLook: fc.boolean(),
  spread: fc.double({ min: 0, max: 0.999, noNaN: true })
})

/** Made once: the rules look at key and round, and a case has hundreds of claims. */
const CLAIMS = Object.fromEntries(OWNERS.map((owner) => [owner, bareClaim({ owner, firstRound: 1 })])) as Record<
  Owner,
  ReturnType<typeof bareClaim>
>

function answersOf(
  said: readonly { who: Owner | undefined; state: EntryState; age: number }[],
  round: number
): ResolveAnswer[] {
  return said.map(({ who, state, age }, index) => {
    const origin = { peer: `${index}`, prefix: `${index}` }
    return who === undefined
      ? origin
      : { ...origin, held: { claim: { ...CLAIMS[who], newestRound: Math.max(1, round - age) }, state } }
  })
}

describe('a resolver', () => {
  it('P13: after a firm pin accepts no other before the lease is dead; pins need two sightings a day apart', () => {
    fc.assert(
      fc.property(fc.array(lookups, { minLength: 1, maxLength: 12 }), (sequence) => {
        let pin: Pin | undefined
        let round = 10_000_000
        let lapse = round
        /** Sightings of an owner since another one was seen: rounds of the clock. */
        let seen: { who: string; sinceRound: number } | undefined
        for (const { answers, silent, rounds, behind, isSecondLook, spread } of sequence) {
          round += rounds
          lapse = Math.max(lapse, round - behind)
          const time = { now: round, lapse }
          const held = pin !== undefined && lapse <= pin.newestRound + MAIN.lease + MAIN.grace ? pin : undefined
          const voted = tally(answersOf(answers, round), { asked: answers.length + silent, done: true }, MAIN)
          const ruling = rulePin(voted, pin, { time, isSecondLook, spread }, MAIN)
          if (held?.state === 'firm') {
            if (ruling.result.kind === 'owner') expect(equalBytes(ruling.result.owner.pubkey, held.pubkey)).toBe(true)
            expect(ruling.pin?.state === 'firm' && equalBytes(ruling.pin.pubkey, held.pubkey)).toBe(true)
          }
          // By a rule of its own: what counts as a sighting.
          const backers =
            voted.kind === 'owner'
              ? answers.filter(
                  ({ who, state }) =>
                    who !== undefined && state !== 'provisional' && equalBytes(CLAIMS[who].pubkey, voted.owner.pubkey)
                )
              : []
          const isMajority =
            backers.length * 2 > Math.max(MAIN.k, answers.length + silent) &&
            backers.length >= MAIN.repair_quorum &&
            backers.filter(({ state }) => state === 'settled').length * 2 > backers.length
          if (isMajority && seen?.who !== backers[0]!.who) seen = { who: backers[0]!.who!, sinceRound: round }
          if (ruling.pin?.state === 'firm' && held?.state !== 'firm') {
            expect(isMajority && isSecondLook, 'the second sighting is one, and by another look-up').toBe(true)
            expect(
              lapse - seen!.sinceRound,
              'the same majority since a day at least, in verified rounds'
            ).toBeGreaterThanOrEqual(MAIN.pin_after)
            expect(round - ruling.pin.firstRound, 'not longer ago than two days').toBeLessThanOrEqual(
              2 * MAIN.pin_after
            )
          }
          pin = ruling.pin
        }
      }),
      CASES
    )
  })

  it('P13: with under half of the neighbourhood lying is pinned firmly to no liar', () => {
    const neighbourhoods = fc.integer({ min: 1, max: 20 }).chain((size) =>
      fc.record({
        size: fc.constant(size),
        liars: fc.nat(Math.floor((size - 1) / 2)),
        looks: fc.array(
          fc.record({
            order: fc.shuffledSubarray(Array.from({ length: size }, (_, index) => index)),
            state: states,
            honest: states,
            rounds: steps,
            isSecondLook: fc.boolean()
          }),
          { minLength: 1, maxLength: 6 }
        )
      })
    )
    fc.assert(
      fc.property(neighbourhoods, ({ size, liars, looks }) => {
        let pin: Pin | undefined
        let round = 1000
        for (const { order, state, honest, rounds, isSecondLook } of looks) {
          round += rounds
          // Any of them answer, in any order.
          const said = order.map((peer) =>
            peer < liars ? { who: 'mallory' as const, state, age: 0 } : { who: 'alice' as const, state: honest, age: 5 }
          )
          const voted = tally(answersOf(said, round), { asked: size, done: true }, MAIN)
          pin = rulePin(voted, pin, { time: { now: round, lapse: round }, isSecondLook, spread: 0 }, MAIN).pin
          if (pin !== undefined) expect(equalBytes(pin.pubkey, CLAIMS.alice.pubkey), pin.state).toBe(true)
        }
      }),
      CASES
    )
  })
})
