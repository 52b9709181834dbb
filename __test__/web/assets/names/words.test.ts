import { describe, expect, it } from 'vitest'
import { owned as name } from '../fixtures.ts'
import { parseCodedName } from '../../../../src/protocol/claim/check-code.ts'
import { parseName } from '../../../../src/protocol/name/names.ts'
import { builtInProfiles } from '../../../../src/protocol/profile/built-in.ts'
import {
  askedName,
  keysWords,
  leaseWords,
  readName,
  releaseAct,
  renewalWords,
  suffixOf,
  zoneWords
} from '../../../../src/web/assets/names/words.ts'

const NOW = Date.parse('2026-11-23T12:00:00.000Z')
describe('a name in words', () => {
  it.each([
    [name(), { word: 'live', text: '7 d left', tone: 'good' }],
    [name({ lease_end: '2026-11-23T13:00:00.000Z' }), { word: 'live', text: '1 h left', tone: 'good' }],
    [
      name({ lease_end: '2026-11-23T13:00:00.000Z' }, { state: 'off' }),
      { word: 'live', text: '1 h left', tone: 'warn' }
    ],
    [name({}, { state: 'released' }), { word: 'released', text: '7 d left, then it lapses', tone: 'warn' }],
    [
      name({ state: 'grace', lease_end: '2026-11-23T11:00:00.000Z' }),
      { word: 'grace', text: 'lapsed 1 h ago; only you may renew it', tone: 'bad' }
    ],
    [name({ state: 'lapsed' }), { word: 'lapsed', text: 'anyone may register it', tone: 'bad' }],
    [name({ state: 'contested' }), { word: 'contested', text: 'peers name another key', tone: 'bad' }],
    [name({ state: 'lost' }), { word: 'lost', text: 'peers have settled on another key', tone: 'bad' }],
    [
      name({ state: 'sold', sold: { to: 'ab', at: '2026-11-24T12:00:00.000Z' } }),
      { word: 'sold', text: expect.stringContaining("another owner's since"), tone: 'quiet' }
    ],
    [name({ state: 'changed' }), { word: 'changed', text: "its keys are another owner's now", tone: 'bad' }]
  ])('says how its lease is: %#', (owned, said) => {
    expect(leaseWords(owned, NOW)).toEqual(said)
  })

  it.each([
    [{ changes: 0, final: true, final_at: null }, 'first keys', /never/],
    [{ changes: 2, final: true, final_at: null }, 'final', /2 of 16/],
    [{ changes: 2, final: false, final_at: '2026-11-24T12:00:00.000Z' }, 'not final', /its place before .*2026/],
    [{ changes: 2, final: false, final_at: null }, 'not final', /its place yet$/]
  ])('says how its keys are: %j', (keys, word, text) => {
    const said = keysWords({ ...keys, changes_left: 16 - keys.changes })
    expect(said).toMatchObject({ word, text: expect.stringMatching(text) as string })
  })

  it('says when it is renewed', () => {
    expect(renewalWords(name(), NOW)).toBe('by itself in 6 d')
    expect(renewalWords(name({}, { due: '2026-11-23T11:00:00.000Z' }), NOW)).toBe('by itself, now')
    for (const state of ['running', 'paused', 'failed', 'off', 'released', 'impossible'] as const)
      expect(renewalWords(name({}, { state }), NOW)).toMatch(/^\w/)
  })

  it('says what its zone is', () => {
    expect(zoneWords(name(), true).word).toBe('unsaved edits')
    expect(zoneWords(name(), false).word).toBe('published')
    expect(zoneWords({ ...name(), records: 0 }, false).word).toBe('empty')
    expect(zoneWords(name({ serial: 3 }), false).word).toBe('draft')
    expect(zoneWords(name({ serial: 0 }), false).word).toBe('no zone')
  })

  it('can be released while it is ours, and taken back once', () => {
    expect(releaseAct(name())).toBe('release')
    expect(releaseAct(name({ state: 'grace' }, { state: 'released' }))).toBe('undo')
    expect(releaseAct(name({ state: 'lost' }))).toBeUndefined()
    expect(releaseAct(name({ state: 'sold' }))).toBe('acknowledge')
  })
})

const read = (text: string) => readName(text, '.chronym')

describe('a name as it is entered', () => {
  it.each([
    ['carol', 'carol.chronym'],
    [' Alice.CHRONYM. ', 'alice.chronym'],
    ['Dave.', 'dave.chronym'],
    ['http://Dave.chronym/', 'dave.chronym'],
    ['a-b-1', 'a-b-1.chronym'],
    ['xn--mnchen-3ya', 'xn--mnchen-3ya.chronym'],
    // a-ü: these two hyphens are of its encoding.
    ['xn--a--yka', 'xn--a--yka.chronym']
  ])('%s is %s', (text, name) => {
    expect(read(text)).toEqual({ name })
    expect(parseName(name, builtInProfiles.local)).toBe(name)
  })

  it.each([
    ['München', 'xn--mnchen-3ya.chronym', 'münchen.chronym'],
    ['faß.chronym', 'xn--fa-hia.chronym', 'faß.chronym'],
    ['ПРИВЕТ', 'xn--b1agh1afp.chronym', 'привет.chronym'],
    ['日本のｶﾒﾗ。chronym', 'xn--u9jugmg6a2367ccvb.chronym', '日本のカメラ.chronym'],
    ['日本go', 'xn--go-5t7du0c.chronym', '日本go.chronym']
  ])('%s is %s, shown as %s', (text, name, shown) => {
    expect(read(text)).toEqual({ name, shown })
    expect(parseName(name, builtInProfiles.local)).toBe(name)
  })

  it('is the ASCII form of a letter, shown before it is registered', () => {
    expect(read('\u212Aen')).toEqual({ name: 'ken.chronym' })
    expect(read('ａｂｃ')).toEqual({ name: 'abc.chronym' })
  })

  it.each([
    ['\u0430pple', 'It mixes letters of Cyrillic and Latin'],
    ['αlpha.chronym', 'It mixes letters of Greek and Latin'],
    ['dave.com', 'end with .chronym'],
    ['https://dave.com/', 'end with .chronym'],
    ['ftp://dave.chronym', 'Only http and https links'],
    ['www.dave.chronym', 'belongs to its zone'],
    ['.chronym', 'must come before'],
    ['a_b', 'Only letters'],
    ['a b', 'There is a space'],
    ['a/b', 'Only letters'],
    ['é@b', 'hyphens alone'],
    ['é\tb', 'There is a space'],
    ['a\u200db', 'no name has'],
    ['a／b', 'no name has'],
    ['-a', 'hyphen'],
    ['a-', 'hyphen'],
    ['ab--c', 'leave both out'],
    ['a'.repeat(64), '64 octets'],
    ['ü'.repeat(63), 'octets']
  ])('%s is refused: %s', (text, reason) => {
    expect(read(text)!.error).toContain(reason)
  })

  it.each([
    ['alice--7KQ2MX', 'alice--7kq2mx.chronym', undefined],
    ['ab--7kq2mx', 'ab--7kq2mx.chronym', undefined],
    ['http://ab--7kq2mx.chronym/', 'ab--7kq2mx.chronym', undefined],
    ['bücher--7kq2mx', 'xn--bcher--7kq2mx-wob.chronym', 'bücher--7kq2mx.chronym'],
    ['bü--7kq2mx.chronym', 'xn--b--7kq2mx-q9a.chronym', 'bü--7kq2mx.chronym'],
    ['привет--7kq2mx', 'xn----7kq2mx-j7g4a5a7fn5a.chronym', 'привет--7kq2mx.chronym']
  ])('%s keeps its check code to look it up, and is nothing to register', (text, name, shown) => {
    expect(read(text)).toEqual({
      name,
      ...(shown && { shown }),
      error: expect.stringContaining('leave both') as string
    })
    expect(parseCodedName(name, builtInProfiles.local).code).toBe('7kq2mx')
  })

  it.each(['xn--bcher--7KQ2MX-wob', 'XN--BCHER--7kq2mx-WOB', 'xn--alice--7kq2mx-', 'xn--bcher-kva--7kq2mx', 'xn--9'])(
    '%s is an encoding, which the daemon alone judges: it gets what was typed',
    (text) => {
      expect(read(text)).toEqual({ name: `${text}.chronym` })
      expect(() => parseName(`${text}.chronym`, builtInProfiles.local)).toThrow()
    }
  )

  it('is looked up as it is, with its code too, unless it is no name at all', () => {
    const asked = (text: string) => askedName(text, '.chronym')
    expect(asked('http://alice--7kq2mx.chronym/')).toBe('alice--7kq2mx.chronym')
    expect(asked('alice.chronym 7kq2mx')).toBe('alice.chronym 7kq2mx')
    expect(() => asked('alice body')).toThrow('There is a space')
    expect(() => asked('ftp://alice.chronym/')).toThrow('Only http and https links')
  })

  it('is nothing while nothing is entered', () => {
    expect(read(' ')).toBeUndefined()
    expect(read('.')).toBeUndefined()
  })

  it('is refused where it is there already', () => {
    const known = { own: ['alice.chronym'], running: ['bob.chronym'] }
    expect(readName('ALICE', '.chronym', known)!.error).toBe('It is yours already.')
    expect(readName('bob', '.chronym', known)!.error).toBe('A task for it is under way.')
    expect(readName('carol', '.chronym', known)!.error).toBeUndefined()
  })

  it('has the suffix of the network', () => {
    expect([suffixOf(undefined), suffixOf('example.')]).toEqual(['.chronym', '.example'])
  })
})
