import { beforeEach, describe, expect, it } from 'vitest'
import { ConcurrencyLimit, forEachConcurrently, KeyedMutex, SharedWork } from '../../src/util/concurrency.ts'

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

describe('shared work', () => {
  const begun: AbortSignal[] = []
  let done: ((value: number) => void)[] = []
  const work = (signal: AbortSignal): Promise<number> => {
    begun.push(signal)
    return new Promise((resolve, reject) => {
      done.push(resolve)
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
  }
  beforeEach(() => {
    begun.length = 0
    done = []
  })

  it('runs once for all who ask meanwhile, and again for who asks later', async () => {
    const shared = new SharedWork<number>()
    const both = Promise.all([shared.run('a', work), shared.run('a', work)])
    const other = shared.run('b', work)
    expect(begun).toHaveLength(2)
    done[0]!(1)
    done[1]!(2)
    expect([await both, await other]).toEqual([[1, 1], 2])
    const later = shared.run('a', work)
    done[2]!(3)
    expect(await later).toBe(3)
  })

  it('goes on while one caller waits, and ends once all have left', async () => {
    const shared = new SharedWork<number>()
    const [first, second] = [new AbortController(), new AbortController()]
    const running = [first, second].map(({ signal }) => shared.run('a', work, signal))
    first.abort(new Error('the first left'))
    await expect(running[0]).rejects.toThrow('the first left')
    expect(begun[0]!.aborted).toBe(false)
    const third = shared.run('a', work)
    expect(begun).toHaveLength(1)
    second.abort(new Error('so did the second'))
    await expect(running[1]).rejects.toThrow('so did the second')
    done[0]!(1)
    expect(await third).toBe(1)
    const last = new AbortController()
    const alone = shared.run('a', work, last.signal)
    last.abort(new Error('nobody is left'))
    await expect(alone).rejects.toThrow('nobody is left')
    expect(begun[1]!.aborted).toBe(true)
    await expect(shared.run('a', () => Promise.reject(new Error('it failed')))).rejects.toThrow('it failed')
  })
})
