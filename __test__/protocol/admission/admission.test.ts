import { describe, expect, it } from 'vitest'
import type { AdmissionFacts, Decision } from '../../../src/protocol/admission/admission.ts'
import { admit, adopt, refuseEarly, reviseEntry } from '../../../src/protocol/admission/admission.ts'
import type { Claim } from '../../../src/protocol/claim/claim.ts'
import {
  type Entry,
  type EntryState,
  isRipe,
  MAX_RIVALS,
  newEntry,
  tickEntry
} from '../../../src/protocol/admission/entry.ts'
import type { NeighbourFacts } from '../../../src/protocol/admission/neighbours.ts'
import { bareClaim, LOCAL, timeAt } from '../fixtures.ts'

const NOBODY: NeighbourFacts = { answers: [], known: 0 }
const NOW = 1010

/** Facts at round 1010; `seen` 995 witnesses claims of rounds 996 to 1055. */
function facts(change: Partial<AdmissionFacts> & { witnessed?: boolean } = {}): AdmissionFacts {
  const { witnessed = true, ...rest } = change
  return { time: timeAt(NOW), commitment: witnessed ? { seen: 995 } : {}, neighbours: NOBODY, ...rest }
}

const UNASKED: AdmissionFacts = { time: timeAt(NOW), commitment: { seen: 995 } }

function held(claim: Claim, state: EntryState, count = 8): NeighbourFacts {
  const answers = Array.from({ length: count }, (_, index) => ({
    peer: `${index}`,
    prefix: `${index}`,
    entry: { claimId: claim.id, state }
  }))
  return { answers, known: count }
}

function stored(decision: Decision): Entry {
  if (decision.kind !== 'store') throw new Error(`not stored: ${decision.kind}`)
  return decision.entry
}

const ALICE = bareClaim({ owner: 'alice', firstRound: 1000 })
/** The key of ALICE, another first link, and the higher record in the order of one claim. */
const ALICE_AGAIN = bareClaim({ owner: 'alice', firstRound: 1004, serial: 9 })
const BOB_EARLIER = bareClaim({ owner: 'bob', firstRound: 999 })
const BOB_LATER = bareClaim({ owner: 'bob', firstRound: 1001 })

describe('refusals that cost nothing', () => {
  const time = timeAt(NOW)
  const entry = newEntry(ALICE, 'settled', time)

  it('are: not our neighbourhood, dead, a name settled with another claim', () => {
    expect(refuseEarly(undefined, ALICE, { isNeighbour: false, time }, LOCAL)?.code).toBe('not-neighbour')
    expect(
      refuseEarly(undefined, ALICE, { isNeighbour: true, time: timeAt(1001 + LOCAL.lease + LOCAL.grace) }, LOCAL)?.code
    ).toBe('dead')
    expect(refuseEarly(entry, BOB_EARLIER, { isNeighbour: true, time }, LOCAL)?.code).toBe('taken')
    expect(refuseEarly(entry, ALICE, { isNeighbour: true, time }, LOCAL)).toBeUndefined()
    expect(
      refuseEarly(entry, bareClaim({ serial: 2, newestRound: 1009 }), { isNeighbour: true, time }, LOCAL),
      'a later record of the claim'
    ).toBeUndefined()
    expect(refuseEarly(entry, ALICE_AGAIN, { isNeighbour: true, time }, LOCAL)).toMatchObject({
      code: 'taken',
      detail: expect.stringContaining('this same key') as string
    })
    expect(
      refuseEarly({ ...entry, state: 'provisional' }, BOB_EARLIER, { isNeighbour: true, time }, LOCAL)
    ).toBeUndefined()
  })
})

describe('a claim for which there is no entry', () => {
  it('asks the neighbours first', () => {
    expect(admit(undefined, ALICE, UNASKED, LOCAL)).toEqual({ kind: 'ask' })
  })

  it('enters as fresh when witnessed and as provisional when not', () => {
    expect(stored(admit(undefined, ALICE, facts(), LOCAL))).toMatchObject({ state: 'fresh', tenureRound: NOW })
    expect(stored(admit(undefined, ALICE, facts({ witnessed: false }), LOCAL)).state).toBe('provisional')
  })

  it('gives way to what the neighbourhood holds', () => {
    const decision = admit(undefined, ALICE, facts({ neighbours: held(BOB_LATER, 'settled') }), LOCAL)
    expect(decision).toEqual({ kind: 'adopt', agreed: { claimId: BOB_LATER.id, state: 'settling' } })
    const entry = adopt({ claimId: BOB_LATER.id, state: 'settling' }, BOB_LATER, timeAt(NOW))
    expect(admit(entry, ALICE, facts(), LOCAL)).toMatchObject({ kind: 'refuse', code: 'taken' })
  })

  it('enters as what the neighbourhood has it for, witnessed or not', () => {
    expect(
      stored(admit(undefined, ALICE, facts({ neighbours: held(ALICE, 'settled'), witnessed: false }), LOCAL)).state
    ).toBe('settling')
    expect(
      stored(admit(undefined, ALICE, facts({ neighbours: held(ALICE, 'fresh'), witnessed: false }), LOCAL)).state
    ).toBe('fresh')
  })

  it('waits while no pulse of the last day is known', () => {
    const time = { ...timeAt(NOW), fresh: false }
    expect(admit(undefined, ALICE, facts({ time }), LOCAL)).toEqual({ kind: 'wait' })
  })

  it('is refused once its lease has ended', () => {
    expect(admit(undefined, ALICE, facts({ time: timeAt(1001 + LOCAL.lease + LOCAL.grace) }), LOCAL)).toMatchObject({
      kind: 'refuse',
      code: 'dead'
    })
  })

  it('is not adopted under another id', () => {
    expect(() => adopt({ claimId: BOB_LATER.id, state: 'fresh' }, ALICE, timeAt(1))).toThrow(RangeError)
  })
})

describe('a contest', () => {
  const entry = newEntry(ALICE, 'fresh', timeAt(1005))

  it('is won by the earlier witnessed claim, without a new window', () => {
    const replaced = stored(admit(entry, BOB_EARLIER, facts(), LOCAL))
    expect(replaced).toMatchObject({ state: 'fresh', tenureRound: 1005, claim: BOB_EARLIER })
  })

  it('is not won by a later claim, nor by one nobody here has witnessed', () => {
    expect(admit(entry, BOB_LATER, facts(), LOCAL)).toMatchObject({ kind: 'refuse', code: 'contest', entry })
    expect(admit(entry, BOB_EARLIER, facts({ witnessed: false }), LOCAL)).toMatchObject({
      kind: 'refuse',
      code: 'unwitnessed'
    })
  })

  it('is decided by the tie in one round', () => {
    const [low, high] = [bareClaim({ owner: 'low', tie: 1 }), bareClaim({ owner: 'high', tie: 2 })]
    expect(stored(admit(newEntry(high, 'fresh', timeAt(1005)), low, facts(), LOCAL)).claim).toBe(low)
    expect(admit(newEntry(low, 'fresh', timeAt(1005)), high, facts(), LOCAL).kind).toBe('refuse')
  })

  it('is over after `contest` rounds of verified time', () => {
    expect(tickEntry(entry, timeAt(1010), LOCAL)).toBe(entry)
    const settling = tickEntry(entry, timeAt(1011), LOCAL)!
    expect(settling.state).toBe('settling')
    expect(admit(settling, BOB_EARLIER, facts(), LOCAL)).toMatchObject({ kind: 'refuse', code: 'taken' })
    expect(tickEntry(entry, { ...timeAt(1005), now: 10 ** 9 }, LOCAL)).toBe(entry)
  })

  it('takes another first link of the same key for another claim', () => {
    const again = bareClaim({ owner: 'alice', firstRound: 1003 })
    expect(admit(entry, again, facts(), LOCAL)).toMatchObject({ kind: 'refuse', code: 'contest', entry })
    const better = bareClaim({ owner: 'alice', firstRound: 998 })
    expect(stored(admit(entry, better, facts(), LOCAL)).claim).toBe(better)
    expect(admit(entry, better, facts({ witnessed: false }), LOCAL)).toMatchObject({
      kind: 'refuse',
      code: 'unwitnessed',
      entry
    })
  })

  it('takes an update of the same claim', () => {
    const update = bareClaim({ serial: 2 })
    expect(stored(admit(entry, update, facts({ witnessed: false }), LOCAL)).claim).toBe(update)
  })
})

describe('the records of the owner', () => {
  const entry = newEntry(bareClaim({ serial: 5 }), 'settled', timeAt(900))

  it('replace each other by their order', () => {
    const newer = bareClaim({ serial: 6 })
    expect(stored(admit(entry, newer, facts(), LOCAL))).toMatchObject({
      claim: newer,
      state: 'settled',
      tenureRound: 900
    })
    expect(admit(entry, bareClaim({ serial: 4 }), facts(), LOCAL)).toEqual({ kind: 'stale', entry })
  })

  it('change nothing when they come again', () => {
    expect(admit(entry, bareClaim({ serial: 5 }), facts(), LOCAL)).toEqual({ kind: 'store', entry, changed: false })
  })

  it('show an equivocation, whichever wins', () => {
    const outcomes = ['other', 'another', 'third'].map((payload) =>
      admit(entry, bareClaim({ serial: 5, payload }), facts(), LOCAL)
    )
    for (const outcome of outcomes)
      expect('entry' in outcome && outcome.entry.equivocation).toMatchObject({ round: 1000, serial: 5 })
  })

  it('forget the equivocations of another owner', () => {
    const equivocation = { round: 1000, serial: 1, payloadHashes: [ALICE.id, BOB_EARLIER.id] as const }
    const replaced = stored(
      admit({ ...newEntry(ALICE, 'fresh', timeAt(1005)), equivocation }, BOB_EARLIER, facts(), LOCAL)
    )
    expect(replaced.equivocation).toBeUndefined()
  })

  it('wait with a renewal while the beacon is stale, not with an update', () => {
    const time = { ...timeAt(NOW), fresh: false }
    expect(admit(entry, bareClaim({ newestRound: 1009 }), facts({ time }), LOCAL)).toEqual({ kind: 'wait' })
    expect(admit(entry, bareClaim({ serial: 6 }), facts({ time }), LOCAL).kind).toBe('store')
  })

  it('renew in the grace, when nobody else may claim', () => {
    const time = timeAt(1001 + LOCAL.lease)
    const renewed = bareClaim({ newestRound: 1000 + LOCAL.lease, serial: 5 })
    expect(stored(admit(entry, renewed, facts({ time }), LOCAL)).claim).toBe(renewed)
    const rival = bareClaim({ owner: 'bob', firstRound: 1000 + LOCAL.lease })
    expect(admit(entry, rival, facts({ time, commitment: { seen: 990 + LOCAL.lease } }), LOCAL)).toMatchObject({
      kind: 'refuse',
      code: 'taken'
    })
  })
})

describe('a provisional entry', () => {
  const entry = newEntry(ALICE, 'provisional', timeAt(1000))

  it('yields to a witnessed claim of another key, but only after asking', () => {
    expect(admit(entry, BOB_LATER, UNASKED, LOCAL)).toEqual({ kind: 'ask' })
    expect(stored(admit(entry, BOB_LATER, facts(), LOCAL))).toMatchObject({
      state: 'fresh',
      claim: BOB_LATER,
      tenureRound: NOW
    })
    const known = held(ALICE, 'settled')
    expect(admit(entry, BOB_LATER, facts({ neighbours: known }), LOCAL)).toMatchObject({ kind: 'adopt' })
  })

  it('settles when no rival comes for long enough', () => {
    expect(tickEntry(entry, timeAt(1000 + LOCAL.provisional_settle), LOCAL)).toBe(entry)
    expect(reviseEntry(entry, NOBODY, timeAt(1000 + LOCAL.provisional_settle), LOCAL)).toBeUndefined()
    const disturbed = { ...entry, rivals: [BOB_LATER.id] }
    const settled = { kind: 'keep', entry: { ...entry, state: 'settled' } }
    expect(reviseEntry(disturbed, NOBODY, timeAt(1001 + LOCAL.provisional_settle), LOCAL)).toEqual(settled)
    expect(reviseEntry(entry, held(BOB_LATER, 'provisional'), timeAt(1001 + LOCAL.provisional_settle), LOCAL)).toEqual(
      settled
    )
  })

  it('takes another first link of its own key for a rival', () => {
    expect(admit(entry, ALICE_AGAIN, UNASKED, LOCAL)).toEqual({ kind: 'ask' })
    expect(stored(admit(entry, ALICE_AGAIN, facts(), LOCAL))).toMatchObject({
      state: 'fresh',
      claim: ALICE_AGAIN,
      tenureRound: NOW
    })
    expect(admit(entry, ALICE_AGAIN, facts({ neighbours: held(ALICE, 'settled') }), LOCAL)).toMatchObject({
      kind: 'adopt',
      agreed: { claimId: ALICE.id }
    })
    expect(admit(entry, ALICE_AGAIN, facts({ witnessed: false }), LOCAL)).toMatchObject({
      kind: 'refuse',
      code: 'unwitnessed',
      entry: { quietRound: NOW, rivals: [ALICE_AGAIN.id] }
    })
  })

  it('is held up by each rival once', () => {
    const first = admit(entry, BOB_LATER, facts({ witnessed: false }), LOCAL)
    if (first.kind !== 'refuse') throw new Error(first.kind)
    expect(first).toMatchObject({ code: 'unwitnessed', entry: { quietRound: NOW } })
    const second = admit(first.entry, BOB_LATER, facts({ witnessed: false, time: timeAt(NOW + 9) }), LOCAL)
    expect(second).toMatchObject({ entry: { quietRound: NOW } })
  })

  it('is delayed by a bounded number of rivals', () => {
    let current: Entry = entry
    for (let n = 0; n < MAX_RIVALS + 5; n++) {
      const decision = admit(
        current,
        bareClaim({ owner: `rival ${n}` }),
        facts({ witnessed: false, time: timeAt(NOW + n) }),
        LOCAL
      )
      if (decision.kind === 'refuse' && decision.entry !== undefined) current = decision.entry
    }
    expect(current.rivals).toHaveLength(MAX_RIVALS)
    expect(current.quietRound).toBe(NOW + MAX_RIVALS - 1)
  })

  it('becomes fresh once its own claim is witnessed, after asking', () => {
    expect(admit(entry, ALICE, UNASKED, LOCAL)).toEqual({ kind: 'ask' })
    expect(stored(admit(entry, ALICE, facts(), LOCAL))).toMatchObject({ state: 'fresh', claim: ALICE })
    expect(stored(admit(entry, ALICE, facts({ neighbours: held(ALICE, 'settled') }), LOCAL)).state).toBe('settling')
    expect(stored(admit(entry, ALICE, facts({ neighbours: held(BOB_LATER, 'settled') }), LOCAL)).state).toBe(
      'provisional'
    )
    const older = newEntry(bareClaim({ serial: 9 }), 'provisional', timeAt(1000))
    expect(admit(older, ALICE, facts(), LOCAL)).toMatchObject({
      kind: 'stale',
      entry: { state: 'fresh', claim: { serial: 9 } }
    })
  })

  it('waits for the beacon before it yields', () => {
    const time = { ...timeAt(NOW), fresh: false }
    expect(admit(entry, BOB_LATER, facts({ time }), LOCAL)).toEqual({ kind: 'wait' })
    expect(admit(entry, ALICE, facts({ time }), LOCAL)).toEqual({ kind: 'store', entry, changed: false })
  })
})

describe('routine questions', () => {
  it('repair a settling entry and nothing else', () => {
    const time = timeAt(NOW)
    const settling = newEntry(ALICE, 'settling', timeAt(1000))
    expect(reviseEntry(settling, held(BOB_LATER, 'settled'), time, LOCAL)).toEqual({
      kind: 'adopt',
      agreed: { claimId: BOB_LATER.id, state: 'settling' }
    })
    expect(reviseEntry(settling, held(ALICE, 'settled'), time, LOCAL)).toBeUndefined()
    expect(adopt({ claimId: BOB_LATER.id, state: 'settling' }, BOB_LATER, time, settling).tenureRound).toBe(1000)
    for (const state of ['fresh', 'settled'] as const)
      expect(reviseEntry({ ...settling, state }, held(BOB_LATER, 'settled'), time, LOCAL)).toBeUndefined()
  })

  it('settle a settling entry once its time has come', () => {
    const settling = newEntry(ALICE, 'settling', timeAt(1000))
    expect(reviseEntry(settling, held(ALICE, 'settled'), timeAt(1030), LOCAL)).toBeUndefined()
    expect(reviseEntry(settling, held(ALICE, 'settling'), timeAt(1031), LOCAL)).toEqual({
      kind: 'keep',
      entry: { ...settling, state: 'settled' }
    })
    expect(reviseEntry(settling, held(BOB_LATER, 'settling'), timeAt(1031), LOCAL)?.kind).toBe('adopt')
  })

  it('confirm a provisional entry or replace it', () => {
    const provisional = newEntry(ALICE, 'provisional', timeAt(1000))
    expect(reviseEntry(provisional, held(ALICE, 'settled'), timeAt(NOW), LOCAL)).toMatchObject({
      kind: 'keep',
      entry: { state: 'settling' }
    })
    expect(reviseEntry(provisional, held(BOB_LATER, 'settled'), timeAt(NOW), LOCAL)).toEqual({
      kind: 'adopt',
      agreed: { claimId: BOB_LATER.id, state: 'settling' }
    })
    expect(reviseEntry(provisional, NOBODY, timeAt(NOW), LOCAL)).toBeUndefined()
  })
})

describe('time', () => {
  it('ends a contest, settles nothing by itself, and kills an entry at the end of its grace', () => {
    const fresh = newEntry(ALICE, 'fresh', timeAt(1000))
    expect(tickEntry(fresh, timeAt(1031), LOCAL)!.state).toBe('settling')
    const settling = newEntry(ALICE, 'settling', timeAt(1000))
    expect(tickEntry(settling, timeAt(1031), LOCAL)).toBe(settling)
    expect([1030, 1031].map((round) => isRipe(settling, timeAt(round), LOCAL))).toEqual([false, true])
    const end = 1000 + LOCAL.lease + LOCAL.grace
    expect(tickEntry(settling, timeAt(end), LOCAL)).toBeDefined()
    expect(tickEntry(settling, timeAt(end + 1), LOCAL)).toBeUndefined()
    expect(tickEntry(settling, { ...timeAt(end + 1), lapse: 1000 }, LOCAL)).toBeDefined()
  })
})
