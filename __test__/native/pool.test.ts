import { bls12_381 } from '@noble/curves/bls12-381.js'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signDevPulse } from '../../src/beacon/dev-beacon.ts'
import { createNativePool } from '../../src/native/pool.ts'
import type { NativePool } from '../../src/native/types.ts'
import { DEV_BEACON_CHAIN } from '../../src/protocol/dev-beacon.ts'
import { pulseMessage } from '../../src/protocol/pulse.ts'
import { bytes, quicknetKey, recorded } from '../beacon/quicknet.ts'

const DST = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'
const devKey = bytes(DEV_BEACON_CHAIN.public_key)

let pool: NativePool

beforeAll(() => {
  pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 3 })
})
afterAll(async () => {
  await pool.close()
})

/** The oracle: another implementation of the same scheme. Throws for what is no point. */
function nobleVerifies(publicKey: Uint8Array, round: number, signature: Uint8Array): boolean {
  const { shortSignatures: bls } = bls12_381
  try {
    return bls.verify(signature, bls.hash(pulseMessage(round), DST), publicKey)
  } catch {
    return false
  }
}

describe('pulse verification', () => {
  it('agrees with noble on real, made, altered and mixed-up pulses', async () => {
    const [first, thousandth] = recorded
    const altered = first!.signature.slice()
    altered[20]! ^= 4
    const negated = first!.signature.slice()
    negated[0]! ^= 0x20
    const infinity = new Uint8Array(48)
    infinity[0] = 0xc0
    const cases: [publicKey: Uint8Array, round: number, signature: Uint8Array, expected: boolean][] = [
      [quicknetKey, 123, first!.signature, true],
      [quicknetKey, 1000, thousandth!.signature, true],
      [devKey, 1, signDevPulse(1), true],
      [devKey, 2 ** 40, signDevPulse(2 ** 40), true],
      [quicknetKey, 124, first!.signature, false],
      [quicknetKey, 123, thousandth!.signature, false],
      [devKey, 123, first!.signature, false],
      [quicknetKey, 123, altered, false],
      [quicknetKey, 123, negated, false],
      [quicknetKey, 123, infinity, false],
      [quicknetKey, 123, first!.signature.subarray(0, 47), false]
    ]
    for (const [publicKey, round, signature, expected] of cases) {
      expect(nobleVerifies(publicKey, round, signature)).toBe(expected)
      expect(await pool.verifyPulse({ publicKey, round, signature })).toBe(expected)
    }
  })

  it('fails with a code for a key that is none', async () => {
    const question = { publicKey: new Uint8Array(96), round: 1, signature: recorded[0]!.signature }
    await expect(pool.verifyPulse(question)).rejects.toMatchObject({ name: 'NativeError', code: 'INVALID_ARGUMENT' })
  })

  it('fails with a code for a round that is none', async () => {
    const question = { publicKey: devKey, round: 1.5, signature: signDevPulse(1) }
    await expect(pool.verifyPulse(question)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('runs the addon in several workers at once', async () => {
    const questions = Array.from({ length: 60 }, (_, index) => ({ publicKey: quicknetKey, round: 123, signature: recorded[index % 2]!.signature }))
    const verdicts = await Promise.all(questions.map((question) => pool.verifyPulse(question)))
    expect(verdicts).toEqual(questions.map((_, index) => index % 2 === 0))
  })
})

describe('stamp search', () => {
  it('finds the first nonce that gives the zero bits', async () => {
    const prefix = Buffer.from('a commitment with its domain')
    const nonce = await pool.searchStamp({ prefix, bits: 14 })
    expect(nonce).toHaveLength(8)
    const first = Buffer.from(nonce).readBigUInt64BE()
    for (let tried = 0n; tried <= first; tried += 1n) {
      const hash = createHash('sha256')
      const counter = Buffer.alloc(8)
      counter.writeBigUInt64BE(tried)
      expect(hash.update(prefix).update(counter).digest().readUInt32BE() >>> 18 === 0).toBe(tried === first)
    }
  })

  it('stops when aborted, with the signal\u2019s reason', async () => {
    const abort = new AbortController()
    const search = pool.searchStamp({ prefix: new Uint8Array(84), bits: 200, signal: abort.signal })
    // A verdict that comes back shows that the threads are up and the search shares them.
    await pool.verifyPulse({ publicKey: devKey, round: 1, signature: signDevPulse(1) })
    const abortedAt = performance.now()
    abort.abort(new Error('changed my mind'))
    await expect(search).rejects.toThrow('changed my mind')
    expect(performance.now() - abortedAt).toBeLessThan(200)
  })

  it('does not begin when aborted before', async () => {
    await expect(pool.searchStamp({ prefix: new Uint8Array(1), bits: 8, signal: AbortSignal.abort() })).rejects.toThrow(/abort/i)
  })

  it('fails with a code when more zero bits are asked for than a hash has', async () => {
    await expect(pool.searchStamp({ prefix: new Uint8Array(1), bits: 257 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})

describe('the pool', () => {
  it('lets checks pass a search that takes one thread of one', async () => {
    const single = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
    const abort = new AbortController()
    const search = single.searchStamp({ prefix: new Uint8Array(8), bits: 200, signal: abort.signal }).catch((error: unknown) => error)
    expect(await single.verifyPulse({ publicKey: devKey, round: 1, signature: signDevPulse(1) })).toBe(true)
    abort.abort()
    await search
    await single.close()
  })

  it('refuses everything once it is closed', async () => {
    const closed = createNativePool({ evaluationThreads: 1 })
    await closed.close()
    await expect(closed.discriminant(new Uint8Array(32), 256)).rejects.toMatchObject({ code: 'POOL_CLOSED' })
    const request = { seed: new Uint8Array(32), bits: 256, iterations: 10, split: null, checkpointSeconds: 1 }
    expect(await closed.evaluate(request, () => undefined).outcome).toMatchObject({ kind: 'failed', code: 'POOL_CLOSED' })
  })

  it('ends a search under way as closed', async () => {
    const closing = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
    const search = closing.searchStamp({ prefix: new Uint8Array(8), bits: 200 })
    const refused = expect(search).rejects.toMatchObject({ code: 'POOL_CLOSED' })
    await closing.verifyPulse({ publicKey: devKey, round: 1, signature: signDevPulse(1) })
    await closing.close()
    await refused
  })
})
