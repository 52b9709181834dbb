import { describe, expect, it } from 'vitest'
import { addressPrefix, diverse } from '../../../src/protocol/neighbourhood/diversity.ts'

describe('diverse peers', () => {
  it('are at most a given number of one prefix, and each counts once', () => {
    const peers = ['a', 'b', 'c', 'd', 'a'].map((peer, index) => ({ peer, prefix: index < 3 ? 'one' : 'two' }))
    expect(diverse(peers, { answers_per_prefix: 2, answers_per_wide_prefix: 0 }).map(({ peer }) => peer)).toEqual([
      'a',
      'b',
      'd'
    ])
    expect(diverse(peers, { answers_per_prefix: 0, answers_per_wide_prefix: 0 }).map(({ peer }) => peer)).toEqual([
      'a',
      'b',
      'c',
      'd'
    ])
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
