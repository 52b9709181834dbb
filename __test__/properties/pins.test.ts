/** Invariant P13 of docs/protocol.md, section 18, on resolvers. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { equalBytes } from '../../src/protocol/bytes.ts'
import type { EntryState } from '../../src/protocol/entry.ts'
import { applyPin, isPinAlive, nextPin, tally, type Pin, type ResolveAnswer } from '../../src/protocol/quorum.ts'
import { bareClaim, MAIN } from '../protocol/fixtures.ts'
import { CASES } from './cases.ts'

const OWNERS = ['alice', 'mallory', 'bob'] as const
const states = fc.constantFrom<EntryState>('fresh', 'settling', 'settled', 'settled', 'provisional')

/** One look-up: of those who should hold it some are silent, some hold nothing, and all may say anything. */
const lookups = fc.record({
  answers: fc.array(fc.record({ who: fc.option(fc.constantFrom(...OWNERS), { nil: undefined }), state: states, age: fc.oneof(fc.constant(0), fc.nat(MAIN.lease)) }), { maxLength: 20 }),
  silent: fc.nat(10),
  // Often into the grace of a pin, and to its last round.
  rounds: fc.oneof(fc.nat(Math.floor(MAIN.lease / 3)), fc.integer({ min: MAIN.lease, max: MAIN.lease + MAIN.grace + 1 }), fc.constant(MAIN.lease + MAIN.grace))
})

/** Made once: the rules look at key and round, and a case has hundreds of claims. */
const CLAIMS = Object.fromEntries(OWNERS.map((owner) => [owner, bareClaim({ owner, firstRound: 1 })])) as Record<(typeof OWNERS)[number], ReturnType<typeof bareClaim>>

function answersOf(said: readonly { who: (typeof OWNERS)[number] | undefined; state: EntryState; age: number }[], round: number): ResolveAnswer[] {
  return said.map(({ who, state, age }, index) => {
    const origin = { peer: `${index}`, prefix: `${index}` }
    return who === undefined ? origin : { ...origin, held: { claim: { ...CLAIMS[who], newestRound: Math.max(1, round - age) }, state } }
  })
}

describe('a pinned resolver', () => {
  it('P13: accepts no other owner before the lease of the pinned one is dead, whatever all peers say', () => {
    fc.assert(
      fc.property(fc.array(lookups, { minLength: 1, maxLength: 8 }), (sequence) => {
        let pin: Pin | undefined
        let round = 10_000_000
        for (const { answers, silent, rounds } of sequence) {
          round += rounds
          const held = pin !== undefined && isPinAlive(pin, round, MAIN) ? pin : undefined
          const ruled = applyPin(tally(answersOf(answers, round), { asked: answers.length + silent, done: true }, MAIN), pin, round, MAIN)
          if (held !== undefined && ruled.kind === 'owner') expect(equalBytes(ruled.owner.pubkey, held.pubkey)).toBe(true)
          pin = nextPin(ruled, pin, round, MAIN)
          if (held !== undefined) expect(pin === undefined ? undefined : equalBytes(pin.pubkey, held.pubkey)).toBe(true)
          if (held === undefined && pin !== undefined) {
            const backers = answers.filter(({ who, state }) => who !== undefined && state !== 'provisional' && equalBytes(CLAIMS[who].pubkey, pin!.pubkey))
            expect(backers.length * 2, 'a new pin has more than half of all that were to be asked').toBeGreaterThan(answers.length + silent)
          }
        }
      }),
      CASES
    )
  })

  it('P13: with under half of the neighbourhood lying, it is never pinned to a liar', () => {
    const neighbourhoods = fc
      .integer({ min: 1, max: 20 })
      .chain((size) => fc.record({ size: fc.constant(size), liars: fc.nat(Math.floor((size - 1) / 2)), order: fc.shuffledSubarray(Array.from({ length: size }, (_, index) => index), { minLength: 0 }), state: states, honest: states }))
    fc.assert(
      fc.property(neighbourhoods, ({ size, liars, order, state, honest }) => {
        // Whoever of them answers, and in whatever order.
        const said = order.map((peer) => (peer < liars ? { who: 'mallory' as const, state, age: 0 } : { who: 'alice' as const, state: honest, age: 5 }))
        const ruled = tally(answersOf(said, 1000), { asked: size, done: true }, MAIN)
        const pin = nextPin(ruled, undefined, 1000, MAIN)
        if (pin !== undefined) expect(equalBytes(pin.pubkey, CLAIMS.alice.pubkey)).toBe(true)
      }),
      CASES
    )
  })
})
