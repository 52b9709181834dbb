import { describe, expect, it } from 'vitest'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import { KeyError } from '../../../src/protocol/errors.ts'
import {
  didAssertionKey,
  didRecoveryKey,
  didUpdateKey,
  nameKey,
  seedToWords,
  wordsToSeed
} from '../../../src/protocol/crypto/keys.ts'
import { parseName } from '../../../src/protocol/name/names.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { LOCAL, seedOf, TEST } from '../fixtures.ts'

const HASH = profileHash(LOCAL)
const ALICE = parseName('alice.chronym', LOCAL)

describe('the master seed', () => {
  it('is the entropy of 24 BIP-39 words, as in the vectors of BIP-39', () => {
    expect(seedToWords(new Uint8Array(32))).toBe(`${'abandon '.repeat(23)}art`)
    expect(seedToWords(seedOf(0xff))).toBe(`${'zoo '.repeat(23)}vote`)
    expect(seedToWords(seedOf(0x80))).toBe(
      'letter advice cage absurd amount doctor acoustic avoid '.repeat(2) +
        'letter advice cage absurd amount doctor acoustic bless'
    )
  })

  it('reads words whatever their case and spacing', () => {
    expect(wordsToSeed(`  ${'ZOO \n'.repeat(23)}Vote `)).toEqual(seedOf(0xff))
  })

  it('refuses a wrong checksum, other words and other numbers of words, and does not repeat them', () => {
    for (const words of [`${'zoo '.repeat(23)}zoo`, 'secret '.repeat(24), 'zoo zoo', `${'abandon '.repeat(11)}about`]) {
      expect(() => wordsToSeed(words)).toThrow(KeyError)
      expect(() => wordsToSeed(words)).not.toThrow(/zoo|secret/)
    }
    expect(() => seedToWords(new Uint8Array(16))).toThrow(KeyError)
  })
})

describe('derived keys', () => {
  it("[owners' names can't be linked] differ by use, name, network, seed and index", () => {
    const seed = seedOf(1)
    const keys = [
      nameKey(seed, HASH, ALICE),
      nameKey(seed, HASH, parseName('bob.chronym', LOCAL)),
      nameKey(seed, profileHash(TEST), ALICE),
      nameKey(seedOf(2), HASH, ALICE),
      didUpdateKey(seed, HASH),
      didUpdateKey(seed, HASH, 1),
      didRecoveryKey(seed, HASH),
      didAssertionKey(seed, HASH)
    ]
    expect(new Set(keys.map((key) => toHex(key.publicKey))).size).toBe(keys.length)
    expect(nameKey(seed, HASH, ALICE)).toEqual(keys[0])
  })
})
