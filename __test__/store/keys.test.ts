import { describe, expect, it } from 'vitest'
import { keys, lastPart, prefixes } from '../../src/store/keys.ts'

describe('the key map', () => {
  it('lets no part of a key reach into another', () => {
    expect(() => keys.zone('a/b')).toThrow(RangeError)
    expect(() => keys.zone('')).toThrow(RangeError)
  })

  it('gives every kind a prefix that is not a prefix of another', () => {
    const all = Object.values(prefixes).map((prefix) =>
      typeof prefix === 'string' ? prefix : (prefix as (part: string) => string)('ab')
    )
    for (const one of all) {
      const within = all.filter((other) => other !== one && other.startsWith(one))
      expect(within.every((other) => other === prefixes.entriesUnder('ab') || other === prefixes.seen('ab'))).toBe(true)
    }
  })

  it('reads the id back from a key', () => {
    expect(lastPart(keys.ownRecord('reveal', 'alice.chronym'))).toBe('alice.chronym')
  })
})
