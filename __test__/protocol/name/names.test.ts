import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import punycode from 'punycode/punycode.js'
import { NameError } from '../../../src/protocol/errors.ts'
import {
  canonicalName,
  iterationsFor,
  labelOf,
  parseName,
  renewalIterations
} from '../../../src/protocol/name/names.ts'
import { LOCAL, MAIN } from '../fixtures.ts'

function kindOf(text: string, profile = MAIN): string {
  try {
    parseName(text, profile)
    return 'valid'
  } catch (error) {
    if (error instanceof NameError) return error.code.replace('name-', '')
    throw error
  }
}

describe('names', () => {
  it.each([
    ['alice.chronym', 'valid'],
    ['a-1.chronym', 'valid'],
    [`${'a'.repeat(63)}.chronym`, 'valid'],
    ['123.chronym', 'valid'],
    ['xn--mnchen-3ya.chronym', 'valid'],
    [`${'a'.repeat(64)}.chronym`, 'invalid'],
    ['.chronym', 'invalid'],
    ['chronym', 'invalid'],
    ['alice', 'invalid'],
    ['alice.other', 'invalid'],
    ['alice.chronym.', 'invalid'],
    ['www.alice.chronym', 'invalid'],
    ['Alice.chronym', 'invalid'],
    ['alice.Chronym', 'invalid'],
    ['-alice.chronym', 'invalid'],
    ['alice-.chronym', 'invalid'],
    ['al--ce.chronym', 'invalid'],
    ['ali--ce.chronym', 'invalid'],
    ['alice--7kq2mx.chronym', 'invalid'],
    // bücher--7kq2mx
    ['xn--bcher--7kq2mx-x7b.chronym', 'invalid'],
    ['al_ice.chronym', 'invalid'],
    ['münchen.chronym', 'invalid'],
    ['alice\u0000.chronym', 'invalid'],
    [' alice.chronym', 'invalid'],
    ['\ud800abc.chronym', 'invalid'],
    ['xn--.chronym', 'invalid'],
    // Punycode of U+0080: no name to show, but validity knows no Unicode tables.
    ['xn--a.chronym', 'valid'],
    ['xn--abc-.chronym', 'invalid'],
    ['xn--MNCHEN-3ya.chronym', 'invalid'],
    ['xn--mnchen-3y.chronym', 'invalid'],
    ['xn--99999999.chronym', 'invalid'],
    ['ab.chronym', 'not-open'],
    ['a.chronym', 'not-open'],
    ['localhost.chronym', 'reserved']
  ])('says of %j: %s', (text, kind) => expect(kindOf(text)).toBe(kind))

  it('are open at every length on the local network', () => {
    expect(kindOf('a.chronym', LOCAL)).toBe('valid')
    expect(iterationsFor(parseName('a.chronym', LOCAL), LOCAL)).toBe(1_000_000)
  })

  it('cost what their length costs, counted in octets of the A-label', () => {
    const base = 600_000_000
    for (const [length, factor] of [
      [3, 960],
      [4, 480],
      [5, 48],
      [6, 24],
      [7, 8],
      [8, 4],
      [11, 4],
      [12, 1],
      [63, 1]
    ] as const) {
      const name = parseName(`${'a'.repeat(length)}.chronym`, MAIN)
      expect(iterationsFor(name, MAIN)).toBe(base * factor)
      expect(renewalIterations(name, MAIN)).toBe((base * factor) / 4)
    }
    expect(labelOf(parseName('xn--mnchen-3ya.chronym', MAIN))).toHaveLength(14)
  })

  it('round the quarter of a renewal up', () => {
    const profile = { ...LOCAL, difficulty: { base: 1_000_001, by_length: LOCAL.difficulty.by_length } }
    expect(renewalIterations(parseName('alice.chronym', profile), profile)).toBe(250_001)
  })

  it('never throw anything but NameError', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^xn--[a-z0-9-]{0,60}$/)), (label) => {
        expect(['valid', 'invalid', 'not-open', 'reserved']).toContain(kindOf(`${label}.chronym`))
      }),
      { numRuns: 500, seed: 1 }
    )
  })
})

describe('A-labels', () => {
  const named = (encoded: string) => kindOf(`xn--${encoded}.chronym`, LOCAL)

  // RFC 3492, section 7.1: (A), (C), (F), (L), (Q), (S), those without upper case.
  it.each([
    ['ليهمابتكلموشعربي؟', 'egbpdaj6bu4bxfgehfvwxn'],
    ['他們爲什麽不說中文', 'ihqwctvzc91f659drss3x8bo0yb'],
    ['למההםפשוטלאמדבריםעברית', '4dbcagdahymbxekheh6e0a7fei0b'],
    ['почемужеонинеговорятпорусски', 'b1abfaaepdrnnbgefbadotcwatmq2g4l'],
    ['ひとつ屋根の下2', '2-u9tlzr9756bt3uc0v'],
    ['そのスピードで', 'd9juau41awczczp']
  ])('hold the punycode of %s', (text, encoded) => {
    expect(punycode.encode(text)).toBe(encoded)
    expect(named(encoded)).toBe('valid')
  })

  it('hold that of any text in lower case beyond ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), (text) => {
        const encoded = punycode.encode(text)
        fc.pre(text.isWellFormed() && /^[a-z0-9-]{1,58}[a-z0-9]$/.test(encoded) && /[^\0-\x7f]/.test(text))
        expect(named(encoded)).toBe('valid')
      }),
      { seed: 1 }
    )
  })

  it.each([
    ['upper case', 'mnchen-3YA'],
    ['upper case in the last digit', 'mnchen-3yA'],
    ['a number that is too large', '99999999999999999'],
    ['what is not ASCII', 'ü-abc'],
    ['a number that is cut off', 'a-9'],
    ['a lone surrogate', punycode.encode('\ud800')],
    ['a lone surrogate among letters', punycode.encode('abc\udfff')]
  ])('do not hold %s', (_, encoded) => expect(named(encoded)).toBe('invalid'))
})

describe('what people write as a name', () => {
  it.each([
    ['alice.chronym', 'alice.chronym'],
    ['Alice.CHRONYM', 'alice.chronym'],
    ['alice.chronym.', 'alice.chronym'],
    ['alice.chronym..', 'alice.chronym.'],
    ['m\u00dcnchen.chronym', 'm\u00dcnchen.chronym'],
    // KELVIN SIGN: its lower case is an ASCII k, and the name would be another one than was written.
    ['mi\u212ae.chronym', 'mi\u212ae.chronym'],
    ['.', '']
  ])('%j is read as %j', (text, name) => {
    expect(canonicalName(text)).toBe(name)
  })

  it('is met with the whole name where only the label was given', () => {
    expect(() => parseName('dave', MAIN)).toThrow('did you mean dave.chronym?')
    expect(() => parseName('dave.other', MAIN)).toThrow(/ends with \.chronym$/)
  })
})
