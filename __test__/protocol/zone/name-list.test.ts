import { describe, expect, it } from 'vitest'
import { nameListKey } from '../../../src/protocol/crypto/keys.ts'
import { encodeCbor, type CborValue } from '../../../src/protocol/encoding/cbor.ts'
import { concatBytes, lp } from '../../../src/protocol/encoding/bytes.ts'
import { parseName } from '../../../src/protocol/name/names.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { openNameList } from '../../../src/protocol/zone/name-list.ts'
import { LOCAL, TEST } from '../fixtures.ts'
import { sealedList, sealPadded } from './sealed-list.ts'

const SEED = new Uint8Array(32).fill(1)
const keyOf = (name: string, seed = SEED, profile = LOCAL): Uint8Array =>
  nameListKey(seed, profileHash(profile), parseName(name, LOCAL))
const KEY = keyOf('alice.chronym')
const IDS = ['bob.chronym', 'did:chronym:zQmdyFGPJV2zqRSm9U7q1UFFknKQQSJ7eMbBwXKNvhT1nDR']
const SEALED = sealedList(KEY, IDS)

const open = (sealed: Uint8Array, key = KEY) => openNameList(key, sealed, LOCAL)
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${1000 + index}.chronym`)

const sealedOf = (plaintext: Uint8Array): Uint8Array => sealPadded(KEY, plaintext, 512)

describe('a sealed list of names', () => {
  it('opens with its key, empty too', () => {
    expect(open(SEALED)).toEqual(IDS)
    expect(open(sealedList(KEY, []))).toEqual([])
  })

  it('[a list carried into another name] opens under no other name, seed or network', () => {
    for (const key of [
      keyOf('bob.chronym'),
      keyOf('alice.chronym', new Uint8Array(32).fill(3)),
      keyOf('alice.chronym', SEED, TEST)
    ])
      expect(open(SEALED, key)).toBeUndefined()
  })

  it.each([
    [0, 512],
    [34, 2_048],
    [581, 8_192]
  ])('of %i names opens with %i bytes', (count, size) => {
    expect(open(sealedList(KEY, names(count), size))).toEqual(names(count))
  })

  it('is refused for every changed byte and at every other length', () => {
    for (let index = 0; index < SEALED.length; index++) {
      const changed = Uint8Array.from(SEALED)
      changed[index]! ^= 1 << (index % 8)
      expect(open(changed), `byte ${index}`).toBeUndefined()
      expect(open(SEALED.subarray(0, index)), `${index} bytes`).toBeUndefined()
    }
    expect(open(concatBytes(SEALED, new Uint8Array(2_048 - 512)))).toBeUndefined()
  })

  it.each<[string, CborValue]>([
    ['a map', { a: 1 }],
    ['a number', 7],
    ['a list in a list', [['bob.chronym']]]
  ])('is refused where it holds %s', (_, value) => expect(open(sealedOf(lp(encodeCbor(value))))).toBeUndefined())

  it('is refused where its length leaves it, or its encoding is another', () => {
    expect(open(sealedOf(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x80)))).toBeUndefined()
    expect(open(sealedOf(Uint8Array.of(0, 0, 0, 2, 0x98, 0x00)))).toBeUndefined()
    expect(open(sealedOf(Uint8Array.of(0, 0, 0, 0)))).toBeUndefined()
  })

  it('gives what is a name or a DID here, and leaves the rest out: a later version may list more', () =>
    expect(
      open(sealedOf(lp(encodeCbor(['bob.chronym', 7, 'bob.example', 'did:web:bob', '../x', 'Bob.chronym']))))
    ).toEqual(['bob.chronym']))
})
