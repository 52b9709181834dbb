import { describe, expect, it } from 'vitest'
import { KeyedMutex } from '../../src/util/keyed-mutex.ts'

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
