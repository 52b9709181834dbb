import { describe, expect, it, vi } from 'vitest'
import { proofCost } from '../../src/daemon/proof-cost.ts'
import { NativeError } from '../../src/native/types.ts'
import { CHECK_MS } from '../../src/network/budget/budget.ts'

const none = (message: string): never => expect.unreachable(message)

describe('what a proof costs', () => {
  it('is assumed until the pool has measured it', async () => {
    const { promise, resolve } = Promise.withResolvers<number>()
    const measureProof = vi.fn(() => promise)
    const cost = proofCost({ measureProof }, 1024, none)
    expect(measureProof).toHaveBeenCalledExactlyOnceWith(1024)
    expect(cost()).toBe(CHECK_MS.proof)
    resolve(114.5)
    await promise
    expect(cost()).toBe(114.5)
  })

  it('is never nothing', async () => {
    const measured = Promise.resolve(0)
    const cost = proofCost({ measureProof: () => measured }, 1024, none)
    await measured
    expect(cost()).toBe(2)
  })

  it.each([
    [new Error('out of memory'), ['what a proof takes could not be measured: out of memory']],
    // A start that fails for another reason closes it.
    [new NativeError('POOL_CLOSED', 'closed'), []]
  ])('stays assumed where the pool fails (%s)', async (error, expected) => {
    const warnings: string[] = []
    const failed = Promise.reject(error)
    const cost = proofCost({ measureProof: () => failed }, 1024, (message) => warnings.push(message))
    await failed.catch(() => undefined)
    expect(cost()).toBe(CHECK_MS.proof)
    expect(warnings).toEqual(expected)
  })
})
