import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addressPrefix,
  diverse,
  diverseFirst,
  hasDiverse,
  nearestDiverse,
  type Origin
} from '../../../src/protocol/neighbourhood/diversity.ts'

const LIMITS = { answers_per_prefix: 2, answers_per_wide_prefix: 4, k: 6 }

/** One peer at each address. */
const at = (...addresses: string[]): Origin[] =>
  addresses.map((address) => ({ peer: address, prefix: addressPrefix(address) }))
const peersOf = (origins: readonly Origin[]): string[] => origins.map(({ peer }) => peer)
/** Each in a /16, or a /24 of IPv6, of its own. */
const ipv4 = (count: number): string[] => Array.from({ length: count }, (_, index) => `45.${index}.0.1`)
const ipv6 = (count: number): string[] => Array.from({ length: count }, (_, index) => `2a0${index}:100::1`)

describe('diverse peers', () => {
  it('are at most a given number of one prefix, and each counts once', () => {
    const peers = ['a', 'b', 'c', 'd', 'a'].map((peer, index) => ({ peer, prefix: index < 3 ? 'one' : 'two' }))
    expect(diverse(peers, { ...LIMITS, answers_per_wide_prefix: 0 }).map(({ peer }) => peer)).toEqual(['a', 'b', 'd'])
    expect(
      diverse(peers, { ...LIMITS, answers_per_prefix: 0, answers_per_wide_prefix: 0 }).map(({ peer }) => peer)
    ).toEqual(['a', 'b', 'c', 'd'])
  })

  it('by IPv6 are two of a /32, four of a /24', () => {
    const ofOne = ['2a01:4f8:1::1', '2a01:4f8:2::1', '2a01:4f8:3::1']
    const ofWide = ['2a01:400::1', '2a01:401::1', '2a01:402::1']
    expect(peersOf(diverse(at(...ofOne, ...ofWide), LIMITS))).toEqual([...ofOne.slice(0, 2), ...ofWide.slice(0, 2)])
  })

  it('by IPv6 have only the places up to k that IPv4 leaves, wherever they are in the order', () => {
    for (const count of [0, 1, 4, 6, 8]) {
      const counted = peersOf(diverse(at(...ipv6(7), ...ipv4(count)), LIMITS))
      expect(counted).toEqual([...ipv6(Math.max(0, 6 - count)), ...ipv4(count)])
    }
    expect(
      diverse(at(...ipv6(7), ...ipv4(6)), { ...LIMITS, answers_per_prefix: 0, answers_per_wide_prefix: 0 })
    ).toHaveLength(13)
  })

  it('are chosen by IPv4, then by IPv6, then others', () => {
    const peers = at(...ipv6(2), ...ipv4(2), '45.0.0.2', '45.0.0.3')
    expect(peersOf(diverseFirst(peers, 3, LIMITS))).toEqual([...ipv4(2), '45.0.0.2'])
    expect(peersOf(diverseFirst(peers, 4, LIMITS))).toEqual([ipv6(1)[0], ...ipv4(2), '45.0.0.2'])
    expect(peersOf(diverseFirst(peers, 6, LIMITS))).toEqual([...ipv6(2), ...ipv4(2), '45.0.0.2', '45.0.0.3'])
    expect([4, 5, 6].map((count) => hasDiverse(peers, count, LIMITS))).toEqual([true, true, false])
  })

  it.each([
    ['192.0.2.77', '192.0.2.0/24'],
    ['::ffff:192.0.2.1', '192.0.2.0/24'],
    ['2001:db8:1:2::3', '20010db80001/48'],
    ['2001:db8:1::', '20010db80001/48'],
    ['::1', '000000000000/48']
  ])('at %s share %s', (address, prefix) => expect(addressPrefix(address)).toBe(prefix))

  it('have addresses', () => expect(() => addressPrefix('example.com')).toThrow())
})

describe('peers that are known for long', () => {
  const longKnown =
    (...addresses: string[]) =>
    ({ peer }: Origin) =>
      addresses.includes(peer)
  const crowded = at('45.0.1.1', '45.0.1.2', '45.0.2.1', '45.0.2.2', '45.0.3.1', '45.0.3.2', '45.1.0.1')

  it('count before nearer ones where a prefix is over its limit, in the order of distance', () => {
    expect(peersOf(diverse(crowded, LIMITS))).toEqual(['45.0.1.1', '45.0.1.2', '45.0.2.1', '45.0.2.2', '45.1.0.1'])
    expect(peersOf(diverse(crowded, LIMITS, longKnown('45.0.3.1', '45.0.2.2')))).toEqual([
      '45.0.1.1',
      '45.0.1.2',
      '45.0.2.2',
      '45.0.3.1',
      '45.1.0.1'
    ])
    expect(peersOf(diverseFirst(crowded, 6, LIMITS, longKnown('45.0.3.1'))).at(-1)).toBe('45.0.2.2')
  })

  it('displace nobody from beyond as many diverse ones as are wanted', () => {
    for (const choose of [nearestDiverse, diverseFirst])
      expect(peersOf(choose(crowded, 4, LIMITS, longKnown('45.0.3.1')))).toEqual(peersOf(crowded.slice(0, 4)))
  })

  it('count by IPv4 where they are named by both versions, also where they are known by IPv6', () => {
    const both = at('2a01:100::1', '45.0.1.1').map((origin) => ({ ...origin, peer: 'both' }))
    const isKnown = ({ prefix }: Origin): boolean => prefix.endsWith('/48')
    expect(diverse(both, LIMITS, isKnown)).toEqual(both.slice(1))
  })

  it('change who counts, never how many, nor any prefix that is within its limit', () => {
    const address = fc
      .tuple(fc.constantFrom('45.0', '45.1', '2a01:100', '2a01:200', '2a02:100'), fc.nat(3), fc.nat(5))
      .map(([wide, narrow, host]) => (wide.includes(':') ? `${wide}:${narrow}::${host}` : `${wide}.${narrow}.${host}`))
    const peers = fc.uniqueArray(address, { maxLength: 40 })
    fc.assert(
      fc.property(peers, fc.func(fc.boolean()), fc.integer({ min: 1, max: 12 }), (addresses, isKnown, count) => {
        const all = at(...addresses)
        const known = ({ peer }: Origin): boolean => isKnown(peer)
        const chosen = nearestDiverse(all, count, LIMITS, known)
        expect(chosen).toHaveLength(nearestDiverse(all, count, LIMITS).length)
        expect(diverse(chosen, { ...LIMITS, k: count })).toEqual(chosen)
        expect(nearestDiverse(all, count, LIMITS, known)).toEqual(chosen)
        const counted = diverse(all, LIMITS, known)
        expect(counted).toHaveLength(diverse(all, LIMITS).length)
        const left = all.filter((peer) => known(peer) && !peer.prefix.endsWith('/48') && !counted.includes(peer))
        // No place is free for one that is left out, even among the long-known alone.
        for (const peer of left) expect(diverse([...counted.filter(known), peer], LIMITS)).not.toContain(peer)
      })
    )
  })
})
