/** The pool where no addon loads: it checks, and says that it evaluates nothing. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createNativePool } from '../../../src/native/pool/pool.ts'
import type { NativePool } from '../../../src/native/types.ts'
import { stampHolds, stampPrefix } from '../../../src/protocol/crypto/domain.ts'
import { fromHex } from '../../../src/protocol/encoding/bytes.ts'
import { decodeReveal } from '../../../src/protocol/claim/reveal.ts'
import { validateReveal } from '../../../src/protocol/claim/valid.ts'
import { parseProfile } from '../../../src/protocol/profile/profile.ts'
import reveals from '../../vectors/chronym/reveals.json' with { type: 'json' }
import quicknet from '../../vectors/quicknet-pulses.json' with { type: 'json' }

let pool: NativePool

beforeAll(() => {
  // its threads inherit the environment
  vi.stubEnv('CHRONYM_VDF_BACKEND', 'bigint')
  pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
})
afterAll(async () => {
  await pool.close()
  vi.unstubAllEnvs()
})

describe('a pool without an addon', () => {
  it('says why', () => expect(pool.missingAddon).toContain('CHRONYM_VDF_BACKEND=bigint'))

  it('verifies Reveals, with their proofs and pulses', async () => {
    const [{ profile: json, cbor }] = reveals as [(typeof reveals)[number]]
    const profile = parseProfile(JSON.parse(json))
    const publicKey = fromHex(profile.beacon.public_key)
    const checkers = {
      verifyPulse: (pulse: { round: number; signature: Uint8Array }) => pool.verifyPulse({ publicKey, ...pulse }),
      verifyProof: (question: Parameters<NativePool['verifyProof']>[0]) => pool.verifyProof(question)
    }
    const reveal = decodeReveal(fromHex(cbor))
    expect(await validateReveal(reveal, profile, checkers)).toMatchObject({ ok: true })
  })

  it('finds stamps', async () => {
    const subject = new Uint8Array(32).fill(4)
    const hash = new Uint8Array(32)
    const nonce = await pool.searchStamp({ prefix: stampPrefix(subject, hash), bits: 8 })
    expect(stampHolds(subject, nonce, 8, hash)).toBe(true)
  })

  it('refuses a pulse of another round', async () => {
    const [{ round, signature }] = quicknet.pulses as [(typeof quicknet.pulses)[number]]
    const question = { publicKey: fromHex(quicknet.public_key), round, signature: fromHex(signature) }
    expect(await pool.verifyPulse(question)).toBe(true)
    expect(await pool.verifyPulse({ ...question, round: round + 1 })).toBe(false)
  })

  it('measures what a proof takes', async () => {
    expect(await pool.measureProof(256)).toBeGreaterThan(0)
  })

  it('evaluates nothing and measures no rate: the failure says so', async () => {
    const { outcome } = pool.evaluate(
      { seed: new Uint8Array(32), discriminantBits: 256, iterations: 100, split: null },
      { checkpointSeconds: 10 },
      () => undefined
    )
    expect(await outcome).toMatchObject({ kind: 'failed', code: 'ADDON_MISSING', message: pool.missingAddon })
    await expect(pool.measureRate(256, 1)).rejects.toMatchObject({ code: 'ADDON_MISSING' })
  })
})
