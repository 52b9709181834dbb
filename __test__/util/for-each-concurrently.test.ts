import { describe, expect, it } from 'vitest'
import { forEachConcurrently } from '../../src/util/for-each-concurrently.ts'

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
