import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { EncodingError } from '../../../src/protocol/errors.ts'
import { canonicalJson, parseCanonicalJson } from '../../../src/protocol/encoding/jcs.ts'

describe('canonical JSON', () => {
  it('follows RFC 8785', () => {
    expect(canonicalJson({ b: 1e21, a: [1.0, '\u20ac$\u000f\nA\'B"\\/'], '\u0000': null })).toBe(
      '{"\\u0000":null,"a":[1,"€$\\u000f\\nA\'B\\"\\\\/"],"b":1e+21}'
    )
  })

  it.each([
    '{"b":1,"a":2}',
    '{"a": 1}',
    '1.0',
    '"\\u0061"',
    '{"a":1,"a":1}',
    '[1,]',
    '',
    '-0',
    '\ufeff1',
    '1e400',
    '"\\ud800"'
  ])('refuses %j', (text) => {
    expect(() => parseCanonicalJson(utf8(text), { maxBytes: 100 })).toThrow(EncodingError)
  })

  it('bounds depth and size', () => {
    expect(() => parseCanonicalJson(utf8('['.repeat(33) + ']'.repeat(33)), { maxBytes: 100 })).toThrow(/deeper than 32/)
    expect(parseCanonicalJson(utf8(`["${'['.repeat(40)}\\""]`), { maxBytes: 100 })).toEqual([`${'['.repeat(40)}"`])
    expect(() => parseCanonicalJson(new Uint8Array(101), { maxBytes: 100 })).toThrow(/at most 100/)
    expect(() => parseCanonicalJson(Uint8Array.of(0x22, 0xff, 0x22), { maxBytes: 100 })).toThrow(/UTF-8/)
  })
})
