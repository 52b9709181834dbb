/** Invariants of docs/protocol/rules.md, 18, on changes of a claim's keys: P21 to P24. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { admit, type Decision, reviseEntry } from '../../src/protocol/admission/admission.ts'
import { type Entry, type EntryState, newEntry, tickEntry } from '../../src/protocol/admission/entry.ts'
import { changesHeld, roundsToFinal } from '../../src/protocol/admission/key-changes.ts'
import type { NeighbourFacts } from '../../src/protocol/admission/neighbours.ts'
import { type ChangeMark, relateChanges } from '../../src/protocol/claim/changes.ts'
import { type Claim, compareRecords, type RecordOrder } from '../../src/protocol/claim/claim.ts'
import { signReveal } from '../../src/protocol/claim/reveal.ts'
import { validateReveal } from '../../src/protocol/claim/valid.ts'
import { compareBytes, sha256, toHex, utf8 } from '../../src/protocol/encoding/bytes.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { isRollback, type Pin, remember, rulePin } from '../../src/protocol/resolution/pin.ts'
import { type ResolveAnswer, tally } from '../../src/protocol/resolution/quorum.ts'
import { bareClaim, keyOf, LOCAL, MAIN, makeReveal, modelCheckers, timeAt } from '../protocol/fixtures.ts'
import { CASES } from './cases.ts'

const BEGIN = 10_000_000

/** Two changes with both signatures, and two with the change key's alone. */
const LETTERS = ['a', 'b', 'x', 'y'] as const

const chains = fc.array(fc.constantFrom(...LETTERS), { maxLength: 3 }).map((letters) => letters.join(''))

const marks = new Map<string, readonly ChangeMark[]>()

/** The hash of each covers those before it. */
function marksOf(chain: string): readonly ChangeMark[] {
  const known = marks.get(chain)
  if (known !== undefined) return known
  const made = Array.from(chain, (letter, index) => ({
    hash: sha256(utf8(`change ${chain.slice(0, index + 1)}`)),
    consented: letter < 'm'
  }))
  marks.set(chain, made)
  return made
}

const made = new Map<string, Claim>()

/** A record of the one claim; each chain ends with a key of its own. */
function record(chain: string, serial = 1): Claim {
  const id = `${chain} ${serial}`
  const known = made.get(id)
  if (known !== undefined) return known
  const place = { firstRound: BEGIN - 2000, newestRound: BEGIN - 1000, serial, changes: marksOf(chain) }
  const claim = { ...bareClaim(place), pubkey: sha256(utf8(`key ${chain}`)) }
  made.set(id, claim)
  return claim
}

const records = fc.tuple(chains, fc.nat(2)).map(([chain, serial]) => record(chain, serial))

/** Neighbours of as many prefixes that hold that claim with these chains. */
function neighboursOf(held: readonly { chain: string; final: number }[]): NeighbourFacts {
  return {
    known: 20,
    answers: held.map(({ chain, final }, index) => {
      const head = marksOf(chain).at(-1)?.hash
      const entry = { claimId: record('').id, state: 'settled' as const, ...(head && { changes: { head, final } }) }
      return { peer: `${index}`, prefix: `10.${index}.0.0/24`, met: 1, entry }
    })
  }
}

function entryAfter(entry: Entry, decision: Decision): Entry {
  return decision.kind === 'store' || decision.kind === 'stale' ? decision.entry : entry
}

describe('a holder', () => {
  it('P21: the same records with changes of one claim, in any order within the contest, leave the same record served', () => {
    /** As a rule of its own: at the first change that differs both signatures, then the lower hash; then the newer. */
    const isBetter = (left: Claim, right: Claim): boolean => {
      const at = left.changes.findIndex(
        ({ hash }, index) => right.changes[index] !== undefined && compareBytes(hash, right.changes[index].hash) !== 0
      )
      if (at < 0) return compareRecords(left, right) > 0
      const [ours, theirs] = [left.changes[at]!, right.changes[at]!]
      return ours.consented === theirs.consented ? compareBytes(ours.hash, theirs.hash) < 0 : ours.consented
    }
    const fold = (messages: readonly Claim[], rounds: readonly number[], facts: NeighbourFacts): Entry =>
      messages.reduce(
        (entry, claim, index) => {
          const time = timeAt(BEGIN + rounds[index]!)
          return entryAfter(entry, admit(entry, claim, { time, commitment: {}, neighbours: facts }, MAIN))
        },
        newEntry(record(''), 'settled', timeAt(BEGIN))
      )
    const orders = fc
      .array(records, { minLength: 1, maxLength: 8 })
      .chain((messages) =>
        fc.tuple(fc.constant(messages), fc.shuffledSubarray(messages, { minLength: messages.length }))
      )
    const rounds = fc
      .array(fc.nat(MAIN.contest), { minLength: 8, maxLength: 8 })
      .map((offsets) => offsets.sort((left, right) => left - right))
    // No change has half of the neighbours, which would date it.
    const facts = fc
      .array(fc.record({ chain: chains, final: fc.nat(2 * BEGIN) }), { maxLength: 9 })
      .map((held) => neighboursOf(held))
    fc.assert(
      fc.property(orders, rounds, rounds, facts, ([messages, shuffled], some, others, said) => {
        const [one, other] = [fold(messages, some, said), fold(shuffled, others, said)]
        expect(toHex(other.claim.recordHash)).toBe(toHex(one.claim.recordHash))
        // A change with one signature waits for longer than the contest.
        const served = messages.filter(({ changes }) => changes.every(({ consented }) => consented))
        const best = [record(''), ...served].reduce((kept, each) => (isBetter(each, kept) ? each : kept))
        expect(toHex(one.claim.recordHash)).toBe(toHex(best.recordHash))
        for (const { claim, since, notice } of [one, other]) {
          expect(since).toHaveLength(claim.changes.length)
          if (notice === undefined) continue
          expect(notice.since).toHaveLength(notice.claim.changes.length)
          expect(relateChanges(claim.changes, notice.claim.changes)).toBe('longer')
          expect(notice.claim.changes.every(({ consented }) => consented)).toBe(false)
        }
      }),
      CASES
    )
  })

  it('P22: never goes from a change that is final for it to another after the same one', () => {
    const steps = fc.oneof(
      fc.nat(MAIN.contest + 1),
      fc.constantFrom(MAIN.settle - 1, MAIN.settle, MAIN.settle + 1, 2 * MAIN.grace - 1, 2 * MAIN.grace + 1)
    )
    // Often all of them say the same.
    const said = fc.oneof(
      fc.array(fc.record({ chain: chains, final: fc.nat(2 * BEGIN) }), { maxLength: 20 }),
      fc.record({ chain: chains, final: fc.nat(2 * BEGIN) }).map((one) => Array.from({ length: 20 }, () => one))
    )
    const events = fc.record({ rounds: steps, claim: fc.option(records, { nil: undefined }), said, seen: fc.boolean() })
    const states = fc.constantFrom<EntryState>('settled', 'settling', 'fresh', 'provisional')
    fc.assert(
      fc.property(chains, states, fc.array(events, { minLength: 1, maxLength: 10 }), (begun, state, sequence) => {
        let round = BEGIN
        let entry = newEntry(record(begun), state, timeAt(round))
        for (const { rounds, claim, said: held, seen } of sequence) {
          round += rounds
          const time = timeAt(round)
          const before = tickEntry(entry, time, MAIN)
          if (before === undefined) return
          const neighbours = neighboursOf(held)
          const commitment = seen ? { seen: BEGIN - 2001 } : {}
          if (claim === undefined) {
            const revision = reviseEntry(before, neighbours, time, MAIN)
            entry = revision?.kind === 'keep' ? revision.entry : before
          } else entry = entryAfter(before, admit(before, claim, { time, commitment, neighbours }, MAIN))
          const isFirm = before.claim.changes.map(
            (change, at) => round - before.since[at]! > roundsToFinal(change, MAIN)
          )
          const firm = isFirm.includes(false) ? isFirm.indexOf(false) : isFirm.length
          const kept = (each: Entry): string[] => each.claim.changes.slice(0, firm).map(({ hash }) => toHex(hash))
          expect(kept(entry)).toEqual(kept(before))
          // Each has a date, which is no later than now and, once it is there, stays.
          expect(entry.since).toHaveLength(entry.claim.changes.length)
          expect(Math.max(0, ...entry.since)).toBeLessThanOrEqual(round)
          expect(entry.since.slice(0, firm)).toEqual(before.since.slice(0, firm))
        }
      }),
      CASES
    )
  })
})

describe('a record', () => {
  it('P23: with any byte of vdf_proof altered is invalid, signed again by the new owner or not', async () => {
    const checkers = modelCheckers(LOCAL)
    const reveals = [
      { words: 'words', changes: [{ to: 'bob' }] },
      { words: 'words', changes: [{ to: 'bob', alone: true }], renewals: [2000] },
      { changes: [{ to: 'alice', words: 'words' }, { to: 'bob' }, { to: 'carol', words: 'others', alone: true }] }
    ].map((options) => ({ owner: options.changes.at(-1)!.to, reveal: makeReveal(options) }))
    for (const { reveal } of reveals) expect(await validateReveal(reveal, LOCAL, checkers)).toMatchObject({ ok: true })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...reveals),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        async ({ owner, reveal }, place, bits, isSigned) => {
          const at = place % reveal.vdf_proof.length
          const vdf_proof = reveal.vdf_proof.with(at, reveal.vdf_proof[at]! ^ bits)
          const altered = { ...reveal, vdf_proof }
          const offered = isSigned ? signReveal(altered, keyOf(owner), profileHash(LOCAL)) : altered
          expect(await validateReveal(offered, LOCAL, checkers)).toMatchObject({ ok: false })
        }
      ),
      CASES
    )
  })
})

describe('a resolver', () => {
  it('P24: with a firm pin follows no change that parts from its own, and takes fewer final changes for older', () => {
    const answer = fc.record({ chain: chains, isFinal: fc.boolean(), isSettled: fc.boolean() })
    const looks = fc.oneof(
      fc.array(answer, { maxLength: 20 }),
      fc
        .tuple(answer, fc.array(answer, { maxLength: 9 }))
        .map(([most, others]) => [...Array.from({ length: 20 - others.length }, () => most), ...others])
    )
    const isPrefix = (short: readonly Uint8Array[], long: readonly Uint8Array[]): boolean =>
      short.every((hash, at) => long[at] !== undefined && compareBytes(hash, long[at]) === 0)
    fc.assert(
      fc.property(chains, fc.array(looks, { minLength: 1, maxLength: 8 }), (begun, sequence) => {
        const { id, pubkey } = record(begun)
        const hashes = (chain: string): Uint8Array[] => marksOf(chain).map(({ hash }) => hash)
        let pin: Pin | undefined = {
          state: 'firm',
          claim: id,
          pubkey,
          ...(begun !== '' && { changes: hashes(begun) }),
          newestRound: BEGIN - 1000,
          firstRound: BEGIN - 1000,
          firmRound: BEGIN
        }
        let memory: RecordOrder = remember(undefined, record(begun))
        for (const said of sequence) {
          const answers: ResolveAnswer[] = said.map(({ chain, isFinal, isSettled }, index) => ({
            peer: `${index}`,
            prefix: `10.${index}.0.0/24`,
            held: {
              claim: record(chain),
              state: isSettled ? 'settled' : 'settling',
              ...(chain !== '' && isFinal && { final: true })
            }
          }))
          const time = { now: BEGIN + 1, lapse: BEGIN + 1 }
          const voted = tally(answers, { asked: 20, done: true }, MAIN)
          const ruling = rulePin(voted, pin, { time, isSecondLook: false, spread: 0 }, MAIN)
          const own = pin!.changes ?? []
          const followed = ruling.pin!.changes ?? []
          expect(ruling.pin!.state).toBe('firm')
          expect(isPrefix(own, followed), 'a pin only follows on').toBe(true)
          if (ruling.result.kind === 'owner') {
            const { newest, final } = ruling.result.owner
            const shown = newest.changes.map(({ hash }) => hash)
            expect(isPrefix(own, shown) || isPrefix(shown, own), 'what is shown does not part from the pin').toBe(true)
            const finals = said.filter(
              ({ chain, isFinal }) => chain !== '' && isFinal && record(chain).recordHash === newest.recordHash
            )
            if (shown.length > 0) expect(final).toBe(finals.length * 2 > said.length)
            const isFollowing = followed.length > own.length
            expect(toHex(ruling.pin!.pubkey)).toBe(toHex((isFollowing ? newest : pin!).pubkey))
            if (isFollowing) expect([final, isPrefix(followed, shown)]).toEqual([true, true])
            if (shown.length < memory.changes.length) expect(isRollback(memory, newest)).toBe(true)
            if (final && !isRollback(memory, newest)) memory = remember(memory, newest)
          } else expect(followed).toEqual(own)
          pin = ruling.pin
        }
      }),
      CASES
    )
  })

  it('P24: tells changes that are final for a holder as the holder does', () => {
    fc.assert(
      fc.property(chains, fc.nat(3 * MAIN.grace), (chain, later) => {
        const entry = newEntry(record(chain), 'settled', timeAt(BEGIN))
        const held = changesHeld(entry, MAIN)
        const isFinal = (held?.final ?? 0) < BEGIN + later
        const waits = marksOf(chain).map((change) => roundsToFinal(change, MAIN))
        expect(isFinal).toBe(later > Math.max(-1, ...waits))
        if (held !== undefined) expect(held.head).toEqual(marksOf(chain).at(-1)!.hash)
      }),
      CASES
    )
  })
})
