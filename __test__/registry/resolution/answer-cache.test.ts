import { getEventListeners } from 'node:events'
import { beforeEach, describe, expect, it } from 'vitest'
import { AnswerCache, type Answer } from '../../../src/registry/resolution/resolver.ts'
import { ManualClock, settle } from '../../time/manual-clock.ts'

const answer = (value: string): Answer<string> => ({ value, freshMs: 1_000, staleMs: 60_000 })

let clock: ManualClock
let reported: unknown[]
let cache: AnswerCache<string>

beforeEach(() => {
  clock = new ManualClock()
  reported = []
  cache = new AnswerCache(clock, (error) => reported.push(error))
})

describe('a signal that never ends', () => {
  it('keeps nothing of the answers that were waited for under it', async () => {
    const { signal } = new AbortController()
    await cache.get('a', () => Promise.resolve(answer('1')), signal)
    await cache.current('b', () => Promise.resolve(answer('2')), { signal })
    await expect(cache.get('c', () => Promise.reject(new Error('nobody')), signal)).rejects.toThrow('nobody')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('a stale answer', () => {
  let asked = 0
  const fail = (): Promise<Answer<string>> => {
    asked++
    return Promise.reject(new Error('nobody'))
  }

  beforeEach(async () => {
    asked = 0
    await cache.get('a', () => Promise.resolve(answer('1')))
    await clock.advance(2_000)
  })

  it('that many get at once reports one failure', async () => {
    const got = await Promise.all(Array.from({ length: 50 }, () => cache.get('a', fail)))
    await settle()
    expect(new Set(got)).toEqual(new Set(['1']))
    expect(asked).toBe(1)
    expect(reported).toHaveLength(1)
  })

  it('is not refreshed again for five seconds after a failure', async () => {
    for (let second = 0; second < 5; second++) {
      expect(await cache.get('a', fail)).toBe('1')
      await settle()
      await clock.advance(1_000)
    }
    expect(asked).toBe(1)
    await cache.get('a', () => Promise.resolve(answer('2')))
    await settle()
    expect(await cache.get('a', fail)).toBe('2')
    expect(reported).toHaveLength(1)
  })
})
