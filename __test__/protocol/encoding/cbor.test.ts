import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { fromHex, toHex } from '../../../src/protocol/encoding/bytes.ts'
import { type CborValue, decodeCanonical, encodeCbor, MAX_CBOR_ITEMS } from '../../../src/protocol/encoding/cbor.ts'
import { EncodingError } from '../../../src/protocol/errors.ts'

const BOUNDS = { maxBytes: 1000, maxDepth: 4 }

describe('deterministic CBOR', () => {
  it('orders the keys of a map by their encoded bytes (RFC 8949, 4.2.1)', () => {
    expect(toHex(encodeCbor({ aa: 1, b: 2, z: 3, '': 4 }))).toBe('a460046162026' + '17a036261610' + '1')
  })

  it('reads back what it writes', () => {
    const value: fc.Arbitrary<CborValue> = fc.letrec<{ value: CborValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.maxSafeNat(),
        fc.string(),
        fc.boolean(),
        fc.constant(null),
        fc.uint8Array({ maxLength: 40 }),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 3, noNullPrototype: true })
      )
    })).value
    fc.assert(
      fc.property(value, (input) => {
        expect(decodeCanonical(encodeCbor(input), { maxBytes: 100_000, maxDepth: 10 })).toEqual(input)
      }),
      { seed: 1 }
    )
  })

  it.each([
    ['a longer head than needed', '1800'],
    ['a longer length than needed', '580161'],
    ['an array of indefinite length', '9fff'],
    ['a text of indefinite length', '7f6161ff'],
    ['keys in the wrong order', 'a2616201616101'],
    ['keys ordered by RFC 7049 where 8949 differs', 'a2626161016161'],
    ['a key twice', 'a2616101616102'],
    ['a float', 'f93e00'],
    ['a float that is an integer', 'f93c00'],
    ['a negative integer', '20'],
    ['an integer of 2^53', '1b0020000000000000'],
    ['a tag', 'c11a514b67b0'],
    ['undefined', 'f7'],
    ['bytes after the end', '0000'],
    ['a text that is not UTF-8', '61ff'],
    ['an array cut off', '8201'],
    ['a map with a number as key', 'a10101'],
    ['nothing', ''],
    ['a length far beyond the input', '5b00ffffffffffffff'],
    ['an array length far beyond the input', '9b00000000ffffffff']
  ])('refuses %s', (_, hex) => expect(() => decodeCanonical(fromHex(hex), BOUNDS)).toThrow(EncodingError))

  it('bounds size and depth before it recurses', () => {
    expect(decodeCanonical(fromHex('8181818100'), BOUNDS)).toEqual([[[[0]]]])
    expect(() => decodeCanonical(fromHex('818181818100'), BOUNDS)).toThrow(/deeper than 4/)
    expect(() => decodeCanonical(new Uint8Array(100_000).fill(0x81), { maxBytes: 100_000, maxDepth: 4 })).toThrow(
      /deeper/
    )
    expect(() => decodeCanonical(new Uint8Array(1001), BOUNDS)).toThrow(/at most 1000/)
    expect(decodeCanonical(fromHex('82808180'), BOUNDS)).toEqual([[], [[]]])
  })

  it('bounds the items before it makes values of them', () => {
    const emptyTexts = (count: number): Uint8Array => encodeCbor(Array.from({ length: count }, () => ''))
    const bounds = { maxBytes: 100_000, maxDepth: 1 }
    expect(decodeCanonical(emptyTexts(MAX_CBOR_ITEMS - 1), bounds)).toHaveLength(MAX_CBOR_ITEMS - 1)
    expect(() => decodeCanonical(emptyTexts(MAX_CBOR_ITEMS), bounds)).toThrow(/more than 4096 items/)
  })

  it('never throws anything but EncodingError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          decodeCanonical(bytes, BOUNDS)
        } catch (error) {
          expect(error).toBeInstanceOf(EncodingError)
        }
      }),
      { numRuns: 2000, seed: 1 }
    )
  })

  it('gives plain byte arrays for Buffers', () => {
    const decoded = decodeCanonical(Buffer.from('41ff', 'hex'), BOUNDS) as Uint8Array
    expect(Object.getPrototypeOf(decoded)).toBe(Uint8Array.prototype)
  })
})
