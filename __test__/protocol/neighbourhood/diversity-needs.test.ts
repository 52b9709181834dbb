import { describe, expect, it } from 'vitest'
import {
  diversityOf,
  missingDiversity,
  neededDiversity,
  addressPrefix,
  type Origin
} from '../../../src/protocol/neighbourhood/diversity.ts'
import { parseProfile } from '../../../src/protocol/profile/profile.ts'
import { LOCAL, MAIN } from '../fixtures.ts'

/** A peer at each address. */
const at = (...addresses: string[]): Origin[] =>
  addresses.map((address, index) => ({ peer: `peer ${index}`, prefix: addressPrefix(address) }))
const many = (count: number, address: (index: number) => string): Origin[] =>
  at(...Array.from({ length: count }, (_, index) => address(index)))

describe('the diversity of peers', () => {
  it('counts two of a /24 and four of a /16, and every prefix', () => {
    expect(diversityOf([], MAIN)).toEqual({ peers: 0, prefixes: 0, widePrefixes: 0 })
    expect(
      diversityOf(
        at('10.1.1.1', '10.1.1.2', '10.1.1.3', '10.1.2.1', '10.1.3.1', '10.1.4.1', '10.2.1.1', '2001:db8::1'),
        MAIN
      )
    ).toEqual({ peers: 6, prefixes: 6, widePrefixes: 3 })
  })

  it('is needed by more than half of k, by repair_quorum and by witness_quorum, where prefixes count', () => {
    expect(neededDiversity(MAIN)).toEqual({ answer: 11, settle: 8, adopt: 5 })
    expect(neededDiversity(parseProfile({ ...MAIN, k: 9 }))).toEqual({ answer: 5, settle: 8, adopt: 5 })
    expect(neededDiversity(LOCAL)).toBeNull()
  })
})

describe('what is missing', () => {
  it.each([
    ['of everything', [], { peers: 11, prefixes: 6, widePrefixes: 3 }],
    ['of three at one home', many(3, (index) => `10.1.1.${index}`), { peers: 9, prefixes: 5, widePrefixes: 2 }],
    [
      'of a cloud that has many /24 in one /16',
      many(40, (index) => `10.1.${index}.1`),
      { peers: 7, prefixes: 4, widePrefixes: 2 }
    ],
    [
      'of five in a /16 each, where two of each /24 have room',
      many(5, (index) => `10.${index}.1.1`),
      { peers: 6, prefixes: 1, widePrefixes: 0 }
    ],
    ['of ten in a /16 each', many(10, (index) => `10.${index}.1.1`), { peers: 1, prefixes: 0, widePrefixes: 0 }],
    ['of eleven in a /16 each', many(11, (index) => `10.${index}.1.1`), { peers: 0, prefixes: 0, widePrefixes: 0 }]
  ])('%s', (_, peers, missing) => expect(missingDiversity(11, peers, MAIN)).toEqual(missing))

  it('is not a wide prefix where the profile limits none', () => {
    expect(
      missingDiversity(
        11,
        many(3, (index) => `10.1.1.${index}`),
        { ...MAIN, answers_per_wide_prefix: 0 }
      )
    ).toEqual({ peers: 9, prefixes: 5, widePrefixes: 0 })
  })
})
