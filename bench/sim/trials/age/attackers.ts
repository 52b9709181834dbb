/** What is tried against a rule of ages. Ages are days; the honest owner's name is a year old. */

export type Chains = 'anybody' | 'named'

export interface AgeAttack {
  readonly id: string
  /** Ids that show the thief's claim around the key. */
  readonly ids: number
  /** Days of the secret or public chain that holds the thief's claim; 0: it is in none. */
  readonly thiefDays: Readonly<Record<Chains, number>>
  /** Days of the chains that hold the owner's. */
  readonly ownerDays: Readonly<Record<Chains, number>>
  /** Core-days of squaring for the thief's chain, shared by all names that it holds. */
  readonly coreDays: number
}

const YEAR = 365
const both = (days: number): Record<Chains, number> => ({ anybody: days, named: days })
const secret = (days: number): Record<Chains, number> => ({ anybody: days, named: 0 })

/** What a chip gains that does the ticks of past days after the fact: 715,000 to 333,000 squarings a second. */
export const FAST = 715 / 333

export const AGE_ATTACKS: readonly AgeAttack[] = [
  { id: 'peace', ids: 0, thiefDays: both(0), ownerDays: both(YEAR), coreDays: 0 },
  { id: 'thief with a fresh claim', ids: 5, thiefDays: both(1), ownerDays: both(YEAR), coreDays: 0 },
  { id: 'thief with a fresh claim', ids: 11, thiefDays: both(1), ownerDays: both(YEAR), coreDays: 0 },
  { id: 'evidence withheld: all that are asked', ids: 20, thiefDays: both(1), ownerDays: both(YEAR), coreDays: 0 },
  {
    id: 'hoarder of four years, one id',
    ids: 1,
    thiefDays: secret(4 * YEAR),
    ownerDays: both(YEAR),
    coreDays: 4 * YEAR
  },
  { id: 'hoarder of four years', ids: 11, thiefDays: secret(4 * YEAR), ownerDays: both(YEAR), coreDays: 4 * YEAR },
  {
    id: 'hoarder of two years, one id',
    ids: 1,
    thiefDays: secret(2 * YEAR),
    ownerDays: both(YEAR),
    coreDays: 2 * YEAR
  },
  {
    id: 'the same years, done later by a fast chip',
    ids: 1,
    thiefDays: secret(4 * YEAR),
    ownerDays: both(YEAR),
    coreDays: (4 * YEAR) / FAST
  },
  {
    id: 'a named operator hides claims in its roots',
    ids: 1,
    thiefDays: both(4 * YEAR),
    ownerDays: both(YEAR),
    coreDays: 0
  },
  { id: 'operators omit the owner', ids: 11, thiefDays: both(1), ownerDays: both(0), coreDays: 0 },
  { id: 'operators omit it and hold the thief', ids: 1, thiefDays: both(YEAR), ownerDays: both(0), coreDays: 0 },
  { id: 'the chains stopped last week', ids: 11, thiefDays: both(0), ownerDays: both(0), coreDays: 0 },
  { id: 'a new owner in no chain yet', ids: 11, thiefDays: both(1), ownerDays: both(0), coreDays: 0 },
  { id: 'an owner of forty days', ids: 11, thiefDays: both(1), ownerDays: both(40), coreDays: 0 }
]
