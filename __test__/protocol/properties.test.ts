/** Invariants of protocol.md ("Invariants for property tests and the simulator") at the level of the pure rules. P5 stands in order.test.ts, P6 in kid.test.ts. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AdmissionFacts, Decision } from '../../src/protocol/admission.ts'
import { admit, reviseEntry } from '../../src/protocol/admission.ts'
import { equalBytes } from '../../src/protocol/bytes.ts'
import type { Claim } from '../../src/protocol/claim.ts'
import type { Entry, EntryState } from '../../src/protocol/entry.ts'
import { newEntry, tickEntry } from '../../src/protocol/entry.ts'
import { ProtocolError } from '../../src/protocol/errors.ts'
import { leaseState } from '../../src/protocol/lease.ts'
import type { NeighbourFacts } from '../../src/protocol/neighbours.ts'
import type { NetworkProfile } from '../../src/protocol/profile.ts'
import { profileHash } from '../../src/protocol/profile.ts'
import type { Reveal } from '../../src/protocol/reveal.ts'
import { decodeReveal, encodeReveal, signReveal } from '../../src/protocol/reveal.ts'
import type { ProtocolTime } from '../../src/protocol/time.ts'
import { advanceTime } from '../../src/protocol/time.ts'
import { proofCacheKey } from '../../src/protocol/proof-cache-key.ts'
import type { Checkers } from '../../src/protocol/valid.ts'
import { validateReveal } from '../../src/protocol/valid.ts'
import { bareClaim, keyOf, LOCAL, makeReveal, modelCheckers, timeAt } from './fixtures.ts'

/** Random cases of each property: 10^3 by default, more in long runs. */
const RUNS = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 1000) }

const NOBODY: NeighbourFacts = { answers: [], known: 0 }
const CHECKERS = modelCheckers(LOCAL)

const claims: fc.Arbitrary<Claim> = fc
  .record({
    owner: fc.constantFrom('alice', 'bob', 'carol'),
    firstRound: fc.integer({ min: 1000, max: 1004 }),
    renewal: fc.constantFrom(0, 0, 0, 3),
    serial: fc.nat(2),
    payload: fc.constantFrom('x', 'y'),
    tie: fc.nat(2)
  })
  .map(({ renewal, ...options }) => bareClaim({ ...options, newestRound: options.firstRound + renewal }))

const states = fc.constantFrom<EntryState>('fresh', 'settling', 'settled', 'provisional')

const neighbours: fc.Arbitrary<NeighbourFacts> = fc
  .array(fc.record({ claim: fc.option(claims, { nil: undefined }), state: states, prefix: fc.nat(9) }), { maxLength: 10 })
  .map((peers) => ({
    answers: peers.map(({ claim, state, prefix }, index) => ({ peer: `${index}`, prefix: `${prefix}`, ...(claim === undefined ? {} : { entry: { claimId: claim.id, state } }) })),
    known: peers.length
  }))

/** The entry that stands after a decision. */
function after(entry: Entry | undefined, decision: Decision): Entry | undefined {
  switch (decision.kind) {
    case 'store':
    case 'stale':
      return decision.entry
    case 'refuse':
      return decision.entry ?? entry
    case 'ask':
    case 'adopt':
    case 'wait':
      return entry
  }
}

async function isValid(reveal: Reveal, profile: NetworkProfile, checkers: Checkers = CHECKERS): Promise<boolean> {
  return (await validateReveal(reveal, profile, checkers)).ok
}

describe('invariants', () => {
  it('P1: the same witnessed messages in any order inside the contest make the same entry', () => {
    const facts: AdmissionFacts = { time: timeAt(1005), commitment: { seen: 990 }, neighbours: NOBODY }
    const fold = (messages: readonly Claim[]): Entry | undefined => messages.reduce<Entry | undefined>((entry, claim) => after(entry, admit(entry, claim, facts, LOCAL)), undefined)
    fc.assert(
      fc.property(
        fc.array(claims, { minLength: 1, maxLength: 8 }).chain((messages) => fc.tuple(fc.constant(messages), fc.shuffledSubarray(messages, { minLength: messages.length }))),
        ([messages, shuffled]) => {
          const [one, other] = [fold(messages)!, fold(shuffled)!]
          expect(other.claim.recordHash).toEqual(one.claim.recordHash)
          expect([other.state, other.tenureRound]).toEqual([one.state, one.tenureRound])
        }
      ),
      RUNS
    )
  })

  it('P2: delivering C, at any time and by anybody, never turns a claim from accepted to refused', () => {
    const rounds = fc.integer({ min: 900, max: 1100 })
    fc.assert(
      fc.property(fc.option(fc.tuple(claims, states), { nil: undefined }), claims, rounds, fc.array(rounds, { maxLength: 6 }), neighbours, (held, claim, seen, handed, answers) => {
        const entry = held === undefined ? undefined : newEntry(held[0], held[1], timeAt(1005))
        const base = { time: timeAt(1010), neighbours: answers }
        const without = admit(entry, claim, { ...base, commitment: {} }, LOCAL)
        const handedOver = handed.map((round, index) => ({ peer: `${index}`, prefix: `${index}`, seen: round }))
        const withC = admit(entry, claim, { ...base, commitment: { seen, handedOver } }, LOCAL)
        if (without.kind === 'store') expect(withC.kind).toBe('store')
        if (without.kind !== 'refuse') expect(withC.kind).not.toBe('refuse')
      }),
      RUNS
    )
  })

  it('P3: a settled entry changes its owner only by death', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('claim' as const), claim: claims, seen: fc.integer({ min: 900, max: 1100 }), answers: neighbours }),
      fc.record({ kind: fc.constant('question' as const), answers: neighbours }),
      fc.record({ kind: fc.constant('time' as const), rounds: fc.nat(LOCAL.lease / 8) })
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 8 }), (events) => {
        const owner = bareClaim({ owner: 'owner' })
        let entry = newEntry(owner, 'settled', timeAt(1000))
        let time = timeAt(1010)
        for (const each of events) {
          if (each.kind === 'time') time = timeAt(time.verified + each.rounds)
          const ticked = tickEntry(entry, time, LOCAL)
          if (ticked === undefined) {
            expect(leaseState(entry.claim.newestRound, time.verified, LOCAL).state).toBe('dead')
            return
          }
          entry = ticked
          if (each.kind === 'claim') entry = after(entry, admit(entry, each.claim, { time, commitment: { seen: each.seen }, neighbours: each.answers }, LOCAL)) ?? entry
          if (each.kind === 'question') expect(reviseEntry(entry, each.answers, time, LOCAL)).toBeUndefined()
          expect(entry.state).toBe('settled')
          expect(equalBytes(entry.claim.pubkey, owner.pubkey)).toBe(true)
        }
      }),
      RUNS
    )
  })

  it('P4: whatever the clock says and however long the beacon is down, nothing lapses without a fresh verified pulse', () => {
    const twoYears = 2 * 365 * 86_400
    const stopped = 1_000_000
    fc.assert(
      fc.property(
        fc.array(fc.record({ clock: fc.integer({ min: -twoYears, max: twoYears }), pulse: fc.nat(LOCAL.lease * 3) }), { maxLength: 8 }),
        fc.boolean(),
        states,
        (readings, isClockWild, state) => {
          let time: ProtocolTime = timeAt(stopped)
          let entry: Entry | undefined = newEntry(bareClaim({ firstRound: stopped - 10 }), state, time)
          // Either the clock jumps and the beacon has stopped for good, or the clock goes on and all pulses that come are older than a day.
          const inOrder = isClockWild ? readings : readings.toSorted((left, right) => left.clock - right.clock)
          for (const { clock, pulse } of inOrder) {
            const verified = isClockWild ? Math.min(stopped, pulse) : Math.min(stopped + pulse, stopped + clock - LOCAL.pulse_fresh - 1)
            time = advanceTime(time, { clock: stopped + clock, verified }, LOCAL)
            entry = entry && tickEntry(entry, time, LOCAL)
            expect(entry).toBeDefined()
            expect(leaseState(stopped - 10, time.lapse, LOCAL).state).toBe('live')
          }
        }
      ),
      RUNS
    )
  })

  it('P7: every change of a byte of a Reveal makes it invalid', async () => {
    const bytes = encodeReveal(makeReveal({ renewals: [2000] }))
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (position, flip) => {
        const changed = Uint8Array.from(bytes)
        changed[position]! ^= flip
        try {
          expect(await isValid(decodeReveal(changed), LOCAL)).toBe(false)
        } catch (error) {
          if (!(error instanceof ProtocolError)) throw error
        }
      }),
      RUNS
    )
  })

  it('P8: a verdict remembered under its cache key is the verdict, over all swaps of fields', async () => {
    const reveals = [makeReveal(), makeReveal({ owner: 'bob' }), makeReveal({ name: 'bob.chronym' }), makeReveal({ salt: 'other' }), makeReveal({ p: 1001 }), makeReveal({ renewals: [2000] })]
    const cache = new Map<string, boolean>()
    const cached: Checkers = {
      ...CHECKERS,
      verifyProof: async (check) => {
        const key = proofCacheKey(check.seed, check.iterations, check.proof)
        const known = cache.get(key)
        if (known !== undefined) return known
        const verdict = await CHECKERS.verifyProof(check)
        cache.set(key, verdict)
        return verdict
      }
    }
    const source = fc.constantFrom(...reveals)
    await fc.assert(
      fc.asyncProperty(source, source, source, source, fc.constantFrom('alice', 'bob'), async (a, b, c, d, owner) => {
        const mixed = signReveal({ name: a.name, drand_pulse: b.drand_pulse, iterations: c.iterations, vdf_proof: d.vdf_proof, payload: a.payload }, keyOf(owner), profileHash(LOCAL))
        expect(await validateReveal(mixed, LOCAL, cached)).toEqual(await validateReveal(mixed, LOCAL, CHECKERS))
      }),
      RUNS
    )
  })

  it('P9: what is valid in one profile is invalid in any other', async () => {
    const reveal = makeReveal()
    const numbers = ['renewal_divisor', 'stamp_bits', 'two_segment_from', 'chain_max', 'lease', 'grace', 'pulse_window', 'min_commit', 'contest', 'settle', 'pulse_fresh', 'k', 'answers_per_prefix'] as const
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...numbers), fc.integer({ min: 1, max: 1000 }), async (field, more) => {
        const other = { ...LOCAL, [field]: LOCAL[field] + more }
        // Even where pulses and proofs would pass.
        const yes = { verifyPulse: () => Promise.resolve(true), verifyProof: () => Promise.resolve(true) }
        expect(await isValid(reveal, other, yes)).toBe(false)
        const again = signReveal(reveal, keyOf('alice'), profileHash(other))
        expect(await isValid(again, other, CHECKERS)).toBe(false)
      }),
      RUNS
    )
    expect(await isValid(reveal, LOCAL)).toBe(true)
  })

  it('P10: a chain with a gap anywhere is invalid, one without is valid', async () => {
    const limit = LOCAL.lease + LOCAL.grace
    const steps = fc.array(fc.oneof(fc.integer({ min: 1, max: limit }), fc.integer({ min: limit - 1, max: limit + 2 }), fc.integer({ min: -2, max: 1 })), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(steps, async (gaps) => {
        let round = 1000
        const renewals = gaps.map((gap) => (round += gap))
        fc.pre(renewals.every((p) => p >= 1))
        expect(await isValid(makeReveal({ renewals }), LOCAL)).toBe(gaps.every((gap) => gap >= 1 && gap <= limit))
      }),
      RUNS
    )
  })
})
