import { describe, expect, it } from 'vitest'
import { ConcurrencyLimit } from '../../src/util/concurrency-limit.ts'

describe('concurrency limit', () => {
  it('bounds the total and each holder, and takes a place back once', () => {
    const places = new ConcurrencyLimit(3, 2)
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
