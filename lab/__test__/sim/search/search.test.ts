/** The search finds harm by itself, tells what goes beyond the limits, and makes plans smaller. */
import { describe, expect, it } from 'vitest'
import { parsePlan, type Plan, type Step } from '../../../sim/search/plan.ts'
import { play } from '../../../sim/search/play.ts'
import { search } from '../../../sim/search/search.ts'
import { shrinkPlan } from '../../../sim/search/shrink.ts'

const LIE = { face: 'claim', to: 'all', other: 'nothing', claim: 0, state: 'settled', vouches: false } as const
const CALM = { nodes: 30, lifeDays: 0, loss: 0, squaringsPerSecond: 333_000, hoursAwake: 24, awayDays: 0 }
const JOIN: Step = { at: 'settled', plusMinutes: 0, do: 'join', count: 11, where: 'name', together: 2, lie: LIE }
const PLAN: Plan = {
  seed: '1',
  days: 4,
  population: CALM,
  claims: [{ kind: 'old', rounds: 1_000, isRenewed: false }],
  steps: [JOIN]
}

/** Ids that hand over a commitment as seen early, two holders that see it late, and the claim in the owner's contest. */
function vouching(count: number): Plan {
  const lie = { ...LIE, face: 'nothing', vouches: true } as const
  return {
    ...PLAN,
    days: 2,
    // Slow enough that each holder asks its neighbours once while the owner works.
    population: { ...CALM, squaringsPerSecond: 20_000 },
    claims: [{ kind: 'old', rounds: 300, isRenewed: false }],
    steps: [
      { at: 'committed', plusMinutes: 1, do: 'join', count, where: 'name', together: 2, lie },
      { at: 'committed', plusMinutes: 1, do: 'commit', claim: 0, share: 0.2, which: 'nearest', times: 1 },
      { at: 'contest', plusMinutes: 0, do: 'put', claim: 0, share: 1, which: 'nearest', times: 4 }
    ]
  }
}

describe('the search', () => {
  it('does the same again with the same seed, and finds by itself how ids take a name', async () => {
    const [first, again] = [await search(1, '27'), await search(1, '27')]
    expect(again).toEqual(first)
    expect(first.best[0]).toMatchObject({ harm: 'taken' })
    expect(first.coverage).toBeGreaterThan(10)
  })

  it('allows eleven ids what a majority may do, and sees that four do nothing', async () => {
    const eleven = await play(PLAN)
    expect(eleven).toMatchObject({ harm: 'unpinned', allowed: 'unpinned', isFinding: false, holders: { wrong: 0 } })
    const four = await play({ ...PLAN, days: 2, steps: [{ ...JOIN, count: 4 }] })
    expect(four).toMatchObject({ harm: 'harmless', allowed: 'harmless', isFinding: false })
  })

  it('allows a claim that came before the owner to be first, and the same claim later nothing', async () => {
    const put: Step = { at: 'before', plusMinutes: 0, do: 'put', claim: 0, share: 0.2, which: 'nearest', times: 1 }
    const first = await play({ ...PLAN, days: 2, steps: [put] })
    expect(first).toMatchObject({ harm: 'taken', allowed: 'taken', isFinding: false })
    const later = await play({ ...PLAN, days: 2, steps: [{ ...put, at: 'committed' }] })
    expect(later).toMatchObject({ harm: 'harmless', allowed: 'harmless', isFinding: false })
  })

  it('makes a plan as small as what it does', async () => {
    const noise: Step[] = [
      { at: 'before', plusMinutes: 0, do: 'commit', claim: 1, share: 0.1, which: 'any', times: 2 },
      { at: 'pinned', plusMinutes: 5, do: 'leave', group: 3 }
    ]
    const claims = [...PLAN.claims, { kind: 'worked', speed: 333_000 } as const]
    const does = ({ steps }: Plan): boolean =>
      steps.some((step) => step.do === 'join' && step.count >= 11 && step.lie.face === 'claim' && step.at === 'settled')
    const larger: Step = {
      ...JOIN,
      count: 12,
      together: 12,
      plusMinutes: 5,
      lie: { ...LIE, to: 'half', vouches: true }
    } as const
    const population = { ...CALM, nodes: 60, lifeDays: 3, loss: 0.05, awayDays: 2 }
    const plan: Plan = { ...PLAN, population, claims, steps: [...noise, larger] }
    const { steps, ...left } = await shrinkPlan(plan, (smaller) => Promise.resolve(does(smaller)))
    expect(steps).toEqual([JOIN])
    expect(left).toMatchObject({ population: CALM, claims: PLAN.claims })
  })

  it('refuses text that is not a plan, and says what a plan has', () => {
    expect(() => parsePlan('{')).toThrow('quote it as --search prints it')
    expect(() => parsePlan('{}')).toThrow('a plan has seed, days, population, claims and steps')
    expect(() => parsePlan(JSON.stringify({ ...PLAN, claims: [] }))).toThrow('names claim 0, and claims has 0')
    expect(() => parsePlan(JSON.stringify({ ...PLAN, steps: [{ ...JOIN, at: 'later' }] }))).toThrow('begins at one of')
    expect(() => parsePlan(JSON.stringify({ ...PLAN, steps: [{ ...JOIN, do: 'steal' }] }))).toThrow(
      'steal is not an action: join'
    )
  })
})

describe('found by the search, and fixed', () => {
  it.each([3, 5, 9])('%i ids that vouch for a commitment take no name from a slow owner', async (count) => {
    expect(await play(vouching(count))).toMatchObject({ harm: 'harmless', holders: { wrong: 0 }, isFinding: false })
  })
})
