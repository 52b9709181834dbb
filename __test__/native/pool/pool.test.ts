import { bls12_381 } from '@noble/curves/bls12-381.js'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signDevPulse } from '../../../src/beacon/dev-beacon.ts'
import { addon } from '../../../src/native/addon.ts'
import { createNativePool } from '../../../src/native/pool/pool.ts'
import type { NativePool, ProofQuestion } from '../../../src/native/types.ts'
import { DEV_BEACON_CHAIN, builtInProfiles } from '../../../src/protocol/profile/built-in.ts'
import { keyPairFromSeed } from '../../../src/protocol/crypto/ed25519.ts'
import { judgeIdentity, judgeManifest } from '../../../src/protocol/identity/judge-documents.ts'
import { verifyIdentityLog } from '../../../src/protocol/identity/log.ts'
import { encodeIdentityRecord } from '../../../src/protocol/identity/record.ts'
import { buildGenesis, signIdentityDocument } from '../../../src/protocol/identity/document.ts'
import { encodeManifestRecord, signManifest } from '../../../src/protocol/identity/manifest.ts'
import { pulseMessage } from '../../../src/protocol/time.ts'
import { bytes, quicknetKey, recorded } from '../../beacon/quicknet.ts'

const DST = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'
const devKey = bytes(DEV_BEACON_CHAIN.public_key)

let pool: NativePool

beforeAll(() => {
  pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 3 })
})
afterAll(async () => {
  await pool.close()
})

/** The oracle: another implementation of the same scheme. Throws for what is not a point. */
function nobleVerifies(publicKey: Uint8Array, round: number, signature: Uint8Array): boolean {
  const { shortSignatures: bls } = bls12_381
  try {
    return bls.verify(signature, bls.hash(pulseMessage(round), DST), publicKey)
  } catch {
    return false
  }
}

describe('documents', () => {
  const profile = builtInProfiles.test
  const key = keyPairFromSeed(new Uint8Array(32).fill(3))
  const created = '2026-01-01T00:00:00Z'
  const genesis = signIdentityDocument(
    buildGenesis({ keys: [key.publicKey], updateKeys: [key.publicKey] }, profile),
    key,
    created,
    profile
  )
  const identity = encodeIdentityRecord({ log: verifyIdentityLog([genesis], profile) })
  const unsigned = {
    id: genesis.id,
    kid_version: 1,
    version: 1,
    capabilities: [],
    validFrom: created,
    validUntil: '2026-02-01T00:00:00Z'
  }
  const manifest = encodeManifestRecord(signManifest(unsigned, `${genesis.id}#key-1`, key.secretKey, created, profile))

  it('are judged on a thread as here', async () => {
    expect(await pool.judgeIdentity(identity, profile, 'unexpected')).toEqual(judgeIdentity(identity, profile))
    expect(await pool.judgeManifest(manifest, profile, 'unexpected')).toEqual(judgeManifest(manifest, profile))
    expect(await pool.judgeSpeaker(manifest, identity, profile, 'expected')).toEqual({ ok: true, value: true })
    expect(judgeIdentity(identity, profile)).toMatchObject({
      ok: true,
      value: { log: { did: genesis.id, versions: [{ signer: 'update' }] } }
    })
  })

  it('that break a rule are answers that name it, not errors', async () => {
    expect(await pool.judgeIdentity(identity.with(-1, 0), profile, 'own')).toMatchObject({ ok: false })
    expect(await pool.judgeIdentity(identity, builtInProfiles.local, 'own')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('proof.domain')
    })
    expect(await pool.judgeManifest(new Uint8Array([0x7b, 0x7d]), profile, 'own')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('missing')
    })
    const forged = encodeManifestRecord({
      ...signManifest(unsigned, `${genesis.id}#key-1`, key.secretKey, created, profile),
      version: 2
    })
    expect(await pool.judgeSpeaker(forged, identity, profile, 'own')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('does not verify')
    })
  })
})

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

  it('verifies a pulse once, and remembers the verdict', async () => {
    const native = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
    const [first, thousandth] = recorded
    const ask = (round: number, signature: Uint8Array) =>
      native.verifyPulse({ publicKey: quicknetKey, round, signature })
    expect(
      await Promise.all([ask(123, first!.signature), ask(123, first!.signature), ask(123, thousandth!.signature)])
    ).toEqual([true, true, false])
    // A closed pool has no threads: what it still answers comes from memory.
    await native.close()
    expect([await ask(123, first!.signature), await ask(123, thousandth!.signature)]).toEqual([true, false])
    await expect(ask(1000, thousandth!.signature)).rejects.toMatchObject({ code: 'POOL_CLOSED' })
    await expect(
      native.verifyPulse({ publicKey: devKey, round: 123, signature: first!.signature })
    ).rejects.toMatchObject({ code: 'POOL_CLOSED' })
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
    const questions = Array.from({ length: 60 }, (_, index) => ({
      publicKey: quicknetKey,
      round: 123,
      signature: recorded[index % 2]!.signature
    }))
    const verdicts = await Promise.all(questions.map((question) => pool.verifyPulse(question)))
    expect(verdicts).toEqual(questions.map((_, index) => index % 2 === 0))
  })
})

describe('proofs verified together', () => {
  const BITS = 256
  const ITERATIONS = 500
  /** Made by the addon in this thread, each in a class group of its own. */
  const questions: ProofQuestion[] = Array.from({ length: 30 }, (_, index) => {
    const seed = new Uint8Array(32).fill(index)
    const native = addon()
    const evaluation = new native.Evaluation(native.Discriminant.fromSeed(seed, BITS), null, ITERATIONS, null, 2 ** 20)
    while (evaluation.phase() !== 'done') evaluation.advance(10_000, new Uint32Array(1))
    return { seed, bits: BITS, iterations: ITERATIONS, split: null, proof: evaluation.proof()! }
  })
  const altered = (question: ProofQuestion, at: number): ProofQuestion => ({
    ...question,
    proof: question.proof.with(at, question.proof[at]! ^ 1)
  })

  it('get the verdicts that each gets alone, in their order', async () => {
    const mixed = questions.flatMap((question, index) => [
      question,
      altered(question, index * 6),
      { ...question, proof: questions[(index + 1) % 30]!.proof }
    ])
    const together = await pool.verifyProofs(mixed)
    expect(together).toEqual(mixed.map((_, index) => index % 3 === 0))
    const alone = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
    for (const [index, question] of mixed.entries()) expect(await alone.verifyProof(question)).toBe(together[index])
    await alone.close()
  })

  it('are not verified again when they are asked again, with the same verdicts', async () => {
    const native = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
    const asked = [...questions, ...questions.map((question) => altered(question, 150))]
    const first = await native.verifyProofs(asked)
    // A closed pool has no threads: what it still answers comes from memory.
    await native.close()
    expect(await native.verifyProofs(asked)).toEqual(first)
    await expect(native.verifyProof({ ...questions[0]!, iterations: ITERATIONS + 1 })).rejects.toMatchObject({
      code: 'POOL_CLOSED'
    })
  })

  it('take no verdict over to another size, number of squarings, split or seed', async () => {
    const [one, other] = [questions[0]!, questions[1]!]
    expect(await pool.verifyProof(one)).toBe(true)
    for (const changes of [{ bits: 264 }, { iterations: ITERATIONS - 1 }, { split: 450 }, { seed: other.seed }]) {
      expect(await pool.verifyProof({ ...one, ...changes })).toBe(false)
    }
  })

  it('fail with a code for what is not a question, and spoil no other', async () => {
    const invalid = [{ bits: 7 }, { bits: 2048 }, { seed: new Uint8Array(1) }, { iterations: 1.5 }, { iterations: -1 }]
    const failing = invalid.map((changes) =>
      expect(pool.verifyProof({ ...questions[2]!, ...changes })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    )
    const fine = questions.slice(3, 10).map((question) => pool.verifyProof({ ...question, iterations: ITERATIONS + 7 }))
    await Promise.all(failing)
    expect(await Promise.all(fine)).toEqual(fine.map(() => false))
  })

  it('are refused as a whole when there is no room for all of them', async () => {
    const many = Array.from({ length: 257 }, (_, index) => ({ ...questions[0]!, iterations: 1000 + index }))
    await expect(pool.verifyProofs(many, { urgency: 'unexpected' })).rejects.toMatchObject({ code: 'POOL_BUSY' })
  })

  it('end when nobody waits any more, and let the next question through', async () => {
    const single = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
    const abort = new AbortController()
    const big = Array.from({ length: 200 }, (_, index) => ({
      ...questions[0]!,
      bits: 1024,
      seed: new Uint8Array(32).fill(7).with(0, index)
    }))
    const asked = single.verifyProofs(big, { urgency: 'expected', signal: abort.signal })
    await single.verifyProof(questions[0]!)
    abort.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
    expect(await single.verifyProof(questions[1]!)).toBe(true)
    await single.close()
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
    abort.abort(new Error('changed my mind'))
    await expect(search).rejects.toThrow('changed my mind')
  })

  it('does not begin when aborted before', async () => {
    await expect(pool.searchStamp({ prefix: new Uint8Array(1), bits: 8, signal: AbortSignal.abort() })).rejects.toThrow(
      /abort/i
    )
  })

  it('fails with a code when more zero bits are asked for than a hash has', async () => {
    await expect(pool.searchStamp({ prefix: new Uint8Array(1), bits: 257 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT'
    })
  })
})

describe('the pool', () => {
  it('lets checks pass a search that takes one thread of one', async () => {
    const single = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
    const abort = new AbortController()
    const search = single
      .searchStamp({ prefix: new Uint8Array(8), bits: 200, signal: abort.signal })
      .catch((error: unknown) => error)
    expect(await single.verifyPulse({ publicKey: devKey, round: 1, signature: signDevPulse(1) })).toBe(true)
    abort.abort()
    await search
    await single.close()
  })

  it('measures what a proof takes', async () => {
    const measuring = createNativePool({ evaluationThreads: 1 })
    // a discriminant of four times the length takes far more
    expect(await measuring.measureProof(1024)).toBeGreaterThan(await measuring.measureProof(256))
    await measuring.close()
  })

  it('refuses everything once it is closed', async () => {
    const closed = createNativePool({ evaluationThreads: 1 })
    await closed.close()
    await expect(closed.measureRate(256, 1)).rejects.toMatchObject({ code: 'POOL_CLOSED' })
    const evaluation = { seed: new Uint8Array(32), discriminantBits: 256, iterations: 10, split: null }
    expect(await closed.evaluate(evaluation, { checkpointSeconds: 1 }, () => undefined).outcome).toMatchObject({
      kind: 'failed',
      code: 'POOL_CLOSED'
    })
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
