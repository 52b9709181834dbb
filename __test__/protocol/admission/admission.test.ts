import { describe, expect, it } from 'vitest'
import type { AdmissionFacts, Decision } from '../../../src/protocol/admission/admission.ts'
import { admit, adopt, refuseEarly, reviseEntry } from '../../../src/protocol/admission/admission.ts'
import type { Claim } from '../../../src/protocol/claim/claim.ts'
import { type Entry, type EntryState, isRipe, newEntry, tickEntry } from '../../../src/protocol/admission/entry.ts'
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

/** What a node that asked decides. */
function decide(entry: Entry | undefined, claim: Claim, change?: Parameters<typeof facts>[0]): Decision {
  return admit(entry, claim, facts(change), LOCAL)
}

function held(claim: Claim, state: EntryState): NeighbourFacts {
  const answers = Array.from({ length: 8 }, (_, index) => ({
    peer: `${index}`,
    prefix: `${index}`,
    entry: { claimId: claim.id, state }
  }))
  return { answers, known: 8 }
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
  const entry = newEntry(ALICE, 'settled', timeAt(NOW))
  const early = (held: Entry | undefined, claim: Claim, { isNeighbour = true, round = NOW } = {}) =>
    refuseEarly(held, claim, { isNeighbour, time: timeAt(round) }, LOCAL)

  it('are: not our neighbourhood, dead, a name settled with another claim', () => {
    expect(early(undefined, ALICE, { isNeighbour: false })?.code).toBe('not-neighbour')
    expect(early(undefined, ALICE, { round: 1001 + LOCAL.lease + LOCAL.grace })?.code).toBe('dead')
    expect(early(entry, BOB_EARLIER)?.code).toBe('taken')
    expect(early(entry, ALICE)).toBeUndefined()
    expect(early(entry, bareClaim({ serial: 2, newestRound: 1009 })), 'a later record of the claim').toBeUndefined()
    expect(early(entry, ALICE_AGAIN)).toMatchObject({
      code: 'taken',
      detail: expect.stringContaining('this same key') as string
    })
    expect(early({ ...entry, state: 'provisional' }, BOB_EARLIER)).toBeUndefined()
  })
})

describe('a claim for which there is no entry', () => {
  it('asks the neighbours first', () => {
    expect(admit(undefined, ALICE, UNASKED, LOCAL)).toEqual({ kind: 'ask' })
  })

  it('enters as fresh when witnessed and as provisional when not', () => {
    expect(stored(decide(undefined, ALICE))).toMatchObject({ state: 'fresh', tenureRound: NOW })
    expect(stored(decide(undefined, ALICE, { witnessed: false })).state).toBe('provisional')
  })

  it('gives way to what the neighbourhood holds', () => {
    const decision = decide(undefined, ALICE, { neighbours: held(BOB_LATER, 'settled') })
    expect(decision).toEqual({ kind: 'adopt', agreed: { claimId: BOB_LATER.id, state: 'settling' } })
    const entry = adopt({ claimId: BOB_LATER.id, state: 'settling' }, BOB_LATER, timeAt(NOW))
    expect(decide(entry, ALICE)).toMatchObject({ kind: 'refuse', code: 'taken' })
  })

  it('enters as what the neighbourhood has it for, witnessed or not', () => {
    expect(stored(decide(undefined, ALICE, { neighbours: held(ALICE, 'settled'), witnessed: false })).state).toBe(
      'settling'
    )
    expect(stored(decide(undefined, ALICE, { neighbours: held(ALICE, 'fresh'), witnessed: false })).state).toBe('fresh')
  })

  it('is refused once its lease has ended', () => {
    expect(decide(undefined, ALICE, { time: timeAt(1001 + LOCAL.lease + LOCAL.grace) })).toMatchObject({
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
    const replaced = stored(decide(entry, BOB_EARLIER))
    expect(replaced).toMatchObject({ state: 'fresh', tenureRound: 1005, claim: BOB_EARLIER })
  })

  it('is not won by a later claim, nor by one nobody here has witnessed', () => {
    expect(decide(entry, BOB_LATER)).toMatchObject({ kind: 'refuse', code: 'contest', entry })
    expect(decide(entry, BOB_EARLIER, { witnessed: false })).toMatchObject({ kind: 'refuse', code: 'unwitnessed' })
  })

  it('is decided by the tie in one round', () => {
    const [low, high] = [bareClaim({ owner: 'low', tie: 1 }), bareClaim({ owner: 'high', tie: 2 })]
    expect(stored(decide(newEntry(high, 'fresh', timeAt(1005)), low)).claim).toBe(low)
    expect(decide(newEntry(low, 'fresh', timeAt(1005)), high).kind).toBe('refuse')
  })

  it('is over after `contest` rounds of verified time', () => {
    expect(tickEntry(entry, timeAt(1010), LOCAL)).toBe(entry)
    const settling = tickEntry(entry, timeAt(1011), LOCAL)!
    expect(settling.state).toBe('settling')
    expect(decide(settling, BOB_EARLIER)).toMatchObject({ kind: 'refuse', code: 'taken' })
    expect(tickEntry(entry, { ...timeAt(1005), now: 10 ** 9 }, LOCAL)).toBe(entry)
  })

  it('takes an update of the same claim', () => {
    const update = bareClaim({ serial: 2 })
    expect(stored(decide(entry, update, { witnessed: false })).claim).toBe(update)
  })
})

describe('the records of the owner', () => {
  const entry = newEntry(bareClaim({ serial: 5 }), 'settled', timeAt(900))

  it('replace each other by their order', () => {
    const newer = bareClaim({ serial: 6 })
    expect(stored(decide(entry, newer))).toMatchObject({ claim: newer, state: 'settled', tenureRound: 900 })
    expect(decide(entry, bareClaim({ serial: 4 }))).toEqual({ kind: 'stale', entry, newer: 'record' })
  })

  it('change nothing when they come again', () => {
    expect(decide(entry, bareClaim({ serial: 5 }))).toEqual({ kind: 'store', entry, changed: false })
  })

  it('forget the equivocations of another owner', () => {
    const equivocation = { round: 1000, serial: 1, payloadHashes: [ALICE.id, BOB_EARLIER.id] as const }
    const replaced = stored(decide({ ...newEntry(ALICE, 'fresh', timeAt(1005)), equivocation }, BOB_EARLIER))
    expect(replaced.equivocation).toBeUndefined()
  })

  it('renew in the grace, when nobody else may claim', () => {
    const time = timeAt(1001 + LOCAL.lease)
    const renewed = bareClaim({ newestRound: 1000 + LOCAL.lease, serial: 5 })
    expect(stored(decide(entry, renewed, { time })).claim).toBe(renewed)
    const rival = bareClaim({ owner: 'bob', firstRound: 1000 + LOCAL.lease })
    expect(decide(entry, rival, { time, commitment: { seen: 990 + LOCAL.lease } })).toMatchObject({
      kind: 'refuse',
      code: 'taken'
    })
  })
})

describe('a provisional entry', () => {
  const entry = newEntry(ALICE, 'provisional', timeAt(1000))

  it('yields to a witnessed claim of another key, but only after asking', () => {
    expect(admit(entry, BOB_LATER, UNASKED, LOCAL)).toEqual({ kind: 'ask' })
    expect(stored(decide(entry, BOB_LATER))).toMatchObject({ state: 'fresh', claim: BOB_LATER, tenureRound: NOW })
    const known = held(ALICE, 'settled')
    expect(decide(entry, BOB_LATER, { neighbours: known })).toMatchObject({ kind: 'adopt' })
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
    expect(stored(decide(entry, ALICE_AGAIN))).toMatchObject({ state: 'fresh', claim: ALICE_AGAIN, tenureRound: NOW })
    expect(decide(entry, ALICE_AGAIN, { neighbours: held(ALICE, 'settled') })).toMatchObject({
      kind: 'adopt',
      agreed: { claimId: ALICE.id }
    })
    expect(decide(entry, ALICE_AGAIN, { witnessed: false })).toMatchObject({
      kind: 'refuse',
      code: 'unwitnessed',
      entry: { quietRound: NOW, rivals: [ALICE_AGAIN.id] }
    })
  })

  it('is held up by each rival once', () => {
    const first = decide(entry, BOB_LATER, { witnessed: false })
    if (first.kind !== 'refuse') throw new Error(first.kind)
    expect(first).toMatchObject({ code: 'unwitnessed', entry: { quietRound: NOW } })
    const second = decide(first.entry, BOB_LATER, { witnessed: false, time: timeAt(NOW + 9) })
    expect(second).toMatchObject({ entry: { quietRound: NOW } })
  })

  it('becomes fresh once its own claim is witnessed, after asking', () => {
    expect(admit(entry, ALICE, UNASKED, LOCAL)).toEqual({ kind: 'ask' })
    expect(stored(decide(entry, ALICE))).toMatchObject({ state: 'fresh', claim: ALICE })
    expect(stored(decide(entry, ALICE, { neighbours: held(ALICE, 'settled') })).state).toBe('settling')
    expect(stored(decide(entry, ALICE, { neighbours: held(BOB_LATER, 'settled') })).state).toBe('provisional')
    const older = newEntry(bareClaim({ serial: 9 }), 'provisional', timeAt(1000))
    expect(decide(older, ALICE)).toMatchObject({ kind: 'stale', entry: { state: 'fresh', claim: { serial: 9 } } })
  })

  it('waits for the beacon before it yields', () => {
    const time = { ...timeAt(NOW), fresh: false }
    expect(decide(entry, BOB_LATER, { time })).toEqual({ kind: 'wait' })
    expect(decide(entry, ALICE, { time })).toEqual({ kind: 'store', entry, changed: false })
  })
})

describe('routine questions', () => {
  const settling = newEntry(ALICE, 'settling', timeAt(1000))
  const revise = (entry: Entry, neighbours: NeighbourFacts, round = NOW) =>
    reviseEntry(entry, neighbours, timeAt(round), LOCAL)
  const adoptsBob = { kind: 'adopt', agreed: { claimId: BOB_LATER.id, state: 'settling' as const } }

  it('repair a settling entry and nothing else', () => {
    expect(revise(settling, held(BOB_LATER, 'settled'))).toEqual(adoptsBob)
    expect(revise(settling, held(ALICE, 'settled'))).toBeUndefined()
    expect(adopt(adoptsBob.agreed, BOB_LATER, timeAt(NOW), settling).tenureRound).toBe(1000)
    for (const state of ['fresh', 'settled'] as const)
      expect(revise({ ...settling, state }, held(BOB_LATER, 'settled'))).toBeUndefined()
  })

  it('settle a settling entry once its time has come', () => {
    expect(revise(settling, held(ALICE, 'settled'), 1030)).toBeUndefined()
    expect(revise(settling, held(ALICE, 'settling'), 1031)).toEqual({
      kind: 'keep',
      entry: { ...settling, state: 'settled' }
    })
    expect(revise(settling, held(BOB_LATER, 'settling'), 1031)?.kind).toBe('adopt')
  })

  it('confirm a provisional entry or replace it', () => {
    const provisional = newEntry(ALICE, 'provisional', timeAt(1000))
    expect(revise(provisional, held(ALICE, 'settled'))).toMatchObject({ kind: 'keep', entry: { state: 'settling' } })
    expect(revise(provisional, held(BOB_LATER, 'settled'))).toEqual(adoptsBob)
    expect(revise(provisional, NOBODY)).toBeUndefined()
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
