/** Which connection gives way, as a pure rule. */
import { describe, expect, it } from 'vitest'
import {
  CONNECTION_PLACES,
  givesWay,
  type ConnectionPlaces,
  type OpenConnection
} from '../../../src/network/routing/keep-places.ts'

const LIMITS = { answers_per_prefix: 2, answers_per_wide_prefix: 4 }
const NO_LIMITS = { answers_per_prefix: 0, answers_per_wide_prefix: 0 }
/** Twelve of fifteen are for strangers: four wide prefixes fill them. */
const SMALL: ConnectionPlaces = { all: 15, kept: 3, peer: 2, prefix: 2, widePrefix: 3 }

let peers = 0

function connection(prefix: string, others: Partial<OpenConnection> = {}): OpenConnection {
  return {
    peer: `peer ${peers++}`,
    prefix: `${prefix}.0/24`,
    direction: 'inbound',
    isNeighbour: false,
    isBusy: false,
    ...others
  }
}

/** As keep-places.ts does it. Gives what is left, and what was closed. */
function openAll(
  connections: readonly OpenConnection[],
  limits = LIMITS,
  places = SMALL
): { left: OpenConnection[]; closed: OpenConnection[] } {
  let left: OpenConnection[] = []
  const closed: OpenConnection[] = []
  for (const each of connections) {
    left.push(each)
    for (let given = givesWay(left, limits, places); given !== undefined; given = givesWay(left, limits, places)) {
      closed.push(given)
      left = left.filter((one) => one !== given)
    }
  }
  return { left, closed }
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
/** Twelve strangers of four /16s, three each. */
const crowd = (isBusy: boolean): OpenConnection[] =>
  times(12, (index) => connection(`10.${index % 4}.${index >> 3}`, { isBusy }))

describe('connections to one peer', () => {
  it('are two at most, in every profile: the newest stays, and of the others the one that is used', () => {
    for (const limits of [LIMITS, NO_LIMITS]) {
      const [used, idle, newest] = times(3, (index) => connection('10.0.0', { peer: 'one', isBusy: index === 0 }))
      expect(openAll([used!, idle!, newest!], limits).closed).toEqual([idle])
    }
  })
})

describe('connections of one prefix', () => {
  it('are limited per /24 and /16, those idle longest giving way to newcomers', () => {
    const ofOne = times(5, () => connection('10.0.0'))
    expect(openAll(ofOne).closed).toEqual(ofOne.slice(0, 3))
    const ofWide = times(5, (index) => connection(`10.0.${index}`))
    expect(openAll(ofWide).closed).toEqual(ofWide.slice(0, 2))
  })

  it('are not limited where the profile limits no prefixes', () => {
    expect(
      openAll(
        times(12, () => connection('10.0.0')),
        NO_LIMITS
      ).closed
    ).toEqual([])
    expect(
      openAll(
        times(12, (index) => connection(`10.0.${index}`)),
        { ...LIMITS, answers_per_wide_prefix: 0 }
      ).closed
    ).toEqual([])
  })

  it('stay where they are used, and the newcomer goes; a neighbour stays though it is idle', () => {
    const used = times(3, () => connection('10.0.0', { isBusy: true }))
    expect(openAll(used).closed).toEqual([used[2]])
    const [neighbour, idle, newcomer] = times(3, (index) => connection('10.0.0', { isNeighbour: index === 0 }))
    expect(openAll([neighbour!, idle!, newcomer!]).closed).toEqual([idle])
  })
})

describe('when there are too many', () => {
  it('a newcomer of a prefix with few takes the place of an idle one of the fullest', () => {
    const strangers = [connection('10.9.0'), ...crowd(false).slice(0, 11)]
    const newcomer = connection('10.8.0', { isBusy: true })
    const { left, closed } = openAll([...strangers, newcomer])
    expect(left).toContain(newcomer)
    expect(left, 'the first of all is idle longest, but alone in its prefix').toContain(strangers[0])
    expect(closed).toEqual([strangers[1]])
  })

  it('the fullest gives way though all of its are used, the newest first', () => {
    const strangers = [connection('10.9.0'), ...crowd(true).slice(0, 11)]
    const newcomer = connection('10.8.0', { isBusy: true })
    // Of 10.0, 10.1 and 10.2 there are three each, two of them of the first /24.
    expect(openAll([...strangers, newcomer]).closed).toEqual([
      strangers.findLast(({ prefix }) => /^10\.[012]\.0\./.test(prefix))
    ])
  })

  it('within the fullest /16 the fullest /24 gives way', () => {
    const fullest = [connection('10.0.1'), connection('10.0.2'), connection('10.0.2')]
    const others = times(9, (index) => connection(`10.${index + 1}.0`))
    expect(openAll([...fullest, ...others, connection('10.99.0')]).closed).toEqual([fullest[1]])
  })

  it('strangers leave places for our own dialling and for neighbours, and these take none of theirs', () => {
    const own = times(3, (index) =>
      connection(`11.${index}.0`, { direction: index === 0 ? 'outbound' : 'inbound', isNeighbour: index > 0 })
    )
    const { closed } = openAll([...crowd(true), ...own])
    expect(closed).toEqual([])
    const { left } = openAll([
      ...own,
      ...crowd(true),
      ...times(40, (index) => connection(`12.${index}.0`, { isBusy: true }))
    ])
    expect(left).toHaveLength(SMALL.all)
    expect(own.every((each) => left.includes(each))).toBe(true)
  })

  it('our own dialling is bounded as well, and neighbours stay', () => {
    const neighbour = connection('13.0.0', { isNeighbour: true })
    const dialled = times(20, (index) => connection(`11.${index}.0`, { direction: 'outbound' }))
    const { left } = openAll([neighbour, ...dialled])
    expect(left).toHaveLength(SMALL.all)
    expect(left).toContain(neighbour)
    expect(left).toContain(dialled.at(-1))
  })

  it('an idle one gives way where no prefix is limited, though it is the only one of its', () => {
    const idle = connection('10.1.0')
    expect(
      openAll(
        [...times(11, () => connection('10.0.0', { isBusy: true })), idle, connection('10.0.0', { isBusy: true })],
        NO_LIMITS
      ).closed
    ).toEqual([idle])
  })
})

it('one prefix never has all places of strangers', () => {
  const { all, kept, prefix, widePrefix } = CONNECTION_PLACES
  expect(prefix).toBeLessThan(widePrefix)
  expect(2 * widePrefix).toBeLessThan(all - kept)
})
