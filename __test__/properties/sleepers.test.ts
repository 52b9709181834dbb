/** Invariant P18 of docs/protocol/rules.md, 18: a neighbourhood some of which sleeps while the others decide. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { admit, adopt, reviseEntry, type Decision } from '../../src/protocol/admission/admission.ts'
import { equalBytes } from '../../src/protocol/encoding/bytes.ts'
import type { Claim } from '../../src/protocol/claim/claim.ts'
import { tickEntry, withSight, type Entry } from '../../src/protocol/admission/entry.ts'
import type { NeighbourFacts } from '../../src/protocol/admission/neighbours.ts'
import { bareClaim, LOCAL, timeAt } from '../protocol/fixtures.ts'
import { CASES } from './cases.ts'

const BEGIN = 1005
/** When both commitments were seen, and when a newcomer was met: only earlier nodes know it longer. */
const SEEN = 990
const CAME = 995
const EARLIER = bareClaim({ owner: 'alice', firstRound: 1000 })
const LATER = bareClaim({ owner: 'bob', firstRound: 1001 })
const QUESTION_EVERY = 15
/** All have been awake for long enough to ask and be asked again and again. */
const END = BEGIN + 4 * LOCAL.provisional_settle

interface Holder {
  /** Asleep from the first to before the second. */
  readonly sleep: readonly [number, number]
  /** Has seen neither commitment: what comes to it is provisional. */
  readonly isBlind: boolean
  /** Came after the commitments, and so is blind. All others are old acquaintances. */
  readonly isNewcomer: boolean
}

/**
 * Fewer than half sleep, from any time, for any time: not at all, through the contest, through the settling, or through
 * both many times over.
 */
const neighbourhoods: fc.Arbitrary<Holder[]> = fc.integer({ min: 3, max: 20 }).chain((size) =>
  fc
    .array(
      fc.record({
        sleep: fc
          .tuple(
            fc.integer({ min: BEGIN, max: BEGIN + LOCAL.settle }),
            fc.integer({ min: 1, max: 2 * LOCAL.provisional_settle })
          )
          .map(([from, rounds]): [number, number] => [from, from + rounds]),
        isBlind: fc.boolean(),
        isNewcomer: fc.boolean()
      }),
      { maxLength: Math.ceil(size / 2) - 1 }
    )
    .map((sleepers) => [
      ...sleepers.map((each) => ({ ...each, isBlind: each.isBlind || each.isNewcomer })),
      ...Array.from({ length: size - sleepers.length }, (): Holder => ({
        sleep: [0, 0],
        isBlind: false,
        isNewcomer: false
      }))
    ])
)

/** Applies a decision. Every record is available. */
function after(entry: Entry | undefined, decision: Decision, round: number): Entry | undefined {
  if (decision.kind === 'adopt') return adopt(decision.agreed, claimOf(decision.agreed.claimId), timeAt(round), entry)
  return 'entry' in decision ? (decision.entry ?? entry) : entry
}

/** As a holder saves it: a witness keeps its sight until the entry is settled. */
function seenBy({ isBlind }: Holder, entry: Entry): Entry {
  return withSight(entry, isBlind ? undefined : SEEN)
}

function claimOf(id: Uint8Array): Claim {
  return equalBytes(id, EARLIER.id) ? EARLIER : LATER
}

function ownerOf({ claim }: Entry): string {
  return claimOf(claim.id) === EARLIER ? 'alice' : 'bob'
}

it('P18: while more than half of the neighbours are awake, sleepers settle on the same claim', () => {
  fc.assert(
    fc.property(
      neighbourhoods,
      fc.integer({ min: 0, max: LOCAL.contest }),
      fc.boolean(),
      (holders, between, isEarlierFirst) => {
        const entries = new Map<Holder, Entry>()
        const entryOf = (holder: Holder, round: number): Entry | undefined => {
          const entry = entries.get(holder)
          return entry && tickEntry(entry, timeAt(round), LOCAL)
        }
        const isAwake = ({ sleep: [from, until] }: Holder, round: number): boolean => round < from || round >= until
        const heard = (by: Holder, round: number): NeighbourFacts => {
          const answers = holders.flatMap((each, index) => {
            if (each === by || !isAwake(each, round)) return []
            const entry = entryOf(each, round)
            return [
              {
                peer: `${index}`,
                prefix: `${index}`,
                met: by.isNewcomer || each.isNewcomer ? CAME : 0,
                ...(entry !== undefined && { entry: { claimId: entry.claim.id, state: entry.state } })
              }
            ]
          })
          return { answers, known: holders.length - 1 }
        }
        const offer = (claim: Claim, round: number): void => {
          for (const holder of holders.filter((each) => isAwake(each, round))) {
            const entry = entryOf(holder, round)
            const facts = {
              time: timeAt(round),
              commitment: holder.isBlind ? {} : { seen: SEEN },
              neighbours: { answers: [], known: 0 }
            }
            const entered = after(entry, admit(entry, claim, facts, LOCAL), round)
            if (entered !== undefined) entries.set(holder, seenBy(holder, entered))
          }
        }
        const [first, second] = isEarlierFirst ? [EARLIER, LATER] : [LATER, EARLIER]
        for (let round = BEGIN; round <= END; round++) {
          if (round > BEGIN && [...entries.values()].every(({ state }) => state === 'settled')) break
          if (round === BEGIN) offer(first, round)
          if (round === BEGIN + between) offer(second, round)
          for (const [index, holder] of holders.entries()) {
            const entry = entryOf(holder, round)
            if (entry === undefined || (round + index) % QUESTION_EVERY !== 0 || !isAwake(holder, round)) continue
            const revision = reviseEntry(entry, heard(holder, round), timeAt(round), LOCAL)
            if (revision === undefined) continue
            const revised =
              revision.kind === 'keep'
                ? revision.entry
                : adopt(revision.agreed, claimOf(revision.agreed.claimId), timeAt(round), entry)
            entries.set(holder, seenBy(holder, revised))
            if (revised.state === 'settled')
              expect(ownerOf(revised), `settled by holder ${index} at ${round}`).toBe('alice')
          }
        }
        for (const holder of holders) {
          if (!holder.isBlind && isAwake(holder, BEGIN)) expect(entries.get(holder)?.state).toBe('settled')
        }
      }
    ),
    CASES
  )
})
