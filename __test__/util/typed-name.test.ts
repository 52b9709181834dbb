import { describe, expect, it } from 'vitest'
import { spellName, TypedNameError } from '../../src/util/typed-name.ts'

describe('a name as it is typed', () => {
  it.each([
    [' Carol. ', 'carol', undefined],
    ['CAROL.Chronym', 'carol.chronym', undefined],
    ['bücher', 'xn--bcher-kva', 'bücher'],
    ['BU\u0308CHER.chronym.', 'xn--bcher-kva.chronym', 'bücher.chronym'],
    ['bücher\u3002chronym', 'xn--bcher-kva.chronym', 'bücher.chronym'],
    // Non-transitional: ß is not ss, and a final sigma is a letter of its own.
    ['faß', 'xn--fa-hia', 'faß'],
    ['ς', 'xn--3xa', 'ς'],
    ['\uff11\uff12\uff13', '123', undefined],
    ['xn--bcher-kva', 'xn--bcher-kva', 'bücher'],
    ['xn--99999999', 'xn--99999999', undefined],
    ['日本語ー', 'xn--wekz60nb2abz6g', '日本語ー'],
    ['abc日本', 'xn--abc-v08fl0d', 'abc日本'],
    // In a link.
    [' http://Carol--7KQ2MX.chronym/ ', 'carol--7kq2mx.chronym', undefined],
    ['HTTPS://bücher.chronym.:8443/a?b#c', 'xn--bcher-kva.chronym', 'bücher.chronym'],
    ['http://carol.chronym', 'carol.chronym', undefined],
    ['http://carol.chronym?a=//b', 'carol.chronym', undefined],
    // Joiners in context: RFC 5892, A.1 and A.2.
    ['क्\u200dष', 'xn--11b2ezcw70k', 'क्\u200dष'],
    ['क्\u200cष', 'xn--11b2ezcs70k', 'क्\u200cष'],
    ['نامه\u200cای', 'xn--mgba3gch31f060k', 'نامه\u200cای'],
    // With a check code.
    ['Carol.chronym 7KQ2MX', 'carol.chronym 7kq2mx', undefined],
    ['alice--7KQ2MX', 'alice--7kq2mx', undefined],
    ['ab--7kq2mx', 'ab--7kq2mx', undefined],
    ['bücher--7kq2mx', 'xn--bcher--7kq2mx-wob', 'bücher--7kq2mx'],
    ['BÜ--7KQ2MX.chronym', 'xn--b--7kq2mx-q9a.chronym', 'bü--7kq2mx.chronym'],
    ['\uff11\uff12\uff13--7kq2mx', '123--7kq2mx', undefined],
    // Letters of the code are no second script, and no second direction.
    ['привет--7kq2mx', 'xn----7kq2mx-j7g4a5a7fn5a', 'привет--7kq2mx'],
    ['שלום--7kq2mx', 'xn----7kq2mx-99jzem5l', 'שלום--7kq2mx']
  ])('%s is %s', (typed, name, unicode) => {
    expect(spellName(typed)).toEqual({ name, unicode })
  })

  it.each([
    ['http://carol@dave.chronym/', /https.*no user/],
    ['ftp://carol.chronym/', /http and https/],
    ['http://', /http and https/],
    ['alice body', /a space/],
    ['alice body.chronym', /a space/],
    ['http://alice body.chronym/', /a space/],
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
    ['bü--chér', /hyphens/],
    ['\u0430pple--7kq2mx', /mixes letters/]
  ])('%s is refused', (typed, reason) => {
    expect(() => spellName(typed)).toThrow(TypedNameError)
    expect(() => spellName(typed)).toThrow(reason)
  })
})
