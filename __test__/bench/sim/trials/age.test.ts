/** Time chains: what makes an age, and what rules of ages show. */
import { beforeAll, describe, expect, it } from 'vitest'
import { fastKeyPair } from '../../../../bench/sim/engine/keys.ts'
import { ageBy, idOf, type Source } from '../../../../bench/sim/trials/age/ages.ts'
import { ageOf, TimeChain, type Shown } from '../../../../bench/sim/trials/age/chain.ts'
import { evidenceBytes, honestCosts } from '../../../../bench/sim/trials/age/costs.ts'
import { runChain, type Leaf, type Operator } from '../../../../bench/sim/trials/age/operators.ts'
import { shownBy, type AgeRule, type Sight } from '../../../../bench/sim/trials/age/rules.ts'
import { runAges, type AgeTrial } from '../../../../bench/sim/trials/age/run.ts'
import { climb, pathOf, rootOf } from '../../../../bench/sim/trials/age/tree.ts'
import { sha256, utf8 } from '../../../../src/protocol/encoding/bytes.ts'

const leaf = (name: string): Uint8Array => sha256(utf8(name))
const CLAIM = leaf('claim')
const KEY = fastKeyPair(leaf('operator'))

/** Ticks of days 0 to `days`, the claim in that of day 3 among others. */
function chainOf(days: number, leftOut?: number): TimeChain {
  const chain = new TimeChain(KEY)
  for (let day = 0; day <= days; day++)
    if (day !== leftOut) chain.tick(day, day === 3 ? [leaf('a'), leaf('b'), CLAIM] : [leaf(`${day}`)])
  return chain
}

const ageIn = (chain: TimeChain, today: number, shown: Shown = chain.shown()): number =>
  ageOf(CLAIM, chain.evidence(CLAIM)!, shown, today)

describe('the age of a claim', () => {
  it('is the days of unbroken work since the first tick that holds it', () => {
    const chain = chainOf(100)
    expect(ageIn(chain, 100)).toBe(97)
    expect(ageIn(chain, 101)).toBe(97)
    expect(chain.evidence(leaf('nobody'))).toBeUndefined()
    // Before the claim a gap does no harm: the work after it counts.
    expect(ageIn(chainOf(100, 1), 100)).toBe(97)
  })

  it('is none where the chain has stopped, leaves out a day, was changed, or the path is of another claim', () => {
    const chain = chainOf(100)
    const evidence = chain.evidence(CLAIM)!
    const shown = chain.shown()
    expect(ageIn(chain, 102), 'stopped').toBe(0)
    expect(ageIn(chainOf(100, 50), 100), 'broken').toBe(0)
    const ticks = shown.ticks.map((tick, at) => (at === 60 ? { ...tick, root: leaf('other') } : tick))
    expect(ageIn(chain, 100, { ...shown, ticks }), 'changed').toBe(0)
    expect(ageOf(leaf('b'), evidence, shown, 100), 'another claim').toBe(0)
    expect(ageOf(CLAIM, { ...evidence, day: 4 }, shown, 100), 'another day').toBe(0)
  })

  it.each([1, 2, 3, 5, 8, 13])('has a path to the root from each of %i leaves', (count) => {
    const leaves = Array.from({ length: count }, (_, index) => leaf(`${index}`))
    for (const [index, each] of leaves.entries()) {
      const path = pathOf(leaves, index)
      expect(climb(each, index, path)).toEqual(rootOf(leaves))
      expect(climb(CLAIM, index, path)).not.toEqual(rootOf(leaves))
    }
  })

  it('takes less than a kilobyte beside the record, and more than a second for a chain-year', () => {
    expect(evidenceBytes(1e6)).toBe(688)
    const { secondsOfAYear, kBOfAYear } = honestCosts()
    expect(secondsOfAYear).toBeGreaterThan(1)
    expect(kBOfAYear).toBeCloseTo(157, 0)
  })
})

describe('chains that count', () => {
  const TODAY = 200
  const link = (name: string, publicFrom: number): Leaf => ({ hash: leaf(name), publicFrom })
  const operator = (id: string, more: Partial<Operator> = {}): Operator => ({ id, isNamed: true, from: 0, ...more })
  const five = [1, 2, 3, 4, 5].map((at) => operator(`${at}`))
  const dates = { today: TODAY, leaseAndGrace: 80 }

  function ages(operators: readonly Operator[], links: readonly Leaf[]): Record<Source, number> {
    const chains = operators.map((each) => runChain(each, links, TODAY))
    const named = new Set(chains.filter(({ operator: { isNamed } }) => isNamed).map(({ view }) => idOf(view)))
    const claim = { links: links.map(({ hash }) => hash) }
    const by = (source: Source): number => ageBy(source, claim, chains, named, dates)
    return { anybody: by('anybody'), named: by('named'), most: by('most'), direct: by('direct') }
  }

  it('are secret ones only where those of anybody do', () => {
    const secret = link('thief', Infinity)
    const hoarder = operator('hoarder', { isNamed: false, plants: [{ leaf: secret, from: 20 }] })
    expect(ages([...five, hoarder], [secret])).toEqual({ anybody: 180, named: 0, most: 0, direct: 0 })
  })

  it('need the signature of their operator, which a fork of a named chain lacks', () => {
    const secret = link('thief', Infinity)
    const plants = [{ leaf: secret, from: 20 }]
    const fork = operator('forger', { isNamed: false, from: 20, forks: five[0]!, plants })
    const run = runChain(fork, [], TODAY)
    expect(run.view.id).toEqual(runChain(five[0]!, [], TODAY).view.id)
    expect(run.since, 'its work is as good').toBe(0)
    expect(run.isSigned).toBe(false)
    expect(ages([...five, fork], [secret])).toEqual({ anybody: 180, named: 0, most: 0, direct: 0 })
  })

  it('are more than half of the named ones, whatever two of five leave out or plant', () => {
    const owner = link('owner', 100)
    const omitting = (count: number): Operator[] =>
      five.map((each, at) => (at < count ? { ...each, omits: [owner] } : each))
    expect(ages(omitting(2), [owner])).toMatchObject({ named: 100, most: 100 })
    expect(ages(omitting(3), [owner])).toMatchObject({ named: 100, most: 0 })
    const secret = link('thief', Infinity)
    const planting = (count: number): Operator[] =>
      five.map((each, at) => (at < count ? { ...each, plants: [{ leaf: secret, from: 20 }] } : each))
    expect(ages(planting(2), [secret])).toMatchObject({ named: 180, most: 0 })
    expect(ages(planting(3), [secret])).toMatchObject({ named: 180, most: 180 })
  })

  it('date a claim by its first link only where each renewal came in time', () => {
    expect(ages(five, [link('first', 20), link('second', 90), link('third', 160)])).toMatchObject({ most: 180 })
    // Lapsed in between: the work of the renewal was done later.
    expect(ages(five, [link('first', 20), link('second', 101)])).toMatchObject({ named: 180, most: 99 })
    expect(ages(five, [link('first', 20), link('second', Infinity)])).toMatchObject({ named: 180, most: 0 })
  })
})

describe('rules of ages', () => {
  const byThief = { kind: 'owner', owner: 'thief' } as const
  const withAges = (owner: number, thief: number): Map<string, number> =>
    new Map([
      ['owner', owner],
      ['thief', thief]
    ])

  it('change nothing without a claim that is four times as old, and at least 30 days', () => {
    for (const ages of [withAges(10, 0), withAges(100, 26), withAges(29, 1)])
      for (const rule of ['today', 'defence', 'over-votes'] as const)
        expect(shownBy(rule, byThief, ages)).toEqual(byThief)
  })

  it('contest or overrule a majority for a much younger claim, and for none', () => {
    const ages = withAges(365, 1)
    expect(shownBy('defence', byThief, ages)).toEqual({ kind: 'contested' })
    expect(shownBy('over-votes', byThief, ages)).toEqual({ kind: 'owner', owner: 'owner' })
    expect(shownBy('defence', { kind: 'none' }, ages)).toEqual({ kind: 'contested' })
    expect(shownBy('defence', { kind: 'silence' }, ages)).toEqual({ kind: 'silence' })
  })
})

describe('a trial', () => {
  let trial: AgeTrial
  beforeAll(async () => {
    trial = await runAges({ nodes: 24, seed: '1', ids: [1, 10, 11, 20], hidingIds: [20] })
  })

  function sights(scene: string, source: Source, rule: AgeRule): Sight[] {
    const of = trial.results.filter((each) => each.scene === scene)
    return of.map(({ seen }) => seen[source][rule])
  }

  it('shows what ids alone gain, and that evidence is withheld by all that are asked', () => {
    const scene = 'ids show a claim that is in no chain'
    expect(sights(scene, 'anybody', 'today')).toEqual(['right', 'contested', 'wrong', 'wrong'])
    expect(sights(scene, 'most', 'over-votes')).toEqual(['right', 'right', 'right', 'wrong'])
    expect(sights(scene, 'direct', 'over-votes')).toEqual(['right', 'right', 'right', 'right'])
  })

  it('shows a hidden name only where operators are asked', () => {
    const scene = 'ids say that nobody holds the name'
    expect(sights(scene, 'most', 'over-votes')).toEqual(['missing'])
    expect(sights(scene, 'direct', 'defence')).toEqual(['contested'])
    expect(sights(scene, 'direct', 'over-votes')).toEqual(['right'])
  })

  it('shows that a secret chain of a quarter of the age defeats both rules with chains of anybody', () => {
    const scene = 'hoarder, a quarter of the age and a day'
    expect(sights(scene, 'anybody', 'defence')).toEqual(['right', 'contested', 'wrong', 'wrong'])
    expect(sights(scene, 'anybody', 'over-votes')).toEqual(['right', 'contested', 'wrong', 'wrong'])
    const days = trial.least.filter(({ rule, aim }) => rule === 'defence' && aim === 'eleven ids show the thief')
    expect(days.map(({ much, chainDays }) => [much, chainDays])).toEqual([
      [1.5, 244],
      [2, 183],
      [4, 92],
      [8, 46]
    ])
  })

  it('shows what a majority of operators takes, without any id near the name', () => {
    expect(sights('three of five named operators did', 'direct', 'over-votes')).toEqual(Array(4).fill('wrong'))
    expect(sights('a former owner, lapsed, renews late', 'named', 'over-votes')[0]).toBe('wrong')
    expect(sights('a former owner, lapsed, renews late', 'most', 'over-votes')[0]).toBe('right')
  })

  it('tells how long a newcomer waits for a hoarder, and that eleven ids never yield', () => {
    const wait = trial.waits.find(({ much, hoardedDays }) => much === 4 && hoardedDays === 4 * 365)
    expect(wait).toMatchObject({ againstOneId: 487, againstEleven: 'never' })
  })
})
