/** Positions by address: the model beside arithmetic, and what it counts. */
import { describe, expect, it } from 'vitest'
import { Random } from '../../../sim/world/random.ts'
import { Renter } from '../../../sim/figures/position/attacker.ts'
import {
  MONTH_DAYS,
  PositionNetwork,
  atLeast,
  meanTries,
  medianTries,
  movingDay,
  positionsOf,
  prefixesOf
} from '../../../sim/figures/position/network.ts'
import { eclipsedOf } from '../../../sim/figures/position/study.ts'

const NODES = 200

/** Prefixes tried in many networks, in ascending order. */
function tries(goal: number, runs: number): number[] {
  const random = new Random('tries')
  return Array.from({ length: runs }, () => {
    const network = new PositionNetwork(NODES, random)
    const renter = new Renter(network, random.bytes(32), () => network.unusedPrefix())
    expect(renter.reach(goal, 0)).toBe(true)
    return renter.tried
  }).sort((left, right) => left - right)
}

describe('positions by address', () => {
  it('take as many tries as arithmetic says, on average and for half of the attackers', () => {
    const tried = tries(11, 100)
    const mean = tried.reduce((sum, each) => sum + each, 0) / tried.length
    expect(meanTries(11, 20, NODES)).toBeCloseTo((11 * NODES) / 18)
    expect(mean / meanTries(11, 20, NODES)).toBeCloseTo(1, 1)
    expect(tried[50]! / medianTries(11, 20, NODES)).toBeCloseTo(1, 1)
  })

  it('give a holder of many the names that arithmetic gives him', () => {
    for (const share of [0.3, 0.5, 0.6]) {
      const chance = atLeast(11, 20, share)
      const eclipsed = eclipsedOf(share, NODES, { names: 10, networks: 20 }, '1')
      expect(Math.abs(eclipsed - 200 * chance)).toBeLessThan(3 * Math.sqrt(200 * chance * (1 - chance)))
    }
  })

  it('count at most four of one /16', () => {
    const random = new Random('wide')
    const network = new PositionNetwork(40, random)
    const prefixes = (): (() => string | undefined) => {
      let next = 0
      return () => (next < 256 ? `230.1.${next++}.0/24` : undefined)
    }
    const key = random.bytes(32)
    expect(new Renter(network, key, prefixes()).reach(4, 0)).toBe(true)
    expect(new Renter(network, key, prefixes()).reach(5, 0)).toBe(false)
  })

  it('have two for a /24, which its first nodes keep or its attacker takes', () => {
    const random = new Random('campus')
    const network = new PositionNetwork(0, random)
    for (let index = 0; index < 300; index++) network.join('230.1.1.0/24')
    expect(network.withoutPlace).toBe(298)
    const key = random.bytes(32)
    for (const [incumbents, has] of [
      ['keep', false],
      ['yield', true]
    ] as const) {
      const prefixes = ['230.1.1.0/24']
      expect(new Renter(network, key, () => prefixes.pop(), incumbents).reach(1, 0)).toBe(has)
    }
  })

  it('move once a month, a thirtieth of them a day, and not between', () => {
    const prefixes = Array.from({ length: 3000 }, (_, index) => `10.${index >> 8}.${index & 255}.0/24`)
    const moving = Array.from({ length: MONTH_DAYS }, () => 0)
    for (const prefix of prefixes) moving[movingDay(prefix)]!++
    for (const count of moving) expect(Math.abs(count - 100)).toBeLessThan(40)
    for (const prefix of prefixes.slice(0, 100)) {
      const positions = Array.from({ length: MONTH_DAYS + 1 }, (_, day) => positionsOf(prefix, day).join())
      const days = positions.flatMap((at, day) => (day > 0 && at !== positions[day - 1] ? [day % MONTH_DAYS] : []))
      expect(days).toEqual([movingDay(prefix)])
    }
  })

  it('are the same on a day for a network that moved until then and for one that begins on it', () => {
    const key = new Random('key').bytes(32)
    const network = new PositionNetwork(100, new Random('days'))
    const days = Array.from({ length: 10 }, (_, day) => network.near(key, day))
    expect(new PositionNetwork(100, new Random('days')).near(key, 9)).toEqual(days[9])
    expect(days[9]).not.toEqual(days[0])
  })

  it('are a share that prefixes buy', () => {
    expect(prefixesOf(0.5, 100)).toBe(50)
    expect(atLeast(0, 20, 0.3)).toBeCloseTo(1)
    expect(atLeast(20, 20, 0.5)).toBeCloseTo(2 ** -20)
    expect(medianTries(20, 20, 1000) / 1000).toBeCloseTo(14.2, 1)
  })
})
