import { describe, expect, it } from 'vitest'
import { admit, adopt, type Decision, reviseEntry } from '../../../src/protocol/admission/admission.ts'
import { decodeEntry, encodeEntry, newEntry, tickEntry, type Entry } from '../../../src/protocol/admission/entry.ts'
import { changesHeld, roundsToFinal, sinceAmong } from '../../../src/protocol/admission/key-changes.ts'
import type { NeighbourFacts } from '../../../src/protocol/admission/neighbours.ts'
import type { ChangeMark } from '../../../src/protocol/claim/changes.ts'
import type { Claim } from '../../../src/protocol/claim/claim.ts'
import { EncodingError } from '../../../src/protocol/errors.ts'
import { bareClaim, MAIN, timeAt } from '../fixtures.ts'

const BEGIN = 100_000
const WAIT = 2 * MAIN.grace

/** A change whose hash begins with that byte. */
function change(first: number, consented = true): ChangeMark {
  return { hash: new Uint8Array(32).fill(first), consented }
}

const [LOW, HIGH, LATER] = [change(1), change(9), change(5)]
const ALONE = change(3, false)

function changed(...changes: ChangeMark[]): Claim {
  return bareClaim({ firstRound: 1000, newestRound: BEGIN, changes })
}

/** An entry of a settled claim whose changes came at BEGIN. */
function held(...changes: ChangeMark[]): Entry {
  return newEntry(changed(...changes), 'settled', { verified: BEGIN })
}

function offered(entry: Entry, claim: Claim, round: number, neighbours?: NeighbourFacts): Decision {
  return admit(entry, claim, { time: timeAt(round), commitment: {}, ...(neighbours && { neighbours }) }, MAIN)
}

/** Neighbours of as many prefixes, that serve their records; the first `those` hold that claim, the others `rest`. */
function neighbours(those: number, claim: Claim, rest: Claim, count = 20, final = BEGIN + MAIN.settle): NeighbourFacts {
  return {
    known: count,
    answers: Array.from({ length: count }, (_, index) => {
      const { id, changes } = index < those ? claim : rest
      const last = changes.at(-1)
      const entry = { claimId: id, state: 'settled' as const, ...(last && { changes: { head: last.hash, final } }) }
      return { peer: `peer ${index}`, prefix: `10.${index}.0.0/24`, met: 1, entry }
    })
  }
}

function entryOf(decision: Decision): Entry {
  if (decision.kind !== 'store') throw new Error(decision.kind)
  return decision.entry
}

describe('a change at a holder of the name', () => {
  it('takes the place of the record before it, and is dated by this holder', () => {
    const entry = entryOf(offered(held(), changed(LOW), BEGIN + 500))
    expect(entry.claim.changes).toEqual([LOW])
    expect(entry.since).toEqual([BEGIN + 500])
    const next = entryOf(offered(entry, changed(LOW, LATER), BEGIN + 900))
    expect(next.since).toEqual([BEGIN + 500, BEGIN + 900])
    expect(decodeEntry(encodeEntry(next))).toEqual(next)
  })
  it('[a former key that signs on]', () => {
    const renewed = { ...changed(), newestRound: BEGIN + 300, serial: 999 }
    expect(offered(held(LOW), renewed, BEGIN + 400)).toMatchObject({ kind: 'stale' })
  })
  it('waits for a fresh pulse', () => {
    const stale = { ...timeAt(BEGIN + 10), fresh: false }
    expect(admit(held(), changed(LOW), { time: stale, commitment: {} }, MAIN).kind).toBe('wait')
    expect(admit(held(HIGH), changed(LOW), { time: stale, commitment: {} }, MAIN).kind).toBe('wait')
  })
  it('is final after contest and repair with both signatures, after twice the grace with one', () => {
    expect(roundsToFinal(LOW, MAIN)).toBe(28_800)
    expect(roundsToFinal(LOW, { ...MAIN, contest: MAIN.settle + 1 })).toBe(MAIN.settle + 1)
    expect(roundsToFinal(ALONE, MAIN)).toBe(60 * 28_800)
    expect(changesHeld(held(), MAIN)).toBeUndefined()
    expect(changesHeld(held(LOW), MAIN)).toEqual({ head: LOW.hash, final: BEGIN + MAIN.settle })
    expect(changesHeld(held(ALONE, LOW), MAIN)).toEqual({ head: LOW.hash, final: BEGIN + WAIT })
  })
})

describe('a change with one signature', () => {
  const noticed = (entry: Entry, claim: Claim, round: number): Entry =>
    entryOf(offered(entry, claim, round, neighbours(0, claim, changed())))

  it('[a thief of the change words] is a notice until it is final, and the record before it is served', () => {
    const stolen = changed(ALONE, LOW)
    expect(offered(held(), stolen, BEGIN + 1)).toEqual({ kind: 'ask', about: 'age' })
    const entry = noticed(held(), stolen, BEGIN + 1)
    expect(decodeEntry(encodeEntry(entry))).toEqual(entry)
    for (const round of [BEGIN + 1, BEGIN + 1 + WAIT]) {
      const now = tickEntry(entry, timeAt(round), MAIN)!
      expect(now).toMatchObject({ claim: changed(), notice: { claim: stolen, since: [BEGIN + 1, BEGIN + 1] } })
      // its owner goes on publishing, and changes the keys with both signatures
      const zone = bareClaim({ firstRound: 1000, newestRound: BEGIN, serial: 2 })
      expect(entryOf(offered(now, zone, round))).toMatchObject({ claim: zone, notice: { claim: stolen } })
      const rotated = entryOf(offered(now, changed(HIGH), round))
      expect(rotated).toMatchObject({ claim: changed(HIGH), since: [round] })
      expect(rotated).not.toHaveProperty('notice')
    }
    const final = tickEntry(entry, timeAt(BEGIN + 2 + WAIT), MAIN)!
    expect(final).toMatchObject({ claim: stolen, since: [BEGIN + 1, BEGIN + 1] })
    expect(final).not.toHaveProperty('notice')
    expect(offered(final, changed(HIGH), BEGIN + 2 + WAIT).kind).toBe('refuse')
  })
  it('has one newest record of a notice, and the lower hash of two within the contest', () => {
    const first = (serial: number): Claim =>
      bareClaim({ firstRound: 1000, newestRound: BEGIN, serial, changes: [ALONE] })
    const other = changed(change(2, false))
    const entry = noticed(held(), first(3), BEGIN)
    expect(offered(entry, first(2), BEGIN + 1)).toMatchObject({ kind: 'stale', newer: 'notice' })
    expect(noticed(entry, first(4), BEGIN + 1).notice!.claim.serial).toBe(4)
    expect(noticed(entry, other, BEGIN + MAIN.contest).notice).toEqual({ claim: other, since: [BEGIN] })
    const late = BEGIN + MAIN.contest + 1
    expect(offered(entry, other, late, neighbours(0, other, changed()))).toMatchObject({ code: 'changed' })
  })
  it('needs the record that it follows, and waits for a fresh pulse', () => {
    const around = neighbours(0, changed(), changed(LOW))
    expect(offered(held(LOW), changed(HIGH, ALONE), BEGIN + 1, around)).toMatchObject({ code: 'changed' })
    const time = { ...timeAt(BEGIN + 10), fresh: false }
    expect(admit(held(), changed(ALONE), { time, commitment: {}, neighbours: around }, MAIN).kind).toBe('wait')
  })
  it('stays beside an entry that its neighbours confirm, and that settles', () => {
    const entry = { ...noticed(held(), changed(ALONE), BEGIN + 1), state: 'settling' as const }
    const around = neighbours(20, changed(), changed())
    const at = timeAt(BEGIN + MAIN.settle + 2)
    expect(reviseEntry(entry, around, at, MAIN)).toMatchObject({ entry: { state: 'settled', notice: entry.notice } })
    const provisional = { ...entry, state: 'provisional' as const }
    expect(reviseEntry(provisional, around, at, MAIN)).toMatchObject({ entry: { notice: entry.notice } })
  })
  it('that a store from before notices has as its only record makes room for the one before it', () => {
    const entry = { ...held(LOW, ALONE), since: [BEGIN, BEGIN + MAIN.settle] }
    const before = bareClaim({ firstRound: 1000, newestRound: BEGIN, serial: 5, changes: [LOW] })
    expect(entryOf(offered(entry, before, BEGIN + 2 * MAIN.settle))).toMatchObject({
      claim: before,
      since: [BEGIN],
      notice: { claim: entry.claim, since: entry.since }
    })
    expect(offered(entry, changed(), BEGIN + 2 * MAIN.settle).kind).toBe('stale')
  })
})

describe('a record of a change without the last renewal', () => {
  it('[a thief of the change words] lets no name lapse before its owner has objected', () => {
    const old = { ...changed(ALONE), newestRound: BEGIN - MAIN.lease - MAIN.grace + 10 }
    const entry = { ...held(ALONE), claim: old, leaseRound: BEGIN }
    expect(tickEntry(entry, timeAt(BEGIN + WAIT), MAIN)).toEqual(entry)
    expect(tickEntry(entry, timeAt(BEGIN + MAIN.lease + MAIN.grace + 1), MAIN)).toBeUndefined()
    const noticed = entryOf(offered(held(), old, BEGIN + 1, neighbours(0, old, changed())))
    const final = tickEntry(noticed, timeAt(BEGIN + 2 + WAIT), MAIN)!
    expect([final.claim, final.leaseRound]).toEqual([old, BEGIN])
    const late = offered(newEntry(old, 'settled', { verified: BEGIN }), changed(), BEGIN + 1)
    expect(entryOf(late)).toMatchObject({ claim: changed(), notice: { claim: old } })
  })
})

describe('a renewal by a former key', () => {
  const renewed = { ...changed(), newestRound: BEGIN + 300 }
  const leaseAfter = (round: number): number | undefined => {
    const decision = offered(held(LOW), renewed, round)
    if (decision.kind !== 'stale') throw new Error(decision.kind)
    return decision.entry.leaseRound
  }
  it('[a former owner who renews] lengthens no lease once the change that it lacks is final', () => {
    const final = BEGIN + roundsToFinal(LOW, MAIN)
    expect(leaseAfter(final)).toBe(renewed.newestRound)
    expect(leaseAfter(final + 1)).toBeUndefined()
    // The first of two changes is final, the second is not.
    const entry = { ...held(LOW, HIGH), since: [BEGIN, final] }
    const decisions = [renewed, { ...renewed, changes: [LOW] }].map((claim) => offered(entry, claim, final + 1))
    expect(decisions).toMatchObject([{ kind: 'stale' }, { kind: 'stale', entry: { leaseRound: BEGIN + 300 } }])
    expect(decisions[0]).not.toHaveProperty('entry.leaseRound')
  })
})

describe('two changes after the same one', () => {
  it('[a sale that is turned after it was final]', () => {
    const [entry, others] = [held(LOW), changed(HIGH)]
    const final = BEGIN + roundsToFinal(LOW, MAIN)
    for (const round of [final + 1, final + MAIN.settle])
      expect(offered(entry, others, round, neighbours(20, others, others))).toMatchObject({ code: 'changed' })
  })
  it('[a name sold twice]', () => {
    const entry = held(HIGH)
    const atLast = BEGIN + MAIN.contest
    // within the contest the lower hash counts, whichever came first
    expect(entryOf(offered(entry, changed(LOW), atLast)).claim.changes).toEqual([LOW])
    expect(offered(held(LOW), changed(HIGH), atLast)).toMatchObject({ kind: 'refuse', code: 'changed' })
    // after it the first one, however low the hash of the other and however long its chain
    const late = changed(LOW, LATER)
    expect(offered(entry, late, atLast + 1).kind).toBe('ask')
    expect(offered(entry, late, atLast + 1, neighbours(10, late, entry.claim))).toMatchObject({ code: 'changed' })
    expect(offered(entry, late, BEGIN + MAIN.settle + 1)).toMatchObject({ kind: 'refuse', code: 'changed' })
  })
  it('[a change that opens the contest again]', () => {
    const entry = entryOf(offered(held(HIGH), changed(LATER), BEGIN + MAIN.contest))
    expect(entry.since).toEqual([BEGIN])
    expect(offered(entry, changed(LOW), BEGIN + MAIN.contest + 1).kind).toBe('ask')
  })
  it('are repaired by more than half of the neighbours while they settle', () => {
    const [entry, others] = [held(LOW), changed(HIGH)]
    for (const round of [BEGIN + MAIN.contest + 1, BEGIN + MAIN.settle]) {
      const repaired = entryOf(offered(entry, others, round, neighbours(11, others, entry.claim)))
      expect(repaired.claim.changes).toEqual([HIGH])
      expect(offered(entry, others, round, neighbours(7, others, entry.claim, 7)).kind).toBe('refuse')
    }
    expect(offered(entry, others, BEGIN + MAIN.settle + 1, neighbours(20, others, entry.claim)).kind).toBe('refuse')
  })
  it('[a thief of the change words]', () => {
    const [stolen, owners] = [held(ALONE), changed(HIGH)]
    for (const round of [BEGIN + 1, BEGIN + MAIN.settle + 1, BEGIN + WAIT]) {
      const entry = entryOf(offered(stolen, owners, round))
      expect(entry.claim.changes).toEqual([HIGH])
      // the owner's is dated by its own coming, so the thief cannot contest it with an older date
      expect(entry.since).toEqual([round])
    }
    expect(offered(stolen, owners, BEGIN + WAIT + 1).kind).not.toBe('store')
    // the other way round it never wins, whatever the thief adds to it
    expect(offered(held(HIGH), changed(ALONE, LOW), BEGIN + 1).kind).toBe('ask')
    expect(offered(held(HIGH), changed(ALONE, LOW), BEGIN + MAIN.settle + 1).kind).toBe('refuse')
    // and notices have no vote
    const noticed = neighbours(20, changed(ALONE), changed(ALONE))
    const answers = noticed.answers.map(({ entry, ...who }) => ({
      ...who,
      entry: { claimId: entry!.claimId, state: entry!.state, notice: entry!.changes }
    }))
    expect(offered(held(HIGH), changed(ALONE), BEGIN + 1, { ...noticed, answers })).toMatchObject({ code: 'changed' })
  })
})

describe('a holder that slept', () => {
  it('through all the time to object keeps a change that it calls final, as one vote', () => {
    const [stolen, owners] = [held(ALONE), changed(HIGH)]
    const woken = BEGIN + WAIT + 1
    expect(offered(stolen, owners, woken, neighbours(20, owners, owners))).toMatchObject({ code: 'changed' })
    // a day less, and it follows its owner
    expect(entryOf(offered(stolen, owners, woken - MAIN.settle)).claim.changes).toEqual([HIGH])
  })
  it('dates a change that it slept through by its neighbours, and serves it where it is final', () => {
    const [late, woken] = [changed(ALONE), BEGIN + WAIT + 1]
    const entry = entryOf(offered(held(), late, woken, neighbours(20, late, late, 20, BEGIN + WAIT)))
    expect(entry).toMatchObject({ claim: late, since: [BEGIN] })
    expect(entry).not.toHaveProperty('notice')
  })
})

describe('a chain of 16 changes', () => {
  const chain = (length: number, first: ChangeMark): ChangeMark[] => [
    first,
    ...Array.from({ length: length - 1 }, (_, index) => change(100 + index))
  ]
  it('by the thief of the change words yields to the one change of the owner', () => {
    const stolen = held(...chain(16, ALONE))
    const entry = entryOf(offered(stolen, changed(HIGH), BEGIN + WAIT))
    expect([entry.claim.changes, entry.since]).toEqual([[HIGH], [BEGIN + WAIT]])
    expect(offered(entry, changed(...chain(16, ALONE)), BEGIN + WAIT + MAIN.settle + 1)).toMatchObject({
      code: 'changed'
    })
    // and is as final as its first
    expect(changesHeld(stolen, MAIN)!.final).toBe(BEGIN + WAIT)
  })
})

describe('a holder that comes later', () => {
  const sold = changed(ALONE, LOW)
  const final = BEGIN + WAIT

  it('[a change that grows no older]', () => {
    const later = BEGIN + WAIT / 2
    const since = sinceAmong(sold, neighbours(20, sold, sold, 20, final), timeAt(later), MAIN)
    const entry = adopt({ claimId: sold.id, state: 'settling' }, sold, timeAt(later), undefined, since)
    expect(changesHeld(entry, MAIN)!.final).toBe(Math.max(final, later + MAIN.settle))
  })
  it('dates each change by those who hold it', () => {
    const facts = neighbours(20, changed(ALONE), sold, 20, 500)
    expect(sinceAmong(sold, facts, timeAt(BEGIN), MAIN)).toEqual([0, BEGIN])
  })
  it('takes no second sale, and no record from before a change, while most neighbours hold the first sale', () => {
    const [first, second] = [changed(LOW), changed(HIGH)]
    const at = BEGIN + 10 * MAIN.settle
    const facts = neighbours(10, first, second, 19)
    for (const claim of [second, changed()])
      expect(admit(undefined, claim, { time: timeAt(at), commitment: {}, neighbours: facts }, MAIN)).toMatchObject({
        kind: 'adopt',
        agreed: { claimId: first.id }
      })
    for (const claim of [first, changed(LOW, LATER)])
      expect(admit(undefined, claim, { time: timeAt(at), commitment: {}, neighbours: facts }, MAIN).kind).toBe('store')
  })
  it('has a date for each change, or its entry is damaged', () => {
    expect(() => decodeEntry(encodeEntry({ ...held(LOW, LATER), since: [BEGIN] }))).toThrow(EncodingError)
  })
  it('dates a change itself where too few say when they saw it', () => {
    const few = neighbours(MAIN.repair_quorum - 1, sold, changed(HIGH), 20, 1)
    expect(sinceAmong(sold, few, timeAt(BEGIN), MAIN)).toEqual([BEGIN, BEGIN])
    expect(sinceAmong(sold, undefined, timeAt(BEGIN), MAIN)).toEqual([BEGIN, BEGIN])
  })
  it('[liars who date a change]', () => {
    // nine of twelve that answer are fewer than half of those that should
    const few = neighbours(12, sold, sold, 20, final)
    const hasty = few.answers.slice(0, 12).map((answer, index) => ({
      ...answer,
      entry: { ...answer.entry!, changes: { head: LOW.hash, final: index < 9 ? 0 : final } }
    }))
    expect(sinceAmong(sold, { ...few, answers: hasty }, timeAt(BEGIN + WAIT), MAIN)[0]).toBe(BEGIN)
    for (const lie of [0, 2 ** 53 - 1]) {
      const facts = neighbours(20, sold, sold, 20, final)
      const answers = facts.answers.map((answer, index) =>
        index < 9 ? { ...answer, entry: { ...answer.entry!, changes: { head: LOW.hash, final: lie } } } : answer
      )
      const since = sinceAmong(sold, { ...facts, answers }, timeAt(BEGIN + WAIT), MAIN)
      expect(since[0]).toBe(BEGIN)
    }
  })
})
