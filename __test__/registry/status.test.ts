import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { type NetworkDiversityView, NetworkStatusSchema } from '../../src/views/network.ts'
import { addressPrefix, type Origin } from '../../src/protocol/neighbourhood/diversity.ts'
import { parseProfile } from '../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { kept, networkDiversity } from '../../src/registry/status.ts'

const { main } = builtInProfiles

const apart = (count: number): Origin[] =>
  Array.from({ length: count }, (_, index) => ({ peer: String(index), prefix: addressPrefix(`10.${index}.0.1`) }))
const messageOf = (count: number, profile = main): string | null => viewOf(apart(count), profile).message

function viewOf(peers: readonly Origin[], profile = main): NetworkDiversityView {
  const view = networkDiversity(peers, profile)
  expect(v.parse(NetworkStatusSchema.entries.diversity, view)).toEqual(view)
  return view!
}

describe('the diversity of a network', () => {
  it('is not asked for where the profile limits no prefixes', () => {
    expect(networkDiversity(apart(2), builtInProfiles.local)).toBeNull()
    expect(networkDiversity(apart(2), builtInProfiles.test)).toBeNull()
  })

  it('is told in numbers and words', () => {
    const home = Array.from({ length: 3 }, (_, index) => ({
      peer: String(index),
      prefix: addressPrefix(`192.168.1.${index}`)
    }))
    expect(viewOf(home)).toEqual({
      peers: 2,
      prefixes: 1,
      wide_prefixes: 1,
      needed: { answer: 11, settle: 8, adopt: 5 },
      missing: { peers: 9, prefixes: 5, wide_prefixes: 2 },
      enough: false,
      message:
        '2 of the 11 diverse peers that an answer needs, in 1 /24 (IPv6: /32) and 1 /16 (IPv6: /24): for now names resolve as thin, do not settle and are not adopted by newcomers. ' +
        'Missing: 9 peers, in at least 5 more /24 (IPv6: /32) and 2 more /16 (IPv6: /24).'
    })
  })

  it('says what each number of peers means', () => {
    expect(messageOf(4)).toContain(
      'for now names resolve as thin, do not settle and are not adopted by newcomers. Missing: 7 peers, in at least 2 more /24 (IPv6: /32).'
    )
    expect(messageOf(5)).toContain('for now names resolve as thin and do not settle. Missing: 6 peers,')
    expect(messageOf(8)).toContain('for now names resolve as thin. Missing: 3 peers.')
    expect(messageOf(10)).toContain('for now names may resolve as thin. Missing: 1 peer.')
    expect(viewOf(apart(11))).toMatchObject({
      peers: 11,
      missing: { peers: 0, prefixes: 0, wide_prefixes: 0 },
      enough: true,
      message: null
    })
  })

  it('names the quorum that asks for the most', () => {
    const small = { ...main, k: 8 }
    expect(messageOf(6, parseProfile(small))).toContain(
      '6 of the 8 diverse peers that settling needs, in 6 /24 (IPv6: /32) and 6 /16 (IPv6: /24): for now names do not settle. Missing: 2 peers.'
    )
    expect(messageOf(6, parseProfile({ ...small, witness_quorum: 8, repair_quorum: 6 }))).toContain(
      '8 diverse peers that adoption needs, in 6 /24 (IPv6: /32) and 6 /16 (IPv6: /24): for now names are not adopted by newcomers.'
    )
  })
})

it('what is slow to tell is computed once a second, whichever way the clock jumps', () => {
  let nowMs = 10_000
  let computed = 0
  const read = kept({ now: () => nowMs }, () => ++computed)
  for (const [atMs, value] of [
    [10_000, 1],
    [10_999, 1],
    [11_000, 2],
    [5_000, 3],
    [5_500, 3]
  ] as const) {
    nowMs = atMs
    expect(read()).toBe(value)
  }
})
