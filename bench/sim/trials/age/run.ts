/** Each scene by each rule of ages: votes are those of a simulated network, ages those of simulated chains. */
import { SIM_PROFILE } from '../../world.ts'
import { ageBy, idOf, SOURCES, type Source } from './ages.ts'
import { attackCosts, honestCosts, type AttackCosts, type Costs } from './costs.ts'
import { runChain, type RunChain } from './operators.ts'
import { AGE_RULES, shownBy, sightOf, type AgeRule, type Sight } from './rules.ts'
import { SCENES, type Past, type Scene, type Stage } from './scenes.ts'
import { leastDays, waits, type Least, type Wait } from './thresholds.ts'
import { votesOf, type Votes } from './votes.ts'

export interface AgeOptions {
  readonly nodes: number
  readonly seed: string
  /** Numbers of the thief's ids, ascending; 1, 10 and 11 among them. */
  readonly ids?: readonly number[]
  /** Those where the ids say that nobody holds the name; by default as many. */
  readonly hidingIds?: readonly number[]
}

/** One below and one at each turn of the votes: half of twenty, more than half, all. */
export const ID_COUNTS = [0, 1, 5, 9, 10, 11, 19, 20] as const

export interface SceneResult {
  readonly scene: string
  readonly ids: number
  readonly eurosADay: number
  readonly attacker: AttackCosts
  /** Ages by each source. */
  readonly days: Readonly<Record<Source, { readonly owner: number; readonly thief: number }>>
  /** What a first-time resolver sees; today's rule is the same for each source. */
  readonly seen: Readonly<Record<Source, Readonly<Record<AgeRule, Sight>>>>
}

export interface AgeTrial {
  readonly honest: Costs
  readonly results: readonly SceneResult[]
  readonly least: readonly Least[]
  readonly waits: readonly Wait[]
}

const OWNER_DAYS = 365

const TODAY = 20_000

const DAYS_A_ROUND = SIM_PROFILE.beacon.period / 86_400

const STAGE: Stage = {
  today: TODAY,
  ownerDays: OWNER_DAYS,
  lease: Math.round(SIM_PROFILE.lease * DAYS_A_ROUND),
  grace: Math.round(SIM_PROFILE.grace * DAYS_A_ROUND)
}

export async function runAges(
  { nodes, seed, ids = ID_COUNTS, hidingIds = ids }: AgeOptions,
  onProgress?: (share: number) => void
): Promise<AgeTrial> {
  const [showing, hiding] = [new Map<number, Votes>(), new Map<number, Votes>()]
  const steps = ids.length + hidingIds.length + SCENES.length
  let done = 0
  for (const [counts, byIds, hides] of [
    [ids, showing, false],
    [hidingIds, hiding, true]
  ] as const)
    for (const count of counts) {
      byIds.set(count, await votesOf({ ids: count, hides, nodes, seed }))
      onProgress?.(++done / steps)
    }
  const results = SCENES.flatMap((scene) => {
    const each = resultsOf(scene, scene.hides === true ? hiding : showing)
    onProgress?.(++done / steps)
    return each
  })
  return { honest: honestCosts(), results, least: leastDays(OWNER_DAYS, showing), waits: waits(showing) }
}

function resultsOf(scene: Scene, byIds: ReadonlyMap<number, Votes>): SceneResult[] {
  const past = scene.past(STAGE)
  const chains = past.operators.map((operator) => runChain(operator, past.leaves, TODAY))
  const days = bySource((source) => agesOf(source, past, chains))
  return [...byIds].map(([ids, votes]) => ({
    scene: scene.id,
    ids,
    eurosADay: votes.eurosADay,
    attacker: attackCosts(past.secretChainDays),
    days,
    seen: bySource((source) => {
      // Operators that are asked show the claims that they hold.
      const isSeen = (who: 'owner' | 'thief'): boolean =>
        votes.shown.has(votes[who]) || (source === 'direct' && days.direct[who] > 0)
      const ages = new Map((['owner', 'thief'] as const).filter(isSeen).map((who) => [votes[who], days[source][who]]))
      return byRule((rule) => sightOf(shownBy(rule, votes.seen, ages), votes.owner))
    })
  }))
}

function agesOf(source: Source, past: Past, chains: readonly RunChain[]): { owner: number; thief: number } {
  const named = new Set(chains.filter(({ operator }) => operator.isNamed).map(({ view }) => idOf(view)))
  const dates = { today: TODAY, leaseAndGrace: STAGE.lease + STAGE.grace }
  return {
    owner: ageBy(source, past.owner, chains, named, dates),
    thief: ageBy(source, past.thief, chains, named, dates)
  }
}

function bySource<T>(of: (source: Source) => T): Record<Source, T> {
  return Object.fromEntries(SOURCES.map((source) => [source, of(source)])) as Record<Source, T>
}

function byRule<T>(of: (rule: AgeRule) => T): Record<AgeRule, T> {
  return Object.fromEntries(AGE_RULES.map((rule) => [rule, of(rule)])) as Record<AgeRule, T>
}
