/** Attacks on who owns a name at a storing node, each under the name that docs/protocol/ gives it. */
import { describe, expect, it } from 'vitest'
import {
  admit,
  adopt,
  reviseEntry,
  type AdmissionFacts,
  type Decision,
  type Revision
} from '../../../src/protocol/admission/admission.ts'
import { equalBytes } from '../../../src/protocol/encoding/bytes.ts'
import { type Claim, compareRecords, highestSerial } from '../../../src/protocol/claim/claim.ts'
import { MAX_REPAIRS, MAX_RIVALS, newEntry, tickEntry, type Entry } from '../../../src/protocol/admission/entry.ts'
import { leaseState, advanceTime } from '../../../src/protocol/time.ts'
import type { Agreed, NeighbourFacts } from '../../../src/protocol/admission/neighbours.ts'
import { parseProfile } from '../../../src/protocol/profile/profile.ts'
import { bareClaim, LOCAL, MAIN, timeAt } from '../../protocol/fixtures.ts'
import { answersOf } from './neighbourhood.ts'

const NOBODY: NeighbourFacts = { answers: [], known: 0 }
const ALICE = bareClaim({ owner: 'alice', firstRound: 1000 })
const MALLORY = bareClaim({ owner: 'mallory', firstRound: 998 })

/** At round 1010; C was seen at 995, unless it was not. */
function facts(change: Partial<AdmissionFacts> & { unseen?: boolean } = {}): AdmissionFacts {
  const { unseen = false, ...rest } = change
  return { time: timeAt(1010), commitment: unseen ? {} : { seen: 995 }, neighbours: NOBODY, ...rest }
}

/** What a node of the local network that asked decides. */
function decide(entry: Entry | undefined, claim: Claim, change?: Parameters<typeof facts>[0]): Decision {
  return admit(entry, claim, facts(change), LOCAL)
}

/** What a question found to be adopted. */
function agreedIn(revision: Revision | undefined): Agreed {
  if (revision?.kind !== 'adopt') throw new Error('nothing is to be adopted')
  return revision.agreed
}

function ownerAfter(entry: Entry, decision: Decision): Uint8Array {
  return (decision.kind === 'store' ? decision.entry : entry).claim.pubkey
}

describe('time', () => {
  it('[clock a year ahead; beacon down] ends no lease, settles nothing, and admits no new name', () => {
    const year = 365 * 86_400
    const before = advanceTime(timeAt(1010), { clock: 1010 }, LOCAL)
    const time = advanceTime(before, { clock: 1010 + year }, LOCAL)
    expect(time).toMatchObject({ verified: 1010, lapse: 1010, fresh: false })
    expect(leaseState(ALICE.newestRound, time.lapse, LOCAL).state).toBe('live')
    for (const state of ['fresh', 'settling', 'settled', 'provisional'] as const) {
      const entry = newEntry(ALICE, state, timeAt(1008))
      expect(tickEntry(entry, time, LOCAL)).toBe(entry)
    }
    expect(decide(undefined, MALLORY, { time })).toEqual({ kind: 'wait' })
    const settled = newEntry(ALICE, 'settled', timeAt(900))
    expect(decide(settled, bareClaim({ newestRound: 1009 }), { time })).toEqual({ kind: 'wait' })
    expect(decide(settled, bareClaim({ serial: 2 }), { time }).kind).toBe('store')
  })

  it('[old pulses that turn up while the beacon is down] move v, and no lease ends by them', () => {
    const down = advanceTime(timeAt(1010), { clock: 1010 + 3 * LOCAL.lease, verified: 1010 + 2 * LOCAL.lease }, LOCAL)
    expect(down).toMatchObject({ verified: 1010 + 2 * LOCAL.lease, lapse: 1010, fresh: false })
    expect(tickEntry(newEntry(ALICE, 'settled', timeAt(1000)), down, LOCAL)).toBeDefined()
  })

  it("[a lapsed owner must start again] at nodes whose entry is dead, however old the renewal's pulse", () => {
    const dead = 1001 + LOCAL.lease + LOCAL.grace
    expect(tickEntry(newEntry(ALICE, 'settled', timeAt(1000)), timeAt(dead), LOCAL)).toBeUndefined()
    // Pulses are public permanently: a renewal dated into the old lease is Valid, but its first claim no longer has a
    // witness.
    const backdated = bareClaim({ newestRound: 1000 + LOCAL.lease })
    const late = facts({ time: timeAt(dead + 100), commitment: { seen: 995 } })
    const decision = admit(undefined, backdated, late, LOCAL)
    expect(decision).toMatchObject({ kind: 'store', entry: { state: 'provisional' } })
    const successor = bareClaim({ owner: 'successor', firstRound: dead + 90 })
    const witnessed = { ...late, commitment: { seen: dead + 80 } }
    expect(admit((decision as { entry: Entry }).entry, successor, witnessed, LOCAL)).toMatchObject({
      kind: 'store',
      entry: { state: 'fresh', claim: successor }
    })
    expect(admit(newEntry(successor, 'fresh', timeAt(dead + 95)), backdated, late, LOCAL)).toMatchObject({
      kind: 'refuse',
      code: 'unwitnessed'
    })
  })
})

describe('a contest', () => {
  it('[the fastest known chip does 715,000 squarings a second] and cannot begin after a reveal and still win', () => {
    const seconds = MAIN.contest * MAIN.beacon.period
    expect(seconds * 715_000).toBeLessThan(
      MAIN.difficulty.base * Math.min(...MAIN.difficulty.by_length.map(({ factor }) => factor))
    )
    expect(() => parseProfile({ ...MAIN, contest: 200 })).toThrow(/contest/)
    // The reveal came at 5000. A VDF begun then has its p above it, and ends after the contest.
    const chip = Math.ceil(MAIN.difficulty.base / 715_000 / MAIN.beacon.period)
    const entry = tickEntry(
      newEntry(bareClaim({ firstRound: 4000 }), 'fresh', timeAt(5000)),
      timeAt(5000 + chip),
      MAIN
    )!
    expect(entry.state).toBe('settling')
    expect(
      admit(
        entry,
        bareClaim({ owner: 'chip', firstRound: 3999 }),
        facts({ time: timeAt(5000 + chip), commitment: { seen: 3990 } }),
        MAIN
      )
    ).toMatchObject({ kind: 'refuse', code: 'taken' })
  })

  it('[a stopped beacon holds the contest open] for nobody: a late VDF could otherwise win', () => {
    const entry = newEntry(ALICE, 'fresh', timeAt(1005))
    const at = (now: number) => decide(entry, MALLORY, { time: { ...timeAt(1005), now } })
    expect(at(1005 + LOCAL.contest)).toMatchObject({ kind: 'store', entry: { claim: MALLORY } })
    expect(at(1006 + LOCAL.contest)).toEqual({ kind: 'wait' })
    const twin = bareClaim({ owner: 'alice', firstRound: 998 })
    expect(decide(entry, twin, { time: { ...timeAt(1005), now: 1100 } })).toEqual({ kind: 'wait' })
    const after = tickEntry(entry, timeAt(1011), LOCAL)!
    expect(decide(after, MALLORY, { time: timeAt(1011) })).toMatchObject({ kind: 'refuse', code: 'taken' })
  })

  it('[a better claim that restarts the window] finds it where it was', () => {
    let entry: Entry = newEntry(bareClaim({ owner: 'first', firstRound: 1009 }), 'fresh', timeAt(1005))
    for (const round of [1008, 1007, 1006]) {
      const decision = decide(entry, bareClaim({ owner: `${round}`, firstRound: round }))
      entry = (decision as { entry: Entry }).entry
    }
    expect(entry).toMatchObject({ tenureRound: 1005, claim: { firstRound: 1006 } })
    expect(tickEntry(entry, timeAt(1006 + LOCAL.contest), LOCAL)?.state).toBe('settling')
  })

  it('[a claim nobody has witnessed] wins no contest, whatever round it claims', () => {
    const entry = newEntry(ALICE, 'fresh', timeAt(1005))
    for (const seen of [undefined, 998, 999, 1005, 998 - LOCAL.pulse_window - 1]) {
      expect(
        decide(entry, MALLORY, { commitment: seen === undefined ? {} : { seen } }),
        `C at ${seen}, p 998`
      ).toMatchObject({ kind: 'refuse', code: 'unwitnessed' })
    }
    for (const seen of [997, 998 - LOCAL.pulse_window])
      expect(decide(entry, MALLORY, { commitment: { seen } }).kind, `C at ${seen}, p 998`).toBe('store')
  })

  it('[equal ties] leave the held claim, in either order', () => {
    const [one, other] = [bareClaim({ tie: 7 }), { ...bareClaim({ owner: 'bob' }), tie: bareClaim({ tie: 7 }).tie }]
    expect(decide(newEntry(one, 'fresh', timeAt(1005)), other)).toMatchObject({ kind: 'refuse', code: 'contest' })
    expect(decide(newEntry(other, 'fresh', timeAt(1005)), one)).toMatchObject({ kind: 'refuse', code: 'contest' })
  })

  it('[seeing C late] is never worse than not at all', () => {
    for (const seen of [995, 999, 1000, 1005, 5000]) {
      for (const entry of [
        undefined,
        ...(['fresh', 'settling', 'settled', 'provisional'] as const).map((state) =>
          newEntry(MALLORY, state, timeAt(1005))
        )
      ]) {
        const [without, late] = [decide(entry, ALICE, { unseen: true }), decide(entry, ALICE, { commitment: { seen } })]
        if (without.kind === 'store') expect(late.kind).toBe('store')
      }
    }
  })
})

describe('neighbours that lie', () => {
  it('[five lying neighbours] make a newcomer enter their claim unsettled; the honest majority repairs it', () => {
    const lie = answersOf(5, MALLORY)
    const decision = decide(undefined, ALICE, { neighbours: { answers: lie, known: 20 } })
    if (decision.kind !== 'adopt') throw new Error(decision.kind)
    const lied = adopt(decision.agreed, MALLORY, timeAt(1010))
    expect(lied.state).toBe('settling')
    const honest = { answers: [...lie, ...answersOf(15, ALICE, 'settled', 5)], known: 20 }
    const mended = adopt(agreedIn(reviseEntry(lied, honest, timeAt(1012), LOCAL)), ALICE, timeAt(1012), lied)
    expect(mended).toMatchObject({ state: 'settling', claim: ALICE, tenureRound: 1010 })
    expect(reviseEntry(mended, honest, timeAt(1013), LOCAL)).toBeUndefined()
    // Where the honest ones answer as well, the five are outvoted from the start, and alone they repair nothing.
    expect(decide(undefined, ALICE, { neighbours: honest }).kind).toBe('store')
    const settling = newEntry(ALICE, 'settling', timeAt(1000))
    expect(
      reviseEntry(
        settling,
        { answers: [...lie, ...answersOf(5, undefined, 'settled', 5)], known: 20 },
        timeAt(1012),
        LOCAL
      )
    ).toBeUndefined()
    expect(reviseEntry(settling, { answers: lie, known: 20 }, timeAt(1012), LOCAL)).toBeUndefined()
  })

  it('[one machine that passes for a crowd] counts as two', () => {
    const crowd = answersOf(20, MALLORY).map((answer) => ({ ...answer, prefix: '192.0.2.0/24' }))
    expect(
      admit(undefined, ALICE, facts({ commitment: { seen: 980 }, neighbours: { answers: crowd, known: 20 } }), MAIN)
    ).toMatchObject({ kind: 'store', entry: { claim: ALICE, state: 'fresh' } })
    expect(
      reviseEntry(newEntry(ALICE, 'settling', timeAt(1000)), { answers: crowd, known: 20 }, timeAt(1012), MAIN)
    ).toBeUndefined()
    const handedOver = crowd.map(({ peer, prefix }) => ({ peer, prefix, seen: 980 }))
    expect(admit(undefined, ALICE, facts({ commitment: { handedOver } }), MAIN)).toMatchObject({
      entry: { state: 'provisional' }
    })
  })

  it('[a repair that swings back and forth] ends at the second time', () => {
    // Eight hold A, seven B, and five tell each of them that they hold the other. All ask at once, before anybody has
    // changed.
    let honest: Entry[] = [
      ...Array.from({ length: 8 }, () => newEntry(ALICE, 'settling', timeAt(1000))),
      ...Array.from({ length: 7 }, () => newEntry(MALLORY, 'settling', timeAt(1000)))
    ]
    const changes = honest.map(() => 0)
    for (let turn = 0; turn < 10; turn++) {
      honest = honest.map((entry, index) => {
        const other = equalBytes(entry.claim.id, ALICE.id) ? MALLORY : ALICE
        const others = honest.flatMap(({ claim }, each) =>
          each === index ? [] : answersOf(1, claim, 'settling', each)
        )
        const revision = reviseEntry(
          entry,
          { answers: [...others, ...answersOf(5, other, 'settling', 100)], known: 19 },
          timeAt(1010),
          LOCAL
        )
        if (revision === undefined) return entry
        changes[index]!++
        return adopt(agreedIn(revision), other, timeAt(1010), entry)
      })
    }
    expect(changes).toEqual(changes.map(() => MAX_REPAIRS))
    expect(honest.every(({ tenureRound, state }) => tenureRound === 1000 && state === 'settling')).toBe(true)
    // And then each settles, whatever it is told.
    const ripe = timeAt(1001 + LOCAL.settle)
    expect(
      reviseEntry(honest[0]!, { answers: answersOf(7, ALICE), known: 20 }, ripe, LOCAL),
      'but not by itself'
    ).toBeUndefined()
    expect(reviseEntry(honest[0]!, { answers: [], known: 0 }, ripe, { ...LOCAL, scope: 'public' })).toBeUndefined()
    for (const entry of honest)
      expect(
        reviseEntry(entry, { answers: answersOf(20, entry.claim === ALICE ? MALLORY : ALICE), known: 20 }, ripe, LOCAL)
      ).toMatchObject({ kind: 'keep', entry: { state: 'settled', claim: entry.claim } })
  })

  it('[a holder that slept while others settled] asks before it settles, and follows those awake', () => {
    const longAfter = timeAt(1000 + 100 * LOCAL.settle)
    for (const state of ['fresh', 'settling', 'provisional'] as const) {
      const slept = tickEntry(newEntry(ALICE, state, timeAt(1000)), longAfter, LOCAL)!
      expect(slept.state).toBe(state === 'provisional' ? 'provisional' : 'settling')
      const awake = {
        answers: [
          ...answersOf(9, MALLORY),
          ...answersOf(3, ALICE, 'settling', 9),
          ...answersOf(3, undefined, 'settled', 12)
        ],
        known: 20
      }
      expect(agreedIn(reviseEntry(slept, awake, longAfter, LOCAL)).claimId).toEqual(MALLORY.id)
      // Too few answer to settle it, or to adopt another; or they are divided, and most holders of the name hold the
      // other claim.
      for (const heard of [
        answersOf(7, undefined),
        answersOf(7, ALICE),
        [...answersOf(6, MALLORY), ...answersOf(4, undefined, 'settled', 6), ...answersOf(4, ALICE, 'settling', 10)]
      ]) {
        const revision = reviseEntry(slept, { answers: heard, known: 20 }, longAfter, LOCAL)
        expect(revision?.kind === 'keep' && revision.entry.state === 'settled').toBe(false)
      }
      expect(reviseEntry(slept, NOBODY, longAfter, MAIN), 'a node that knows no peers cannot tell').toBeUndefined()
    }
  })

  it('[a rival who commits after a slow owner] does not win by a witness: the name was shown before he committed', () => {
    const owner = newEntry(ALICE, 'provisional', timeAt(5_000))
    const rival = bareClaim({ owner: 'rival', firstRound: 5_030 })
    const offeredAt = (commitment: AdmissionFacts['commitment']): Decision =>
      admit(owner, rival, facts({ time: timeAt(6_000), commitment }), MAIN)
    const words = (count: number, seen: number): { peer: string; prefix: string; seen: number }[] =>
      Array.from({ length: count }, (_, index) => ({ peer: `${index}`, prefix: `${index}`, seen }))
    // A holder that saw C in the round of the claim, or later, and neighbours that say so.
    for (const commitment of [
      { seen: 5_000 },
      { seen: 5_010 },
      { seen: 5_010, handedOver: words(20, 5_010) },
      { handedOver: [...words(10, 4_990), ...words(20, 5_010).slice(10)] }
    ])
      expect(offeredAt(commitment)).toMatchObject({ kind: 'refuse', code: 'unwitnessed', entry: { claim: ALICE } })
    // He committed before, as this holder or its neighbours know: then he has read nothing here.
    for (const commitment of [{ seen: 4_999 }, { seen: 5_010, handedOver: words(11, 4_990) }])
      expect(offeredAt(commitment)).toMatchObject({ kind: 'store', entry: { claim: rival, state: 'fresh' } })
    // The owner's claim settles in time, however the rival is seen.
    const { entry } = offeredAt({ seen: 5_010 }) as { entry: Entry }
    const longAfter = timeAt(6_001 + MAIN.provisional_settle)
    expect(
      reviseEntry(entry, { answers: answersOf(20, ALICE, 'provisional'), known: 20 }, longAfter, MAIN)
    ).toMatchObject({ kind: 'keep', entry: { state: 'settled', claim: ALICE } })
  })

  it('[rivals that keep a claim provisional] run out: each delays once, up to a limit', () => {
    let entry: Entry = newEntry(ALICE, 'provisional', timeAt(1000))
    let round = 1000
    for (let rival = 0; rival < 40; rival++) {
      round += LOCAL.provisional_settle
      entry = tickEntry(entry, timeAt(round), LOCAL)!
      const decision = admit(
        entry,
        bareClaim({ owner: `rival ${rival}` }),
        facts({ unseen: true, time: timeAt(round) }),
        LOCAL
      )
      if (decision.kind === 'refuse' && decision.entry !== undefined) entry = decision.entry
      const revision = reviseEntry(entry, { answers: answersOf(20, undefined), known: 20 }, timeAt(round), LOCAL)
      if (revision?.kind === 'keep') entry = revision.entry
    }
    expect(entry.state).toBe('settled')
    expect(ownerAfter(entry, decide(entry, MALLORY, { time: timeAt(round) }))).toEqual(ALICE.pubkey)
    expect(round - 1000).toBeGreaterThan(MAX_RIVALS * LOCAL.provisional_settle)
  })
})

describe('the owner itself', () => {
  it('[two payloads at one (p, serial)] has one of them everywhere, and both hashes are shown', () => {
    const payloads = ['one', 'two', 'three'].map((payload) => bareClaim({ payload }))
    const fold = (order: readonly Claim[]): Entry => {
      const entries = order
        .slice(1)
        .reduce(
          (entry, claim) => (decide(entry, claim) as { entry: Entry }).entry,
          newEntry(order[0]!, 'settled', timeAt(900))
        )
      return entries
    }
    const [a, b, c] = payloads as [Claim, Claim, Claim]
    const results = [
      [a, b, c],
      [a, c, b],
      [b, a, c],
      [b, c, a],
      [c, a, b],
      [c, b, a]
    ].map(fold)
    expect(new Set(results.map(({ claim }) => Buffer.from(claim.payloadHash).toString('hex'))).size).toBe(1)
    for (const { equivocation } of results) expect(equivocation).toEqual(results[0]!.equivocation)
    expect(results[0]!.equivocation).toMatchObject({ round: 1000, serial: 1 })
  })

  it('[a serial ahead of time] is refused; who jumps as far as time allows is passed a round later', () => {
    const highest = highestSerial(timeAt(1010), LOCAL)
    expect(highest, 'in microseconds').toBe((LOCAL.beacon.genesis + 1009 * LOCAL.beacon.period) * 1_000_000)
    const ahead = bareClaim({ serial: highest + 1 })
    for (const held of [undefined, ...(['fresh', 'settled', 'provisional'] as const)]) {
      const entry = held && newEntry(bareClaim(), held, timeAt(900))
      expect(decide(entry, ahead), held).toMatchObject({ kind: 'refuse', code: 'ahead' })
    }
    const clockAhead = { ...timeAt(1010), now: 9_000 }
    expect(decide(undefined, ahead, { time: clockAhead })).toMatchObject({ code: 'ahead' })

    const jumped = decide(newEntry(bareClaim(), 'settled', timeAt(900)), bareClaim({ serial: highest }))
    if (jumped.kind !== 'store') throw new Error(jumped.kind)
    expect(decide(jumped.entry, ahead, { time: timeAt(1011) })).toMatchObject({
      kind: 'store',
      entry: { claim: { serial: highest + 1 } }
    })
  })

  it('[serials and rounds at 2^53 - 1] keep their order', () => {
    const max = Number.MAX_SAFE_INTEGER
    const [highest, below] = [bareClaim({ serial: max }), bareClaim({ serial: max - 1 })]
    expect(compareRecords(highest, below)).toBeGreaterThan(0)
    const entry = newEntry(highest, 'settled', timeAt(900))
    expect(decide(entry, bareClaim({ serial: 0, newestRound: 1001 })).kind, 'a renewal goes before every serial').toBe(
      'store'
    )
    expect(leaseState(max - LOCAL.lease - LOCAL.grace, max, LOCAL).state).toBe('grace')
    expect(
      admit(
        undefined,
        bareClaim({ firstRound: max }),
        facts({ commitment: { seen: max - 1 }, time: timeAt(max) }),
        LOCAL
      )
    ).toMatchObject({ kind: 'store', entry: { state: 'fresh' } })
  })
})
