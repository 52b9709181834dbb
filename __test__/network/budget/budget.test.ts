/** What peers may cost, by a clock of the test's own. */
import { beforeEach, describe, expect, it } from 'vitest'
import { type Budget, createBudget, FIND_MS } from '../../../src/network/budget/budget.ts'
import type { Origin } from '../../../src/protocol/neighbourhood/diversity.ts'

let nowMs: number

beforeEach(() => {
  nowMs = 1_000
})

const now = (): number => nowMs
const from = (peer: number | string, prefix: number | string = peer): Origin => ({
  peer: String(peer),
  prefix: String(prefix)
})

describe('the budget', () => {
  const tooMuch = 10_000
  /** How many strangers of one prefix each, or the same one, are served before the answer is `busy`. */
  const served = (budget: Budget, sender: (index: number) => Origin, expected: boolean, milliseconds = 8): number => {
    for (let index = 0; index < tooMuch; index++) {
      const work = budget.begin(sender(index), expected, 1_000, milliseconds)
      if (work === undefined) return index
      work.end()
    }
    return tooMuch
  }

  it('keeps four fifths of the threads for claims that are expected, whatever strangers send', () => {
    const budget = createBudget(true, now)
    const strangers = served(budget, (index) => from(`stranger ${index}`), false)
    const owners = served(budget, (index) => from(`owner ${index}`), true)
    // Five seconds of 200 and of 800 ms, and half as much in reserve, 8 ms each.
    expect([strangers, owners]).toEqual([125 + 63, 500 + 250])
    nowMs += 1_000
    expect([
      served(budget, (index) => from(`late ${index}`), false),
      served(budget, (index) => from(`late owner ${index}`), true)
    ]).toEqual([25 + 12, 100 + 50])
  })

  it('gives one peer a quarter of it, and one prefix half', () => {
    const budget = createBudget(true, now)
    expect(served(budget, () => from('a'), false)).toBe(32)
    expect(served(budget, (index) => from(index, 'crowd'), false)).toBe(63)
    expect(served(budget, (index) => from(`other ${index}`), false)).toBe(125 - 32 - 63 + 63)
  })

  it('[peers that use up what all may cost] leave other prefixes a part; ten of them get at most half more', () => {
    const budget = createBudget(true, now)
    const flood = (prefixes: number): number => {
      const each = Array.from({ length: 2 * prefixes }, (_, index) =>
        served(budget, () => from(`greedy ${index}`, `crowd ${index >> 1}`), false)
      )
      return each.reduce((sum, count) => sum + count, 0)
    }
    expect(flood(2), 'half each, and that is all').toBe(63 + 63)
    expect(
      served(budget, () => from('neighbour'), false, 40),
      'five seconds of 10 ms, and one that is paid back'
    ).toBe(2)
    for (let second = 0; second < 60; second++) {
      nowMs += 1_000
      flood(2)
    }
    expect(served(budget, () => from('neighbour'), false, 40)).toBe(2)
    expect(flood(50)).toBeLessThanOrEqual(63)
  })

  it('[peers that use up what all may cost] leave that part also where most of what they cost shows only later', () => {
    const budget = createBudget(true, now)
    const spend = (sender: Origin, later: number): boolean => {
      const work = budget.begin(sender, false, 1_000, 2)
      work?.charge(later)
      work?.end()
      return work !== undefined
    }
    const ofNeighbour: boolean[] = []
    for (let tenMs = 0; tenMs < 6_000; tenMs++) {
      nowMs += 10
      for (let index = 0; index < 8; index++) spend(from(`greedy ${index}`, `crowd ${index >> 1}`), 40)
      if (tenMs % 100 === 99) ofNeighbour.push(spend(from('neighbour'), 6))
    }
    expect(ofNeighbour).toEqual(ofNeighbour.map(() => true))
  })

  it('has no limit of a prefix where the network has none', () => {
    expect(served(createBudget(false, now), (index) => from(index, 'one machine'), false)).toBe(125)
  })

  it('charges what turns out to take longer, before it is done', () => {
    const budget = createBudget(true, now)
    budget.begin(from('a'), false, 1_000, 2)!.charge(500)
    expect(budget.begin(from('a'), false, 1_000, 2)).toBeUndefined()
    expect(budget.begin(from('b'), false, 1_000, 2)).toBeDefined()
  })

  it('bounds what waits at once, of one stranger and of all, and keeps places for those who are expected', () => {
    const budget = createBudget(true, now)
    const begin = (sender: Origin, expected: boolean): boolean => budget.begin(sender, expected, 0, 0) !== undefined
    expect(Array.from({ length: 6 }, () => begin(from('one'), false)).filter(Boolean)).toHaveLength(4)
    expect(Array.from({ length: 40 }, (_, index) => begin(from(index), false)).filter(Boolean)).toHaveLength(20)
    expect(Array.from({ length: 40 }, () => begin(from('owner'), true)).filter(Boolean)).toHaveLength(24)
  })

  it('gives no more than eight of the places to strangers of one prefix, and what could not be had whole back', () => {
    const budget = createBudget(true, now)
    const crowd = Array.from({ length: 30 }, (_, index) => budget.begin(from(index, 'crowd'), false, 0, 0))
    expect(crowd.filter((work) => work !== undefined)).toHaveLength(8)
    expect(
      Array.from({ length: 30 }, (_, index) => budget.begin(from(`other ${index}`), false, 0, 0)).filter(
        (work) => work !== undefined
      )
    ).toHaveLength(16)
    crowd[0]!.end()
    expect(budget.begin(from('neighbour'), false, 0, 0)).toBeDefined()
  })

  it('counts bytes of records in the same parts', () => {
    const budget = createBudget(true, now)
    const megabytes = (sender: Origin, expected: boolean): boolean =>
      budget.begin(sender, expected, 20 * 2 ** 20, 0) !== undefined
    // The second one has it from the reserve.
    expect([
      megabytes(from(1), false),
      megabytes(from(2), false),
      megabytes(from(3), false),
      megabytes(from(4), true)
    ]).toEqual([true, true, false, true])
  })

  it('lets a peer send and ask so much, answers counted, and no small message be for nothing', () => {
    const budget = createBudget(true, now)
    const requests = (sender: Origin, bytes: number): number =>
      Array.from({ length: 1_000 }, () => budget.read(sender, bytes)).filter(Boolean).length
    expect([requests(from('small', 'p'), 10), requests(from('large', 'q'), 2 ** 17)]).toEqual([320, 20])
    budget.answered(from('asks'), 2 ** 22)
    expect(requests(from('asks'), 10)).toBe(0)
    expect(requests(from('third', 'p'), 10)).toBe(320)
    expect(requests(from('fourth', 'p'), 10)).toBe(0)
  })

  it('reads ten pages a second for one peer, whatever others of its prefix ask for', () => {
    const budget = createBudget(true, now)
    const pages = (sender: Origin): number =>
      Array.from({ length: 1_000 }, () => budget.page(sender)).filter(Boolean).length
    expect([pages(from('a', 'p')), pages(from('b', 'p')), pages(from('c', 'p'))]).toEqual([50, 50, 50])
    nowMs += 1_000
    expect(pages(from('a', 'p'))).toBe(10)
  })

  it('lets sixty connect from one prefix at once, then five a second, where prefixes are limited', () => {
    const budget = createBudget(true, now)
    const connected = (of: Budget, prefix: string): number =>
      Array.from({ length: 1_000 }, () => of.connect(prefix)).filter(Boolean).length
    expect([connected(budget, 'a'), connected(budget, 'b'), connected(createBudget(false, now), 'a')]).toEqual([
      60, 60, 1_000
    ])
    nowMs += 1_000
    expect(connected(budget, 'a')).toBe(5)
  })

  it('[connections to third parties] are twelve for one prefix at once, and to one prefix, then one in five seconds', () => {
    const dialled = (of: Budget, prefixes: (index: number) => [string, string]): number =>
      Array.from({ length: 100 }, (_, index) => of.dialBack(...prefixes(index))).filter(Boolean).length
    const budget = createBudget(true, now)
    expect(dialled(budget, (index) => ['asking', `third ${index}`])).toBe(12)
    expect(dialled(budget, (index) => [`asking ${index}`, 'third'])).toBe(12)
    nowMs += 5_000
    expect(dialled(budget, (index) => [`other ${index}`, 'third'])).toBe(1)
    expect(dialled(createBudget(false, now), () => ['asking', 'third'])).toBe(100)
  })

  it('has a fifth of the event loop for look-ups of all peers, a second of it at once, and says when there is more', () => {
    const budget = createBudget(true, now)
    const found = (): number => {
      for (let count = 0; ; count++) if (budget.find() > 0) return count
    }
    expect(found() * FIND_MS).toBe(200)
    expect(budget.find()).toBeCloseTo(FIND_MS / 200)
    nowMs += 100
    expect(found() * FIND_MS).toBe(20)
    nowMs += 60_000
    expect(found() * FIND_MS).toBe(200)
  })

  it('takes forty commitments of a peer at once, then eight a second', () => {
    const budget = createBudget(true, now)
    const commitments = (): number => Array.from({ length: 100 }, () => budget.commit(from('a'))).filter(Boolean).length
    expect(commitments()).toBe(40)
    nowMs += 1_000
    expect(commitments()).toBe(8)
  })
})
