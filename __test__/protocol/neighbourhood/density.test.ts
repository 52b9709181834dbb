import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { distance, isWithin, networkSize, radius } from '../../../src/protocol/neighbourhood/key-space.ts'
import { bytesOf } from '../fixtures.ts'

describe('density', () => {
  it('estimates the size of the network from the nearest peers', () => {
    const ids = Array.from({ length: 5000 }, (_, index) => bytesOf(`peer ${index}`))
    const own = bytesOf('own')
    const nearest = ids.toSorted((left, right) => distance(own, left) - distance(own, right)).slice(0, 40)
    expect(networkSize(own, nearest)).toBeGreaterThan(3000)
    expect(networkSize(own, nearest)).toBeLessThan(8000)
    expect(networkSize(own, [])).toBe(1)
    expect(networkSize(own, ids.slice(0, 1))).toBe(2)
    expect(networkSize(own, [own, own])).toBe(3)
  })

  it('measures XOR distance from 0 to below 1', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        (left, right) => {
          expect(distance(left, right)).toBe(distance(right, left))
          expect(distance(left, right)).toBeLessThan(1)
          expect(distance(left, left)).toBe(0)
        }
      ),
      { seed: 1 }
    )
    expect(distance(new Uint8Array(32), Uint8Array.from([0x80, ...new Uint8Array(31)]))).toBe(0.5)
  })

  it('reaches everybody in a network of k peers', () => {
    expect(radius(20, 5)).toBe(1)
    expect(radius(20, 2000)).toBe(0.01)
    expect(isWithin(bytesOf('a'), bytesOf('b'), 1)).toBe(true)
    expect(isWithin(bytesOf('a'), bytesOf('a'), 0.01)).toBe(true)
  })
})
