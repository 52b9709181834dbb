/** The use of a finished claim that its maker keeps secret, under its name in docs/protocol/. */
import { describe, expect, it } from 'vitest'
import { admit, type AdmissionFacts, type Decision } from '../../../src/protocol/admission/admission.ts'
import type { Claim } from '../../../src/protocol/claim/claim.ts'
import { newEntry, tickEntry, type Entry } from '../../../src/protocol/admission/entry.ts'
import { leaseState, revealWindow } from '../../../src/protocol/time.ts'
import { iterationsFor, parseName } from '../../../src/protocol/name/names.ts'
import type { NeighbourAnswer } from '../../../src/protocol/admission/neighbours.ts'
import { isWitnessed } from '../../../src/protocol/admission/witness.ts'
import { bareClaim, LOCAL, MAIN, timeAt } from '../../protocol/fixtures.ts'

const ITERATIONS = iterationsFor(parseName('alice.chronym', MAIN), MAIN)
const claimOf = (owner: string, firstRound: number): Claim => ({
  ...bareClaim({ owner, firstRound }),
  firstIterations: ITERATIONS
})

/** Finished long ago; all twenty have seen its C in time. */
const KEPT = claimOf('mallory', 10_000)
const SEEN = { seen: 9_980 }
/** The owner commits later, knowing of nothing, and reveals at 100,000. */
const OWNERS = claimOf('alice', 99_000)
const REVEALED = 100_000
const WINDOW = revealWindow(ITERATIONS, MAIN)

const at = (round: number, change: Partial<AdmissionFacts> = {}): AdmissionFacts => ({
  time: timeAt(round),
  commitment: SEEN,
  neighbours: { answers: [], known: 0 },
  ...change
})
const offered = (entry: Entry | undefined, facts: AdmissionFacts): Decision => admit(entry, KEPT, facts, MAIN)
const twenty = (claim: Claim | undefined): readonly NeighbourAnswer[] =>
  Array.from({ length: 20 }, (_, index) => ({
    peer: `${index}`,
    prefix: `198.${index}.100.0/24`,
    ...(claim && { entry: { claimId: claim.id, state: 'settled' as const } })
  }))

describe('a claim that nobody was shown', () => {
  it('[a finished claim that is kept back] wins in the contest of a later one, and not a round after it', () => {
    const entry = newEntry(OWNERS, 'fresh', timeAt(REVEALED))
    // The price, in docs/threat-model.md: this is what first p means.
    expect(offered(entry, at(REVEALED + MAIN.contest))).toMatchObject({
      kind: 'store',
      entry: { claim: KEPT, tenureRound: REVEALED }
    })
    const over = tickEntry(entry, timeAt(REVEALED + MAIN.contest + 1), MAIN)!
    expect(over.state).toBe('settling')
    for (const round of [REVEALED + MAIN.contest + 1, REVEALED + MAIN.settle, KEPT.firstRound + WINDOW]) {
      for (const state of ['settling', 'settled'] as const)
        expect(offered({ ...over, state }, at(round)), `${state} at ${round}`).toMatchObject({
          kind: 'refuse',
          code: 'taken'
        })
    }
  })

  it('[a finished claim that is kept back] is refused by a newcomer too: the holders name the owner', () => {
    const decision = offered(
      undefined,
      at(REVEALED + MAIN.settle, { neighbours: { answers: twenty(OWNERS), known: 20 } })
    )
    expect(decision).toMatchObject({ kind: 'adopt', agreed: { claimId: OWNERS.id } })
  })

  it('[a finished claim that is kept back] has a witness while its window runs, and none afterwards', () => {
    const last = KEPT.firstRound + WINDOW
    expect([isWitnessed(KEPT, SEEN, timeAt(last), MAIN), isWitnessed(KEPT, SEEN, timeAt(last + 1), MAIN)]).toEqual([
      true,
      false
    ])
    const fresh = newEntry(OWNERS, 'fresh', timeAt(last))
    expect(offered(fresh, at(last + 1))).toMatchObject({ kind: 'refuse', code: 'unwitnessed' })
    const late = offered(undefined, at(last + 1, { neighbours: { answers: twenty(undefined), known: 20 } })) as {
      entry: Entry
    }
    expect(late.entry.state).toBe('provisional')
    // One who committed before it was shown comes first, not one who commits then.
    const [before, after] = [claimOf('bob', last + 20), claimOf('bob', last + 100)]
    expect(admit(late.entry, before, at(last + 110, { commitment: { seen: last } }), MAIN)).toMatchObject({
      kind: 'store',
      entry: { claim: before, state: 'fresh' }
    })
    expect(admit(late.entry, after, at(last + 110, { commitment: { seen: last + 70 } }), MAIN)).toMatchObject({
      kind: 'refuse',
      code: 'unwitnessed'
    })
  })

  it('[a finished claim that is kept back] outlives no later lease: its window is half a lease at most', () => {
    for (const profile of [LOCAL, MAIN]) {
      for (const label of ['abc', 'abcd', 'abcde', 'abcdef', 'abcdefg', 'abcdefgh', 'abcdefghijkl']) {
        const window = revealWindow(iterationsFor(parseName(`${label}.chronym`, profile), profile), profile)
        expect(window, `${label} on ${profile.id}`).toBeLessThanOrEqual(profile.lease / 2)
        // Even of a lease whose p is the same.
        expect(leaseState(1000, 1000 + window, profile).state).toBe('live')
      }
    }
    const dead = OWNERS.newestRound + MAIN.lease + MAIN.grace + 1
    // Of 14 days for a name that takes half an hour, and of 160 for one of three octets.
    const windowOf = (label: string): number =>
      revealWindow(iterationsFor(parseName(`${label}.chronym`, MAIN), MAIN), MAIN)
    const days = (label: string): number => Math.round((windowOf(label) * MAIN.beacon.period) / 86_400)
    expect(['abc', 'abcd', 'abcde', 'abcdefghijkl'].map(days)).toEqual([160, 80, 14, 14])
    expect(tickEntry(newEntry(OWNERS, 'settled', timeAt(REVEALED)), timeAt(dead), MAIN)).toBeUndefined()
    expect(isWitnessed(KEPT, SEEN, timeAt(dead), MAIN)).toBe(false)
  })
})
