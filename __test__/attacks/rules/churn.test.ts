/**
 * A settled name whose holders come and go, hour by hour, while liars near its key show all who ask another owner. The
 * rules are real.
 */
import { describe, expect, it } from 'vitest'
import { admit, adopt, reviseEntry } from '../../../src/protocol/admission/admission.ts'
import { roundsIn } from '../../../src/protocol/time.ts'
import { equalBytes } from '../../../src/protocol/encoding/bytes.ts'
import type { Claim } from '../../../src/protocol/claim/claim.ts'
import { newEntry, tickEntry, type Entry } from '../../../src/protocol/admission/entry.ts'
import { claimToRepair, type NeighbourAnswer, type NeighbourFacts } from '../../../src/protocol/admission/neighbours.ts'
import { tally } from '../../../src/protocol/resolution/quorum.ts'
import { randomFrom } from '../../properties/cases.ts'
import { bareClaim, MAIN, timeAt } from '../../protocol/fixtures.ts'

const BEGIN = 10_000_000
const HOUR = roundsIn(3600, MAIN.beacon)
/** Hours between two questions about an entry that is settling. */
const QUESTION_EVERY = 6
const DAYS = 360

const ALICE = bareClaim({ owner: 'alice', firstRound: BEGIN - 100 })
/** Valid, and begun when her name was settled; its first pulse could be of any time, since old ones are public. */
const MALLORY = bareClaim({ owner: 'mallory', firstRound: BEGIN - 200 })

interface Place {
  entry: Entry | undefined
  /** Hour in which its node goes, and another takes its place. */
  goes: number
  /** Hour of its next question. */
  asks: number
}

interface Life {
  readonly liars: number
  /** Mean time that an honest node stays. */
  readonly days: number
  /** Of the questions to honest nodes, those that get no answer. */
  readonly silent: number
  readonly seed: number
}

/** The first day on which more than half of those asked show the thief; undefined within the year. */
function dayOfTheft({ liars, days, silent, seed }: Life): number | undefined {
  const random = randomFrom(seed)
  const lifetime = (): number => -Math.log(1 - random()) * days * 24
  // The liars are nearest, so that a node asks k - liars of these others.
  const places = Array.from({ length: MAIN.k - liars + 1 }, (): Place => ({
    entry: newEntry(ALICE, 'settled', timeAt(BEGIN)),
    goes: lifetime(),
    asks: Infinity
  }))
  const heard = (by: Place | undefined, round: number): NeighbourFacts => {
    const lies = Array.from({ length: liars }, (_, index) =>
      shown(`liar ${index}`, newEntry(MALLORY, 'settled', timeAt(BEGIN)))
    )
    const asked = places.filter((place) => place !== by).slice(0, MAIN.k - liars)
    const answers = asked.flatMap(({ entry }, index) =>
      random() < silent ? [] : [shown(`${index}`, entry && tickEntry(entry, timeAt(round), MAIN))]
    )
    return { answers: [...lies, ...answers], known: MAIN.k }
  }
  for (let hour = 1; hour <= DAYS * 24; hour++) {
    const round = BEGIN + hour * HOUR
    for (const place of places) {
      if (hour >= place.goes) {
        place.entry = undefined
        place.goes = hour + lifetime()
      }
      live(place, hour, () => heard(place, round))
    }
    if (hour % 24 !== 0) continue
    const votes = heard(undefined, round).answers.map(({ entry, ...who }) => ({
      ...who,
      ...(entry && { held: { claim: claimOf(entry.claimId), state: entry.state } })
    }))
    const found = tally(votes, { asked: MAIN.k, done: true }, MAIN)
    if (found.kind === 'owner' && !found.thin && equalBytes(found.owner.newest.id, MALLORY.id)) return hour / 24
  }
  return undefined

  /**
   * Enters what the neighbours list where it holds nothing, as nodes do within two minutes of their start. Otherwise it
   * asks about what has not settled. The thief is the first to send a record.
   */
  function live(place: Place, hour: number, ask: () => NeighbourFacts): void {
    const time = timeAt(BEGIN + hour * HOUR)
    if (place.entry === undefined) {
      const decision = admit(undefined, MALLORY, { time, commitment: {}, neighbours: ask() }, MAIN)
      if (decision.kind === 'adopt') place.entry = adopt(decision.agreed, claimOf(decision.agreed.claimId), time)
      if (decision.kind === 'store') place.entry = decision.entry
      place.asks = hour + Math.ceil(random() * QUESTION_EVERY)
      return
    }
    place.entry = tickEntry(place.entry, time, MAIN)!
    if (place.entry.state === 'settled' || (place.entry.state !== 'provisional' && hour < place.asks)) return
    place.asks = hour + QUESTION_EVERY
    const revision = reviseEntry(place.entry, ask(), time, MAIN)
    if (revision?.kind === 'keep') place.entry = revision.entry
    if (revision?.kind === 'adopt')
      place.entry = adopt(revision.agreed, claimOf(revision.agreed.claimId), time, place.entry)
  }
}

function claimOf(id: Uint8Array): Claim {
  return equalBytes(id, ALICE.id) ? ALICE : MALLORY
}

function shown(who: string, entry?: Entry): NeighbourAnswer {
  return { peer: who, prefix: who, ...(entry && { entry: { claimId: entry.claim.id, state: entry.state } }) }
}

describe('a settled name whose holders come and go', () => {
  it('[newcomers who join among liars] keep it for a year among nine who lie, where everybody answers', () => {
    for (const days of [1, 7, 30])
      expect(dayOfTheft({ liars: 9, days, silent: 0, seed: days }), `nodes stay for ${days} days`).toBeUndefined()
  })

  it('[newcomers who join among liars] keep it for most of a year among eight liars, with 10% silence', () => {
    for (const seed of [1, 2, 3])
      expect(dayOfTheft({ liars: 8, days: 7, silent: 0.1, seed }) ?? Infinity).toBeGreaterThan(240)
  })

  it('[newcomers who join among liars] are turned by ten within days, by nine with silence (threat model)', () => {
    for (const days of [1, 7, 30])
      expect(dayOfTheft({ liars: 10, days, silent: 0, seed: days })).toBeLessThan(days + 14)
    expect(dayOfTheft({ liars: 9, days: 7, silent: 0.05, seed: 1 })).toBeGreaterThan(3)
    expect(dayOfTheft({ liars: 9, days: 1, silent: 0.05, seed: 1 })).toBeLessThan(14)
  })

  it('[newcomers who join among liars] are repaired by eleven of twenty, however few answer', () => {
    const lies = Array.from({ length: 10 }, (_, index) =>
      shown(`liar ${index}`, newEntry(MALLORY, 'settled', timeAt(BEGIN)))
    )
    const known = MAIN.k
    expect(claimToRepair(ALICE.id, { answers: lies, known }, MAIN)).toBeUndefined()
    expect(
      claimToRepair(
        ALICE.id,
        { answers: [...lies, shown('liar 10', newEntry(MALLORY, 'settled', timeAt(BEGIN)))], known },
        MAIN
      )
    ).toMatchObject({ claimId: MALLORY.id })
  })
})
