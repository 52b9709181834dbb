/** How long a secret chain must be, and how long a newcomer waits for it, by how much younger counts as much younger. */
import { attackCosts } from './costs.ts'
import { shownBy, sightOf, type AgeRule, type Sight } from './rules.ts'
import type { Votes } from './votes.ts'

export const FACTORS = [1.5, 2, 4, 8] as const

/** What a hoarder wants whose chain counts. */
const AIMS = [
  { aim: 'one id makes the name contested', ids: 1, rule: 'defence', gains: ['contested', 'wrong'] },
  { aim: 'eleven ids show the thief', ids: 11, rule: 'defence', gains: ['wrong'] },
  { aim: 'one id shows the thief', ids: 1, rule: 'over-votes', gains: ['wrong'] },
  { aim: 'ten ids make the name contested', ids: 10, rule: 'over-votes', gains: ['contested', 'wrong'] },
  { aim: 'eleven ids show the thief', ids: 11, rule: 'over-votes', gains: ['wrong'] }
] as const satisfies readonly { aim: string; ids: number; rule: AgeRule; gains: readonly Sight[] }[]

export interface Least {
  readonly much: number
  readonly aim: string
  readonly rule: AgeRule
  /** The least days of ticks; by a chip that begins later, `fastDays` of real time. */
  readonly chainDays: number
  readonly fastDays: number
  readonly euros: number
  /** Whether that chip may begin after the owner's claim is settled. */
  readonly isAfterTheOwner: boolean
}

/** @param byIds the votes for a name whose owner's claim is `ownerDays` old */
export function leastDays(ownerDays: number, byIds: ReadonlyMap<number, Votes>): Least[] {
  return FACTORS.flatMap((much) =>
    AIMS.map(({ aim, ids, rule, gains }) => {
      const votes = votesFor(ids, byIds)
      const isGained = (days: number): boolean =>
        (gains as readonly Sight[]).includes(sightWith(votes, rule, ownerDays, days, much))
      let days = 0
      while (!isGained(days) && days <= ownerDays * (much + 1)) days++
      const { chainDays, fastDays, chainEuros: euros } = attackCosts(days)
      return { much, aim, rule, chainDays, fastDays, euros, isAfterTheOwner: fastDays < ownerDays }
    })
  )
}

export interface Wait {
  readonly much: number
  /** Days of the hoarder's chain when the owner's claim comes; it goes on. 0: the thief's claim is in none. */
  readonly hoardedDays: number
  /** Days until one id no longer makes the name contested under defence, nor the thief's under over-votes. */
  readonly againstOneId: number | 'never'
  /** Days until eleven ids no longer show the thief. */
  readonly againstEleven: number | 'never'
}

/** By then the hoarder's chain is as good as no older than the owner's: what still harms is for good. */
const MOST_WAIT = 10_000

/** A hoarder who began that many days before the owner. */
const HOARDED = [0, 365, 4 * 365] as const

/** Until neither rule gives the thief anything. */
export function waits(byIds: ReadonlyMap<number, Votes>): Wait[] {
  return FACTORS.flatMap((much) =>
    HOARDED.map((hoardedDays) => {
      const waitFor = (ids: number, harms: readonly Sight[]): Wait['againstOneId'] => {
        const votes = votesFor(ids, byIds)
        const isHarmed = (days: number): boolean =>
          (['defence', 'over-votes'] as const).some((rule) =>
            harms.includes(sightWith(votes, rule, days, hoardedDays === 0 ? 0 : hoardedDays + days, much))
          )
        let days = 0
        while (isHarmed(days) && days <= MOST_WAIT) days++
        return days > MOST_WAIT ? 'never' : days
      }
      return {
        much,
        hoardedDays,
        againstOneId: waitFor(1, ['contested', 'wrong']),
        againstEleven: waitFor(11, ['wrong'])
      }
    })
  )
}

function sightWith(votes: Votes, rule: AgeRule, ownerDays: number, thiefDays: number, much: number): Sight {
  const ages = new Map([
    [votes.owner, ownerDays],
    [votes.thief, thiefDays]
  ])
  return sightOf(shownBy(rule, votes.seen, ages, much), votes.owner)
}

function votesFor(ids: number, byIds: ReadonlyMap<number, Votes>): Votes {
  const votes = byIds.get(ids)
  if (votes === undefined) throw new Error(`thresholds need the votes beside ${ids} ids: have ${ids} among those tried`)
  return votes
}
