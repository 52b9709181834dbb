import { describe, expect, it } from 'vitest'
import { absoluteName, labelBelow } from '../../../src/cli/zone-file/format.ts'

describe('a name of a master file', () => {
  it.each([
    ['www', 'alice.chronym', 'www.alice.chronym'],
    ['WWW.Example.', 'alice.chronym', 'www.example'],
    ['a.b', 'alice.chronym', 'a.b.alice.chronym'],
    ['@', 'alice.chronym', 'alice.chronym'],
    ['.', 'alice.chronym', ''],
    ['www', '', 'www'],
    // The Kelvin sign becomes a small k elsewhere, which is another name.
    ['\u212A', 'alice.chronym', '\u212A.alice.chronym']
  ])('%j below %j is %j', (text, origin, name) => expect(absoluteName(text, origin)).toBe(name))

  it.each(['', 'a..b', '..', '.a', `${'a'.repeat(64)}.`, '"a"', 'a\\.b'])('%j is not a name', (text) =>
    expect(() => absoluteName(text, 'alice.chronym')).toThrow('is not a name')
  )

  it('has at most 253 characters, the origin among them', () => {
    const labels = (count: number) => Array.from({ length: count }, () => 'a'.repeat(49)).join('.')
    expect(absoluteName(labels(5), 'abc')).toHaveLength(253)
    expect(() => absoluteName(labels(5), 'abcd')).toThrow('more than 253')
  })
})

describe('the label of an owner', () => {
  it('is what is left below the apex', () => {
    expect(labelBelow('alice.chronym', 'alice.chronym')).toBe('@')
    expect(labelBelow('a.b.alice.chronym', 'alice.chronym')).toBe('a.b')
  })

  it.each(['bob.chronym', 'malice.chronym', 'chronym', ''])('is none for %j', (name) =>
    expect(() => labelBelow(name, 'alice.chronym')).toThrow('outside of the zone')
  )
})
