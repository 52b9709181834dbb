import { describe, expect, it } from 'vitest'
import { ConcurrencyLimit, forEachConcurrently, KeyedMutex } from '../../src/util/concurrency.ts'

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

describe('a mutex by key', () => {
  it('runs actions of one key in order, though one fails, and others beside them', async () => {
    const mutex = new KeyedMutex()
    const order: string[] = []
    const gate = Promise.withResolvers<undefined>()
    const first = mutex.run('a', async () => {
      await gate.promise
      order.push('a1')
      throw new Error('a1 failed')
    })
    const second = mutex.run('a', () => Promise.resolve(order.push('a2')))
    await mutex.run('b', () => Promise.resolve(order.push('b1')))
    gate.resolve(undefined)
    await expect(first).rejects.toThrow('a1 failed')
    await second
    expect(order).toEqual(['b1', 'a1', 'a2'])
  })
})

describe('forEachConcurrently', () => {
  it('works on no more than the given number at a time, and on each once', async () => {
    const done: number[] = []
    let working = 0
    let most = 0
    await forEachConcurrently([1, 2, 3, 4, 5], 2, async (item) => {
      most = Math.max(most, ++working)
      await Promise.resolve()
      working--
      done.push(item)
    })
    expect([most, done]).toEqual([2, [1, 2, 3, 4, 5]])
  })

  it('rejects with the first error, after which that worker begins nothing more', async () => {
    const begun: number[] = []
    const work = forEachConcurrently([1, 2, 3], 1, async (item) => {
      begun.push(item)
      await Promise.reject(new Error(`no ${item}`))
    })
    await expect(work).rejects.toThrow('no 1')
    expect(begun).toEqual([1])
  })
})
