import { describe, expect, it } from 'vitest'
import { sha256, toHex } from '../../../src/protocol/encoding/bytes.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import {
  blindedKey,
  blindedPrefixBits,
  recordKey,
  recordKeyPreimage,
  sharesPrefix
} from '../../../src/protocol/neighbourhood/key-space.ts'
import { bytesOf, LOCAL } from '../fixtures.ts'

const HASH = profileHash(LOCAL)

describe('record keys', () => {
  it('are the SHA-256 of the preimage that is looked up, one for each kind', () => {
    const keys = (['reveal', 'kid', 'manifest'] as const).map((kind) => {
      expect(recordKey(kind, 'x', HASH)).toEqual(sha256(recordKeyPreimage(kind, 'x', HASH)))
      return toHex(recordKey(kind, 'x', HASH))
    })
    expect(new Set(keys).size).toBe(3)
  })

  it.each([
    [0, 0],
    [1, 0],
    [63, 0],
    [64, 1],
    [127, 1],
    [128, 2],
    [1_000_000, 14],
    [2 ** 21, 16],
    [2 ** 40, 16]
  ])('of a network of %i show %i bits', (size, bits) => {
    expect(blindedPrefixBits(size)).toBe(bits)
  })

  it('are hidden behind a random key that shares exactly the blinded bits at least', () => {
    const key = recordKey('reveal', 'alice.chronym', HASH)
    for (const bits of [0, 1, 7, 8, 10]) {
      const blinded = blindedKey(key, bits, bytesOf(`random ${bits}`))
      expect([bits, bits + 24].map((shared) => sharesPrefix(key, blinded, shared))).toEqual([true, false])
      expect(
        sharesPrefix(
          bytesOf(`random ${bits}`),
          blinded.map((byte, index) => byte ^ key[index]! ^ bytesOf(`random ${bits}`)[index]!),
          bits
        )
      ).toBe(true)
    }
    expect(sharesPrefix(Uint8Array.of(0xff, 0x00), Uint8Array.of(0xff, 0x01), 15)).toBe(true)
    expect(sharesPrefix(Uint8Array.of(0xff, 0x00), Uint8Array.of(0xff, 0x01), 16)).toBe(false)
  })
})
