import { describe, expect, it } from 'vitest'
import { BoundedMap, LruMap } from '../../src/util/bounded-map.ts'

describe('a bounded map', () => {
  it('forgets the entry that was set longest ago', () => {
    const map = new BoundedMap<string, number>(2)
    map.set('a', 1)
    map.set('b', 2)
    map.set('a', 3)
    expect(map.get('b')).toBe(2)
    map.set('c', 4)
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([3, undefined, 4])
    expect([map.size, map.has('a'), map.has('b')]).toEqual([2, true, false])
  })

  it('has room again after a deletion', () => {
    const map = new BoundedMap<string, number>(2)
    map.set('a', 1)
    map.set('b', 2)
    map.delete('a')
    map.set('c', 3)
    expect([map.get('b'), map.get('c')]).toEqual([2, 3])
    map.clear()
    expect([map.size, map.get('b')]).toEqual([0, undefined])
  })

  it('that goes by use forgets the entry that was read longest ago', () => {
    const map = new LruMap<string, number | undefined>(2)
    map.set('a', 1)
    map.set('b', undefined)
    map.get('a')
    map.set('c', 3)
    expect([map.has('a'), map.has('b'), map.has('c')]).toEqual([true, false, true])
    map.get('none')
    expect(map.size).toBe(2)
  })
})
