import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import {
  compareBytes,
  concatBytes,
  equalBytes,
  fromBase64,
  fromHex,
  lp,
  toBase64,
  toHex,
  u64be,
  utf8
} from '../../../src/protocol/encoding/bytes.ts'
import { domain } from '../../../src/protocol/crypto/domain.ts'
import { EncodingError } from '../../../src/protocol/errors.ts'

describe('framing', () => {
  it('puts a u32 big-endian length in front', () => {
    expect(toHex(lp('abc'))).toBe('00000003616263')
    expect(toHex(lp(new Uint8Array(0)))).toBe('00000000')
    expect(toHex(lp('ü'))).toBe('00000002c3bc')
  })

  it('writes integers up to 2^53-1 as eight bytes and refuses others', () => {
    expect(toHex(u64be(0))).toBe('0000000000000000')
    expect(toHex(u64be(2 ** 53 - 1))).toBe('001fffffffffffff')
    for (const value of [-1, 0.5, 2 ** 53, NaN, Infinity]) expect(() => u64be(value)).toThrow(RangeError)
  })

  it('refuses lone surrogates, which UTF-8 cannot hold', () => {
    expect(() => lp('\ud800')).toThrow(EncodingError)
  })

  it('separates domains by word, version and network', () => {
    const hash = new Uint8Array(32).fill(0xab)
    expect(toHex(domain('claim', hash))).toBe(
      `00000010${Buffer.from('chronym/claim/v3').toString('hex')}${'ab'.repeat(32)}`
    )
    expect(() => domain('claim', new Uint8Array(31))).toThrow(RangeError)
  })

  it('joins and compares bytes', () => {
    expect(concatBytes(Uint8Array.of(1), new Uint8Array(0), Uint8Array.of(2, 3))).toEqual(Uint8Array.of(1, 2, 3))
    expect(equalBytes(Uint8Array.of(1), Uint8Array.of(1, 0))).toBe(false)
    expect(equalBytes(Uint8Array.of(1), Uint8Array.of(1))).toBe(true)
    expect(compareBytes(Uint8Array.of(1), Uint8Array.of(1, 0))).toBeLessThan(0)
  })
})

describe('hex and base64', () => {
  it('read back what they write', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        expect(fromHex(toHex(bytes))).toEqual(bytes)
        expect(fromBase64(toBase64(bytes))).toEqual(bytes)
        expect(fromBase64(Buffer.from(bytes).toString('base64url'))).toEqual(bytes)
        expect(fromBase64(toBase64(bytes).replace(/=+$/, ''))).toEqual(bytes)
      }),
      { seed: 1 }
    )
  })

  it.each(['0', 'xy', '0x00', ' 00'])('refuses %j as hex', (text) => expect(() => fromHex(text)).toThrow(EncodingError))

  it.each(['A', 'AB=', 'A===', 'AAAA=', 'AB', 'AAB', '-_+/', 'AA AA', 'AA\n', 'AA=A', '====', '!!!!'])(
    'refuses %j as base64',
    (text) => {
      expect(() => fromBase64(text)).toThrow(EncodingError)
    }
  )

  it('takes both alphabets', () => {
    expect(fromBase64('-_8')).toEqual(fromBase64('+/8='))
    expect(fromBase64('')).toEqual(new Uint8Array(0))
    expect(utf8('a')).toEqual(fromBase64('YQ'))
  })
})
