/** Published pins: their text, whatever a stranger makes of it, and what several lists make of a name. */
import { describe, expect, it } from 'vitest'
import { sign, keyPairFromSeed } from '../../../src/protocol/crypto/ed25519.ts'
import { concatBytes, lp, sha256, toHex, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { encodeMultikey } from '../../../src/protocol/identity/did.ts'
import type { Name } from '../../../src/protocol/name/names.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import {
  MAX_LIST_BYTES,
  MAX_LIST_ENTRIES,
  meantBy,
  readPinList,
  signPinList,
  type ListVoice,
  type PublishedPin
} from '../../../src/protocol/resolution/pin-list.ts'

const { local, test } = builtInProfiles
const KEY = keyPairFromSeed(sha256(utf8('publisher')))
const NOW = 1_800_000_000

const pin = (label: string, code = '7kq2mx4q8r7k', since = '2026-11-29'): PublishedPin => ({
  name: `${label}.chronym` as Name,
  code,
  since
})

const signed = (pins: readonly PublishedPin[], serial = NOW): string => signPinList({ serial, pins }, KEY, local)

/** Any lines above a signature that holds. */
function signedLines(...lines: string[]): string {
  const body = `${lines.join('\n')}\n`
  const message = concatBytes(lp('chronym/pin-list/v1'), profileHash(local), utf8(body))
  return `${body}signature=${toHex(sign(message, KEY.secretKey))}\n`
}

const HEAD = `chronym-pins=v1 ${NOW} ${encodeMultikey(KEY.publicKey)}`
const read = (text: string) => readPinList(text, local, NOW)

describe('a list of pins', () => {
  it('is read as it was signed, in the order of names', () => {
    const pins = [pin('bob', 'zzzzzzzzzzzz'), pin('alice')]
    expect(read(signed(pins))).toEqual({ publicKey: KEY.publicKey, serial: NOW, pins: [pins[1], pins[0]] })
    expect(signed(pins)).toMatch(
      /^chronym-pins=v1 1800000000 z6Mk\w+\nalice\.chronym 7kq2mx4q8r7k 2026-11-29\nbob\.chronym z{12} 2026-11-29\nsignature=[0-9a-f]{128}\n$/
    )
    expect(read(signed([])).pins).toEqual([])
  })

  it('is refused with any byte changed, and on another network', () => {
    const text = signed([pin('alice'), pin('bob')])
    for (let at = 0; at < text.length; at++) {
      const changed = `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1)}`
      expect(() => read(changed), `byte ${at}`).toThrow()
    }
    expect(() => readPinList(text, test, NOW)).toThrow(/for another network/)
    expect(() => read(text.slice(0, -1))).toThrow(/last line is no signature/)
    expect(() => read(`${text}\n`)).toThrow()
  })

  it.each([
    ['nothing', '', /does not begin/],
    ['a page for a login', '<html><body>Log in</body></html>\n', /does not begin/],
    ['no signature', `${HEAD}\nalice.chronym 7kq2mx4q8r7k 2026-11-29\n`, /no signature/],
    ['a serial of tomorrow', signed([], NOW + 86_400), /in the future/],
    [
      'a name twice',
      signedLines(HEAD, 'a.chronym 7kq2mx4q8r7k 2026-11-29', 'a.chronym zzzzzzzzzzzz 2026-11-29'),
      /line 3/
    ],
    [
      'another order',
      signedLines(HEAD, 'b-name.chronym 7kq2mx4q8r7k 2026-11-29', 'a-name.chronym zzzzzzzzzzzz 2026-11-29'),
      /line 3/
    ],
    ['a short code', signedLines(HEAD, 'alice.chronym 7kq2mx 2026-11-29'), /line 2 is no name with a code/],
    ['no day', signedLines(HEAD, 'alice.chronym 7kq2mx4q8r7k 2026-19-99'), /line 2/],
    ['another spelling', signedLines(HEAD, 'Alice.chronym 7kq2mx4q8r7k 2026-11-29'), /name-invalid/],
    ['a name of another zone', signedLines(HEAD, 'alice.example 7kq2mx4q8r7k 2026-11-29'), /name-invalid/],
    ['an escape for terminals', signedLines(HEAD, 'al\u001b[2Jice.chronym 7kq2mx4q8r7k 2026-11-29'), /line 2/]
  ])('is refused with %s', (_what, text, why) => {
    expect(() => read(text)).toThrow(why)
    // A source may be a private file: nothing of it is quoted.
    expect(() => read(text)).not.toThrow(/Log in|\[2J/)
  })

  it('has a bound of bytes, and one of entries that holds with a true signature', () => {
    expect(() => read('x'.repeat(MAX_LIST_BYTES + 1))).toThrow(/at most 1048576 bytes/)
    const many = Array.from({ length: MAX_LIST_ENTRIES + 1 }, (_, index) =>
      pin(`name-${String(index).padStart(6, '0')}`)
    )
    expect(read(signed(many.slice(1))).pins).toHaveLength(MAX_LIST_ENTRIES)
    expect(() => read(signed(many))).toThrow(/more than 10000 entries/)
  })
})

describe('lists together', () => {
  const voice = (key: string, codes: Record<string, string>): ListVoice => ({
    key,
    source: `${key}'s`,
    pins: new Map(Object.entries(codes).map(([label, code]) => [`${label}.chronym`, pin(label, code)]))
  })
  const [A, B] = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb']
  const [one, two, none] = [voice('k1', { alice: A }), voice('k2', { alice: A }), voice('k3', {})]

  it.each<[string, ListVoice[], number, string]>([
    ['none', [], 1, 'unsaid'],
    ['none, where nobody need agree', [], 0, 'unsaid'],
    ['one of one', [one], 1, 'pinned'],
    ['one of two', [one, none], 2, 'unsaid'],
    ['one of two, where one is enough', [one, none], 1, 'pinned'],
    ['two of three', [one, two, none], 2, 'pinned'],
    ['two of three, where all must agree', [one, two, none], 3, 'unsaid'],
    ['two against one', [one, two, voice('k3', { alice: B })], 2, 'contested'],
    ['one key by two addresses', [one, one, none], 2, 'unsaid'],
    ['another name', [voice('k1', { bob: A })], 1, 'unsaid']
  ])('%s', (_what, voices, agree, kind) => {
    expect(meantBy(voices, 'alice.chronym', agree).kind).toBe(kind)
  })
})
