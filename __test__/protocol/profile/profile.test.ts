import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import { ProfileError } from '../../../src/protocol/errors.ts'
import { canonicalJson } from '../../../src/protocol/encoding/jcs.ts'
import { parseProfile, profileHash } from '../../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in.ts'
import { MAIN } from '../fixtures.ts'

describe('the network profile', () => {
  it('is hashed as RFC 8785 JSON', () => {
    for (const profile of Object.values(builtInProfiles)) {
      expect(toHex(profileHash(profile))).toBe(createHash('sha256').update(canonicalJson(profile)).digest('hex'))
    }
    expect(new Set(Object.values(builtInProfiles).map((profile) => toHex(profileHash(profile)))).size).toBe(3)
  })

  it('gives the same hash after a round trip through JSON in any order', () => {
    const shuffled = Object.fromEntries(Object.entries(JSON.parse(JSON.stringify(MAIN)) as object).reverse())
    expect(profileHash(parseProfile(shuffled))).toEqual(profileHash(MAIN))
  })

  it('cannot be changed once parsed', () => {
    expect(() => {
      ;(MAIN.difficulty as { base: number }).base = 1
    }).toThrow(TypeError)
  })

  it.each([
    ['an unknown field', { extra: 1 }],
    ['a float', { lease: 1.5 }],
    ['a missing field', { lease: undefined }],
    ['another scheme', { beacon: { ...MAIN.beacon, scheme: 'pedersen-bls-chained' } }],
    ['upper case in the beacon key', { beacon: { ...MAIN.beacon, public_key: MAIN.beacon.public_key.toUpperCase() } }],
    [
      'lengths that do not ascend',
      {
        difficulty: {
          base: 1,
          by_length: [
            { from: 5, factor: 1 },
            { from: 5, factor: 2 }
          ]
        }
      }
    ],
    ['more than 2^48 squarings', { difficulty: { base: 2 ** 47, by_length: [{ from: 1, factor: 4 }] } }],
    ['reserved labels out of order', { reserved: ['b', 'a'] }],
    ['a settling shorter than the contest', { settle: 10, contest: 20 }],
    ['a pin that no lease is long enough for', { pin_after: MAIN.lease }],
    ['a contest in which a VDF can be begun and ended', { contest: 200 }],
    ['a discriminant of 1001 bits', { discriminant_bits: 1001 }]
  ])('refuses %s', (_, change) => expect(() => parseProfile({ ...MAIN, ...change })).toThrow(ProfileError))

  it('holds the contest rule on public networks only', () => {
    expect(() => parseProfile({ ...builtInProfiles.test, scope: 'public' })).toThrow(/contest/)
    for (const profile of [builtInProfiles.local, builtInProfiles.test]) expect(parseProfile(profile)).toEqual(profile)
  })

  it('names the field at fault', () => {
    expect(() => parseProfile({ ...MAIN, beacon: { ...MAIN.beacon, period: 0 } })).toThrow(/beacon\.period/)
    expect(() => parseProfile(null)).toThrow(ProfileError)
  })

  it('counts leases of main in rounds of quicknet', () => {
    expect(MAIN.lease * MAIN.beacon.period).toBe(365 * 86_400)
    expect(MAIN.settle * MAIN.beacon.period).toBe(86_400)
    expect(MAIN.pin_after * MAIN.beacon.period).toBe(86_400)
  })
})
