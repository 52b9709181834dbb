import { describe, expect, it } from 'vitest'
import { leaseState, renewalRound } from '../../../src/protocol/time.ts'
import { parseProfile } from '../../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in.ts'
import { dueRounds, type RenewalToCome } from '../../../src/registry/upkeep/renewal-outlook.ts'
import { randomFrom, RUNS, SEED } from '../../properties/cases.ts'

const profile = parseProfile(builtInProfiles.main)
const { lease: LEASE } = profile
const TENTH = Math.ceil(LEASE / 10)

const renewal = (startRound: number, rounds: number): RenewalToCome => ({
  lease: leaseState(startRound, startRound, profile),
  rounds
})
const leads = (renewals: readonly RenewalToCome[], slots = 1): number[] =>
  dueRounds(renewals, slots, profile).map((due, index) => renewals[index]!.lease.endRound - due)

/**
 * Rounds by which the last one is late, or before the end if none is, when they take turns as tasks do, without
 * interruption.
 */
function lateness(renewals: readonly RenewalToCome[], due: readonly number[]): number {
  const waiting = renewals
    .map(({ lease, rounds }, index) => ({ end: lease.endRound, left: rounds, due: due[index]! }))
    .sort((left, right) => left.end - right.end)
  let [now, worst] = [-Infinity, -Infinity]
  while (waiting.some(({ left }) => left > 0)) {
    const todo = waiting.filter(({ left }) => left > 0)
    const next = todo.find((each) => each.due <= now)
    const nextDue = Math.min(...todo.filter((each) => each.due > now).map((each) => each.due))
    const passed = next === undefined ? 0 : Math.min(next.left, nextDue - now)
    now = next === undefined ? nextDue : now + passed
    if (next === undefined) continue
    next.left -= passed
    if (next.left === 0) worst = Math.max(worst, now - next.end)
  }
  return worst
}

describe('renewals of several names', () => {
  it('begin a tenth of the lease or three durations before its end where there is time for all', () => {
    expect(leads([renewal(0, 10), renewal(0, 10), renewal(500, 10)])).toEqual([TENTH, TENTH, TENTH])
    expect(leads([renewal(0, TENTH), renewal(LEASE / 2, TENTH)])).toEqual([3 * TENTH, 3 * TENTH])
  })

  it('begin so much earlier that those that end later have their time too', () => {
    const work = TENTH / 20
    expect(leads(Array.from({ length: 20 }, () => renewal(0, work))).toSorted((left, right) => left - right)).toEqual(
      Array.from({ length: 20 }, (_, index) => Math.max(TENTH, 3 * Math.ceil(work) * (index + 1)))
    )
    expect(leads([renewal(0, TENTH), renewal(TENTH, TENTH)]), 'a tenth later').toEqual([5 * TENTH, 3 * TENTH])
    expect(leads([renewal(0, TENTH), renewal(0, TENTH), renewal(0, TENTH)], 3), 'three at once').toEqual(
      expect.arrayContaining([3 * TENTH])
    )
  })

  it('begin no earlier than their leases, and count nothing that is not known', () => {
    expect(leads(Array.from({ length: 20 }, () => renewal(7, TENTH)))).toContain(LEASE)
    expect(leads([renewal(0, 0), renewal(0, 0)])).toEqual([TENTH, TENTH])
  })

  const byOwnLeads = (renewals: readonly RenewalToCome[]): number[] =>
    renewals.map(({ lease, rounds }) => renewalRound(lease.startRound, rounds, profile))

  it('that end together are done in time, and would not be if each began by its own lead alone', () => {
    const together = Array.from({ length: 20 }, () => renewal(0, Math.floor(LEASE / 100)))
    expect(lateness(together, byOwnLeads(together))).toBeGreaterThan(0)
    expect(lateness(together, dueRounds(together, 1, profile))).toBeLessThanOrEqual(0)
  })

  it(`are all done in time in ${RUNS} cases in which there is time for three times the work`, () => {
    for (let run = 0; run < RUNS; run++) {
      const random = randomFrom(SEED + run * 7919)
      const count = 2 + Math.floor(random() * 19)
      const renewals = Array.from({ length: count }, () =>
        renewal(Math.floor(random() * random() * LEASE), Math.ceil((random() * LEASE) / 3 / count))
      )
      expect(lateness(renewals, dueRounds(renewals, 1, profile)), `run ${run} of seed ${SEED}`).toBeLessThanOrEqual(0)
    }
  })
})
