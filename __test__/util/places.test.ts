import { describe, expect, it } from 'vitest'
import { Places } from '../../src/util/places.ts'

describe('places', () => {
  it('are bounded in all and each, and given back once', () => {
    const places = new Places(3, 2)
    const first = places.take('a')!
    expect(places.take('a', 2)).toBeUndefined()
    const second = places.take('a')!
    expect(places.take('a')).toBeUndefined()
    expect(places.take('b', 2)).toBeUndefined()
    expect(places.take('b')).toBeDefined()
    first()
    first()
    second()
    expect(places.take('c', 2)).toBeDefined()
    expect(places.take('c')).toBeUndefined()
  })
})
