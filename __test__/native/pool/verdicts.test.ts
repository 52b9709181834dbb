import { describe, expect, it } from 'vitest'
import type { Ticket } from '../../../src/native/pool/scheduler.ts'
import type { Urgency } from '../../../src/native/types.ts'
import { Verdicts } from '../../../src/native/pool/verdicts.ts'

/** Verdicts whose computations the test ends. */
function model(limits = { valid: 100, invalid: 100 }) {
  const verdicts = new Verdicts(limits)
  const begun: {
    key: string
    urgency: Urgency
    abandoned: boolean
    resolve(verdict: boolean): void
    reject(error: Error): void
  }[] = []
  const ask = (key: string, options: { urgency?: Urgency; signal?: AbortSignal } = {}): Promise<boolean> =>
    verdicts.ask(key, options, (urgency): Ticket<boolean> => {
      const { promise, resolve, reject } = Promise.withResolvers<boolean>()
      const each = { key, urgency, abandoned: false, resolve, reject }
      begun.push(each)
      return {
        result: promise,
        hurry: (next) => {
          each.urgency = next
        },
        abandon: () => {
          each.abandoned = true
          reject(new Error('taken back'))
        }
      }
    })
  /** Asks and answers at once. */
  const know = async (key: string, verdict: boolean): Promise<number> => {
    const before = begun.length
    const asked = ask(key)
    if (begun.length > before) begun.at(-1)!.resolve(verdict)
    expect(await asked).toBe(verdict)
    return begun.length - before
  }
  return { ask, know, begun }
}

describe('a verdict', () => {
  it('is computed once, whether it is true or false', async () => {
    const { know } = model()
    expect([await know('yes', true), await know('no', false)]).toEqual([1, 1])
    expect([await know('yes', true), await know('no', false)]).toEqual([0, 0])
  })

  it('under way is shared by all who ask', async () => {
    const { ask, begun } = model()
    const asked = Array.from({ length: 10 }, () => ask('same'))
    expect(begun).toHaveLength(1)
    begun[0]!.resolve(true)
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 10 }, () => true))
  })

  it('that could not be reached is not remembered', async () => {
    const { ask, know, begun } = model()
    const [one, other] = [ask('key'), ask('key')]
    begun[0]!.reject(new Error('KERNEL_FAULT'))
    await expect(one).rejects.toThrow('KERNEL_FAULT')
    await expect(other).rejects.toThrow('KERNEL_FAULT')
    expect(await know('key', true)).toBe(1)
  })

  it('that is true outlives a flood of false ones', async () => {
    const { know } = model({ valid: 2, invalid: 2 })
    await know('a', true)
    await know('b', true)
    for (let garbage = 0; garbage < 1000; garbage++) await know(`garbage ${garbage}`, false)
    expect([await know('a', true), await know('b', true)]).toEqual([0, 0])
  })

  it('is forgotten when it was used longest ago and there is no more room', async () => {
    for (const verdict of [true, false]) {
      const { know } = model({ valid: 2, invalid: 2 })
      await know('a', verdict)
      await know('b', verdict)
      await know('a', verdict)
      await know('c', verdict)
      expect([await know('a', verdict), await know('c', verdict), await know('b', verdict)]).toEqual([0, 0, 1])
    }
  })

  it('is asked for as urgently as the most urgent of those who wait', async () => {
    const { ask, begun } = model()
    const asked = [ask('key', { urgency: 'expected' }), ask('key', { urgency: 'unexpected' })]
    expect(begun[0]!.urgency).toBe('expected')
    asked.push(ask('key'))
    expect(begun[0]!.urgency).toBe('own')
    begun[0]!.resolve(true)
    await Promise.all(asked)
  })
})

describe('an aborted question', () => {
  it('rejects with the signal\u2019s reason and goes on for those who still wait', async () => {
    const { ask, begun } = model()
    const [first, second] = [new AbortController(), new AbortController()]
    const [one, other] = [ask('key', { signal: first.signal }), ask('key', { signal: second.signal })]
    first.abort(new Error('enough'))
    await expect(one).rejects.toThrow('enough')
    expect(begun[0]!.abandoned).toBe(false)
    begun[0]!.resolve(true)
    expect(await other).toBe(true)
  })

  it('is withdrawn when nobody else waits, and requested again by the next', async () => {
    const { ask, know, begun } = model()
    const abort = new AbortController()
    const asked = ask('key', { signal: abort.signal })
    abort.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
    expect(begun[0]!.abandoned).toBe(true)
    expect(await know('key', true)).toBe(1)
  })

  it('is not asked at all when it was aborted before', async () => {
    const { ask, begun } = model()
    await expect(ask('key', { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
    expect(begun).toEqual([])
  })
})
