import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { waitForEnough, GRACE_MS } from '../../src/util/wait-for-enough.ts'

const LONG_MS = 10_000

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** What it comes to, and after how many milliseconds of the timers' time. */
async function timed<T>(work: Promise<T>): Promise<{ result: T; tookMs: number }> {
  const startedAt = Date.now()
  const timing = work.then((result) => ({ result, tookMs: Date.now() - startedAt }))
  await vi.advanceTimersByTimeAsync(10 * LONG_MS)
  return timing
}

describe('waitForEnough', () => {
  const after = <T>(milliseconds: number, value: T): Promise<T> =>
    new Promise((resolve) => setTimeout(() => resolve(value), milliseconds))

  it('takes in who comes within the second, and shows who does not as undefined', async () => {
    const { result, tookMs } = await timed(
      waitForEnough([after(10, 'a'), after(500, 'b'), after(5000, 'c')], (some) => some.includes('a'))
    )
    expect(result).toEqual(['a', 'b', undefined])
    expect(tookMs).toBe(10 + GRACE_MS)
  })

  it('rejects with what is rejected before, not after', async () => {
    const fails = async (milliseconds: number): Promise<string> =>
      after(milliseconds, '').then(() => Promise.reject(new Error('broken')))
    const failed = expect(waitForEnough([after(10, 'a'), fails(20)], () => true)).rejects.toThrow('broken')
    expect((await timed(waitForEnough([after(10, 'a'), fails(5000)], () => true))).result).toEqual(['a', undefined])
    await failed
  })

  it('of nobody is nothing', async () => {
    expect(await waitForEnough([], () => false)).toEqual([])
  })
})
