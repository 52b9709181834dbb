/** Invariants of docs/protocol/rules.md, 18, on entries: P1, P2, P3, P4. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AdmissionFacts, Decision } from '../../src/protocol/admission/admission.ts'
import { admit, adopt, reviseEntry } from '../../src/protocol/admission/admission.ts'
import { compareBytes, equalBytes, toHex } from '../../src/protocol/encoding/bytes.ts'
import { type Claim, compareRecords } from '../../src/protocol/claim/claim.ts'
import { type Entry, type EntryState, newEntry, tickEntry } from '../../src/protocol/admission/entry.ts'
import { leaseState, type ProtocolTime, advanceTime } from '../../src/protocol/time.ts'
import type { NeighbourFacts } from '../../src/protocol/admission/neighbours.ts'
import { parseProfile, type NetworkProfile } from '../../src/protocol/profile/profile.ts'
import type { CommitmentFacts } from '../../src/protocol/admission/witness.ts'
import { bareClaim, LOCAL, timeAt } from '../protocol/fixtures.ts'
import { CASES } from './cases.ts'

const NOBODY: NeighbourFacts = { answers: [], known: 0 }

/** Records of three keys with first links, renewals and updates that collide often: a key has several claims. */
const claims: fc.Arbitrary<Claim> = fc
  .record({
    owner: fc.constantFrom('alice', 'bob', 'carol'),
    firstRound: fc.integer({ min: 1000, max: 1004 }),
    renewal: fc.constantFrom(0, 0, 0, 3, 4),
    serial: fc.nat(2),
    payload: fc.constantFrom('x', 'y'),
    tie: fc.nat(2)
  })
  .map(({ renewal, ...options }) => claimOf({ ...options, newestRound: options.firstRound + renewal }))

const claimsById = new Map<string, Claim>()
const claimsMade = new Map<string, Claim>()

/** Made once each: there are a thousand, and a case has dozens. */
function claimOf(options: Parameters<typeof bareClaim>[0]): Claim {
  const key = JSON.stringify(options)
  const claim = claimsMade.get(key) ?? known(bareClaim(options))
  claimsMade.set(key, claim)
  return claim
}

/** Any record of a claim can be fetched by the claim's id. */
function known(claim: Claim): Claim {
  claimsById.set(Buffer.from(claim.id).toString('hex'), claim)
  return claim
}

/** `local`, where the slack of clocks takes all of `min_commit`, and one where it does not. */
const profiles = fc.constantFrom<NetworkProfile>(LOCAL, parseProfile({ ...LOCAL, id: 'slow', min_commit: 20 }))

const states = fc.constantFrom<EntryState>('fresh', 'settling', 'settled', 'provisional')

const neighbours: fc.Arbitrary<NeighbourFacts> = fc
  .array(fc.record({ claim: fc.option(claims, { nil: undefined }), state: states, prefix: fc.nat(9) }), {
    maxLength: 10
  })
  .chain((peers) =>
    fc.record({ unheard: fc.nat(3), isCrowd: fc.boolean() }).map(({ unheard, isCrowd }) => ({
      // A crowd: all say what the first says, as an attacker's peers would.
      answers: peers.map(({ claim, state, prefix }, index) => {
        const said = isCrowd ? peers[0]!.claim : claim
        return {
          peer: `${index}`,
          prefix: `${prefix}`,
          ...(said === undefined ? {} : { entry: { claimId: said.id, state } })
        }
      }),
      known: peers.length + unheard
    }))
  )

/** Any time around 1010: the beacon ahead of the clock, on time, late, or away for days. */
const times: fc.Arbitrary<ProtocolTime> = fc
  .record({
    verified: fc.integer({ min: 1004, max: 1040 }),
    ahead: fc.oneof(
      fc.integer({ min: -10, max: 10 }),
      fc.integer({ min: LOCAL.pulse_fresh - 2, max: LOCAL.pulse_fresh + 2 })
    )
  })
  .map(({ verified, ahead }) => advanceTime(timeAt(1000), { clock: verified + ahead, verified }, LOCAL))

/** The entry after a decision. */
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

describe('invariants of entries', () => {
  it('P1: the same witnessed messages in any order, at any times inside the contest, make the same entry', () => {
    /** The first message comes at 1005; the contest begins with it. */
    const fold = (messages: readonly Claim[], rounds: readonly number[]): Entry | undefined => {
      let entry: Entry | undefined
      for (const [index, claim] of messages.entries()) {
        const time = timeAt(index === 0 ? 1005 : 1005 + rounds[index - 1]!)
        entry = entry && tickEntry(entry, time, LOCAL)
        const facts: AdmissionFacts = { time, commitment: { seen: 990 }, neighbours: NOBODY }
        entry = after(entry, admit(entry, claim, facts, LOCAL))
      }
      return entry && tickEntry(entry, timeAt(1006 + LOCAL.contest), LOCAL)
    }
    const rounds = fc
      .array(fc.nat(LOCAL.contest), { minLength: 8, maxLength: 8 })
      .map((offsets) => offsets.sort((left, right) => left - right))
    fc.assert(
      fc.property(
        fc
          .array(claims, { minLength: 1, maxLength: 8 })
          .chain((messages) =>
            fc.tuple(fc.constant(messages), fc.shuffledSubarray(messages, { minLength: messages.length }))
          ),
        rounds,
        rounds,
        ([messages, shuffled], some, others) => {
          const [one, other] = [fold(messages, some)!, fold(shuffled, others)!]
          expect(other.claim.recordHash).toEqual(one.claim.recordHash)
          expect([other.state, other.tenureRound]).toEqual([one.state, one.tenureRound])
          expect([one.state, one.tenureRound]).toEqual(['settling', 1005])
          // And it is the claim that the rule names: the lowest first link, of that the newest record.
          const firsts = messages.toSorted(
            (left, right) => left.firstRound - right.firstRound || compareBytes(left.tie, right.tie)
          )
          const newest = messages
            .filter(({ id }) => equalBytes(id, firsts[0]!.id))
            .toSorted(compareRecords)
            .at(-1)!
          expect(one.claim).toEqual(newest)
        }
      ),
      CASES
    )
  })

  it('P2: delivering C, at any time and by anybody, never turns a claim from accepted to refused', () => {
    const rounds = fc.integer({ min: 900, max: 1100 })
    const words = fc
      .array(fc.tuple(rounds, fc.nat(9)), { maxLength: 8 })
      .map((said) => said.map(([seen, prefix], index) => ({ peer: `${index}`, prefix: `${prefix}`, seen })))
    fc.assert(
      fc.property(
        fc.option(fc.tuple(claims, states), { nil: undefined }),
        claims,
        rounds,
        words,
        fc.option(neighbours, { nil: undefined }),
        fc.boolean(),
        times,
        profiles,
        (held, claim, seen, handedOver, heard, isEcho, time, profile) => {
          // One in two neighbourhoods holds the very claim.
          const answers =
            isEcho && heard !== undefined
              ? {
                  ...heard,
                  answers: heard.answers.map((each) =>
                    each.entry === undefined ? each : { ...each, entry: { ...each.entry, claimId: claim.id } }
                  )
                }
              : heard
          const entry = held === undefined ? undefined : newEntry(held[0], held[1], timeAt(1003))
          const decide = (commitment: CommitmentFacts): Decision =>
            admit(entry, claim, { time, commitment, ...(answers !== undefined && { neighbours: answers }) }, profile)
          for (const [without, withC] of [
            [{}, { seen }],
            [{}, { handedOver }],
            [{ seen }, { seen, handedOver }],
            [{ handedOver }, { seen, handedOver }],
            [{ seen }, { seen, vouched: seen - 1 }]
          ] as const) {
            const [before, now] = [decide(without), decide(withC)]
            // Before the neighbours were asked, a witnessed claim may be reason to ask them.
            if (before.kind === 'store')
              expect(now.kind).toBe(answers === undefined && now.kind === 'ask' ? 'ask' : 'store')
            if (before.kind !== 'refuse') expect(now.kind).not.toBe('refuse')
          }
        }
      ),
      CASES
    )
  })

  it('P3: a settled entry changes its claim, and so its owner, only by death', () => {
    const event = fc.oneof(
      fc.record({
        kind: fc.constant('claim' as const),
        claim: claims,
        seen: fc.option(fc.integer({ min: 900, max: 1100 }), { nil: undefined }),
        answers: neighbours
      }),
      fc.record({ kind: fc.constant('question' as const), answers: neighbours }),
      fc.record({
        kind: fc.constant('time' as const),
        clock: fc.integer({ min: 0, max: LOCAL.lease / 4 }),
        pulse: fc.boolean()
      })
    )
    fc.assert(
      fc.property(fc.constantFrom('alice', 'owner'), fc.array(event, { maxLength: 12 }), (who, events) => {
        const owner = known(bareClaim({ owner: who, firstRound: 1002 }))
        let entry = newEntry(owner, 'settled', timeAt(1000))
        let time = timeAt(1010)
        let clock = 1010
        for (const each of events) {
          if (each.kind === 'time') {
            clock += each.clock
            time = advanceTime(time, { clock, ...(each.pulse && { verified: clock }) }, LOCAL)
          }
          const ticked = tickEntry(entry, time, LOCAL)
          if (ticked === undefined) {
            expect(leaseState(entry.claim.newestRound, time.lapse, LOCAL).state).toBe('dead')
            return
          }
          entry = ticked
          if (each.kind === 'claim') {
            const commitment = each.seen === undefined ? {} : { seen: each.seen }
            const decision = admit(entry, each.claim, { time, commitment, neighbours: each.answers }, LOCAL)
            expect(decision.kind).not.toBe('adopt')
            entry = after(entry, decision) ?? entry
          }
          if (each.kind === 'question') {
            const revision = reviseEntry(entry, each.answers, time, LOCAL)
            if (revision !== undefined)
              entry =
                revision.kind === 'keep'
                  ? revision.entry
                  : adopt(
                      revision.agreed,
                      claimsById.get(Buffer.from(revision.agreed.claimId).toString('hex'))!,
                      time,
                      entry
                    )
          }
          expect(entry.state).toBe('settled')
          expect([toHex(entry.claim.id), toHex(entry.claim.pubkey)]).toEqual([toHex(owner.id), toHex(owner.pubkey)])
        }
      }),
      CASES
    )
  })

  it('P4: without a fresh verified pulse nothing lapses and no new name is admitted, whatever the clock', () => {
    const twoYears = 2 * 365 * 86_400
    const stopped = 1_000_000
    fc.assert(
      fc.property(
        fc.array(fc.record({ clock: fc.integer({ min: -twoYears, max: twoYears }), pulse: fc.nat(LOCAL.lease * 3) }), {
          minLength: 1,
          maxLength: 8
        }),
        fc.boolean(),
        states,
        (readings, isClockWild, state) => {
          let time: ProtocolTime = timeAt(stopped)
          let entry: Entry | undefined = newEntry(bareClaim({ firstRound: stopped - 10 }), state, time)
          // Either the clock jumps and the beacon has stopped for good, or the clock goes on and all pulses that come
          // are older than a day.
          const inOrder = isClockWild ? readings : readings.toSorted((left, right) => left.clock - right.clock)
          for (const { clock, pulse } of inOrder) {
            const verified = isClockWild
              ? Math.min(stopped, pulse)
              : Math.min(stopped + pulse, stopped + clock - LOCAL.pulse_fresh - 1)
            time = advanceTime(time, { clock: stopped + clock, verified }, LOCAL)
            entry = entry && tickEntry(entry, time, LOCAL)
            expect(entry).toBeDefined()
            expect(leaseState(stopped - 10, time.lapse, LOCAL).state).toBe('live')
            if (stopped + clock - time.verified <= LOCAL.pulse_fresh) continue
            const newcomer = bareClaim({ owner: 'newcomer', firstRound: time.now - 1 })
            expect(
              admit(undefined, newcomer, { time, commitment: { seen: time.now - 2 }, neighbours: NOBODY }, LOCAL)
            ).toEqual({ kind: 'wait' })
          }
        }
      ),
      CASES
    )
  })
})
