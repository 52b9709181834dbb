/** Octets that are text, and what is said of others. */
import { describe, expect, it } from 'vitest'
import { isUtf16, textOfUtf8 } from '../../src/util/utf8.ts'

const octets = (hex: string): Uint8Array => Buffer.from(hex, 'hex')

describe('text of octets', () => {
  it('is UTF-8 without its byte order mark', () => {
    expect(textOfUtf8(octets('efbbbf6361660ac3a9'))).toBe('caf\né')
    expect(textOfUtf8(octets('efbfbd'))).toBe('\uFFFD')
    expect(textOfUtf8(new Uint8Array())).toBe('')
  })

  it.each([
    ['Latin-1', '610a636166e9', 'line 2 has the octet 0xE9'],
    ['a sequence that is cut', '61e282', 'line 1 has the octet 0xE2'],
    ['a surrogate', 'eda080', 'line 1 has the octet 0xED'],
    ['a zero too many', 'c080', 'line 1 has the octet 0xC0'],
    ['UTF-16 with its mark', 'fffe6100', 'UTF-16'],
    ['UTF-16 of another order', 'feff0061', 'UTF-16'],
    ['UTF-16 without a mark', '610062006300', 'UTF-16']
  ])('refuses %s, and says so', (_title, hex, message) => {
    expect(() => textOfUtf8(octets(hex))).toThrow(message)
    expect(() => textOfUtf8(octets(hex))).toThrow('save it as UTF-8')
    expect(isUtf16(octets(hex))).toBe(message === 'UTF-16')
  })
})
