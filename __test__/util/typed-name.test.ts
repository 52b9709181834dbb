import { describe, expect, it } from 'vitest'
import { spellName, TypedNameError } from '../../src/util/typed-name.ts'

describe('a name as it is typed', () => {
  it.each([
    [' Carol. ', 'carol', undefined],
    ['CAROL.Chronym', 'carol.chronym', undefined],
    ['bücher', 'xn--bcher-kva', 'bücher'],
    ['BU\u0308CHER.chronym.', 'xn--bcher-kva.chronym', 'bücher.chronym'],
    ['bücher\u3002chronym', 'xn--bcher-kva.chronym', 'bücher.chronym'],
    // Non-transitional: ß is no ss, and a final sigma is a letter of its own.
    ['faß', 'xn--fa-hia', 'faß'],
    ['ς', 'xn--3xa', 'ς'],
    ['\uff11\uff12\uff13', '123', undefined],
    ['xn--bcher-kva', 'xn--bcher-kva', 'bücher'],
    ['xn--99999999', 'xn--99999999', undefined],
    ['日本語ー', 'xn--wekz60nb2abz6g', '日本語ー'],
    ['abc日本', 'xn--abc-v08fl0d', 'abc日本']
  ])('%s is %s', (typed, name, unicode) => {
    expect(spellName(typed)).toEqual({ name, unicode })
  })

  it.each([
    ['\u0430pple', /mixes letters of Cyrillic and Latin/],
    ['\u03b1lice', /mixes letters of Greek and Latin/],
    ['a१', /mixes letters of Latin and Devanagari/],
    ['ᎣᏏ', /a script not in common use/],
    ['☃', /characters that no name has/],
    ['😀', /characters that no name has/],
    ['a≠b', /characters that no name has/],
    ['x\uff1dü', /characters that no name has/],
    ['a\uff0fü', /characters that no name has/],
    ['a\u200dü', /characters that no name has/],
    ['aא', /order/],
    ['ü_b', /hyphens alone/],
    ['ü%41', /hyphens alone/],
    ['-ü', /hyphens/],
    ['bü--cher', /hyphens/]
  ])('%s is refused', (typed, reason) => {
    expect(() => spellName(typed)).toThrow(TypedNameError)
    expect(() => spellName(typed)).toThrow(reason)
  })
})
