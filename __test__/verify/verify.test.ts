import { describe, expect, it } from 'vitest'
import { fromHex, toBase64, toHex } from '../../src/protocol/encoding/bytes.ts'
import { keyPairFromSeed } from '../../src/protocol/crypto/ed25519.ts'
import { decodeReveal, encodeReveal, signReveal, type Reveal } from '../../src/protocol/claim/reveal.ts'
import { encodeReceipt, signReceipt } from '../../src/protocol/claim/commitment.ts'
import { parseProfile, profileHash } from '../../src/protocol/profile/profile.ts'
import { bigintEngine } from '../../src/verify/verification.ts'
import { nativeEngine } from '../../src/verify/native-engine.ts'
import { createVerifier } from '../../src/verify/verifier.ts'
import * as inNode from '../../src/verify/node.ts'
import hashes from '../vectors/chronym/hashes.json' with { type: 'json' }
import identities from '../vectors/chronym/identities.json' with { type: 'json' }
import reveals from '../vectors/chronym/reveals.json' with { type: 'json' }
import quicknet from '../vectors/quicknet-pulses.json' with { type: 'json' }
import { draws } from '../vdf/draws.ts'

const engines = [nativeEngine()!, bigintEngine]
const first = reveals[0]!
const profile = JSON.parse(first.profile) as Record<string, unknown>
const reveal = decodeReveal(fromHex(first.cbor))
const owner = keyPairFromSeed(fromHex(hashes.keys.owner.seed))
const json = ({ pubkey, vdf_proof, signature, payload, ...rest }: Reveal) => ({
  ...rest,
  pubkey: toBase64(pubkey),
  vdf_proof: toBase64(vdf_proof),
  signature: toBase64(signature),
  payload: toBase64(payload)
})

describe.each(engines)('chronym/verify, engine $backend', (engine) => {
  const { verifyReveal, verifyZone, verifyIdentity, verifyManifest, verifyReceipt, verifyPulse } =
    createVerifier(engine)

  it.each(reveals)('accepts the Reveal of the vectors: $title', async ({ profile: text, cbor, serial }) => {
    const given = decodeReveal(fromHex(cbor))
    const result = await verifyReveal(json(given), {
      profile: JSON.parse(text) as Record<string, unknown>,
      name: given.name
    })
    expect(result).toMatchObject({ valid: true, backend: engine.backend, value: { name: given.name, serial } })
    expect(result.checks.map(({ passed }) => passed)).toEqual(result.checks.map(() => true))
  })

  it('says which check failed, what passed before it and what was not reached', async () => {
    const { publicKey, secretKey } = owner
    const signed = (change: Partial<Reveal>) =>
      signReveal({ ...reveal, ...change }, { publicKey, secretKey }, profileHash(parseProfile(profile)))
    const proof = Uint8Array.from(reveal.vdf_proof)
    // in y: {pulse: 48 bytes, proof: ...}
    proof[proof.length - 150]! ^= 1
    const cases: readonly (readonly [string, Reveal])[] = [
      ['canonical', { ...reveal, vdf_proof: new Uint8Array(9) }],
      ['name', { ...reveal, name: 'ALICE.chronym' }],
      ['iterations', { ...reveal, iterations: 7 }],
      ['signature', { ...reveal, payload: new Uint8Array(3) }],
      ['pulse', signed({ drand_pulse: 1001 })],
      ['proof', signed({ vdf_proof: proof })]
    ]
    for (const [rule, bad] of cases) {
      const { valid, problem, checks, value } = await verifyReveal(encodeReveal(bad), { profile })
      expect([valid, problem?.rule, value]).toEqual([false, rule, undefined])
      const failing = checks.findIndex((check) => check.rule === rule)
      expect(checks.map(({ passed }) => passed)).toEqual(
        checks.map((_, index) => (index < failing ? true : index === failing ? false : null))
      )
      expect(checks[failing]!.detail).toBe(problem!.detail)
    }
  })

  it('takes the name with a check code, and tells the claim from another by it, before the slow checks', async () => {
    const code = '0jyapnceq7hqhdxx83428m61tg'
    const bare = await verifyReveal(json(reveal), { profile, name: 'alice.chronym' })
    expect(bare.value?.checkCode).toBe(code)
    expect(bare.checks.find(({ rule }) => rule === 'code')?.detail).toBe(`none was given to compare; it is ${code}`)
    for (const given of [code, code.slice(0, 6)]) {
      const { valid, checks } = await verifyReveal(json(reveal), { profile, name: `alice--${given}.chronym` })
      expect([valid, checks.find(({ rule }) => rule === 'code')?.detail]).toEqual([true, code])
    }
    // A code beside the record counts for nothing.
    const lying = { ...json(reveal), check_code: 'zzzzzz'.padEnd(26, 'z') }
    const other = await verifyReveal(lying, { profile, name: 'alice--zzzzzz.chronym' })
    expect(other.problem).toEqual({
      rule: 'code',
      detail: `it is ${code.slice(0, 6)}, not zzzzzz: this is another claim`
    })
    expect(other.checks.filter(({ passed }) => passed === null).map(({ rule }) => rule)).toEqual(['pulse', 'proof'])
    for (const none of ['alice--short.chronym', `bob--${code}.chronym`, 'alice'])
      expect((await verifyReveal(json(reveal), { profile, name: none })).problem?.rule).toBe('asked')
  })

  it('refuses another name than the one asked for, and bytes that are no Reveal', async () => {
    const other = await verifyReveal(json(reveal), { profile, name: 'bob.chronym' })
    expect(other.problem).toEqual({ rule: 'asked', detail: 'it is of "alice.chronym", not of "bob.chronym"' })
    const asTheDaemon = { ...json(reveal), pubkey: [...reveal.pubkey] }
    expect((await verifyReveal(asTheDaemon, { profile })).valid).toBe(true)
    const wide = { ...asTheDaemon, pubkey: [...reveal.pubkey.subarray(1), 256] }
    for (const input of [new Uint8Array(5), {}, null, wide, { ...json(reveal), pubkey: 'ä' }])
      expect((await verifyReveal(input as Uint8Array, { profile })).problem?.rule).toBe('encoding')
  })

  it('reports each pulse and proof before it, and stops when it is told to', async () => {
    const chain = reveals.find(({ title }) => title.includes('renewals'))!
    const seen: string[] = []
    const stop = new AbortController()
    const run = verifyReveal(fromHex(chain.cbor), {
      profile: JSON.parse(chain.profile) as Record<string, unknown>,
      onProgress: ({ rule, done, of }) => {
        seen.push(`${rule} ${done + 1}/${of}`)
        if (seen.length === 4) stop.abort(new Error('enough'))
      },
      signal: stop.signal
    })
    await expect(run).rejects.toThrow('enough')
    expect(seen).toEqual(['pulse 1/3', 'pulse 2/3', 'pulse 3/3', 'proof 1/3'])
  })

  it('judges zones', async () => {
    const zone = { records: { '@': [{ type: 'A', value: '192.0.2.1' }] } }
    expect(await verifyZone(zone, { profile })).toMatchObject({ valid: true, checks: [{ detail: '1 records' }] })
    expect(await verifyZone(reveal.payload, { profile })).toMatchObject({ valid: true })
    const bad = await verifyZone({ records: { '@': [{ type: 'A', value: '1.2.3' }] } }, { profile })
    expect(bad.problem?.detail).toContain('records/@/0/value')
  })

  it('judges identities', async () => {
    const log = identities.versions.map(({ document }) => document)
    const options = { profile: 'local' as const }
    const good = await verifyIdentity({ versions: log }, { ...options, did: identities.did })
    expect(good).toMatchObject({ valid: true, value: { did: identities.did, versions: log.length } })
    expect((await verifyIdentity(fromHex(identities.record), options)).valid).toBe(true)
    expect((await verifyIdentity(log.slice(1), options)).problem?.rule).toBe('log')
    expect((await verifyIdentity([], options)).problem?.rule).toBe('log')
    expect((await verifyIdentity(log, { ...options, did: 'did:chronym:zOther' })).problem?.rule).toBe('asked')
  })

  it('judges manifests', async () => {
    const log = identities.versions.slice(0, 2).map(({ document }) => document)
    const manifest = identities.manifest
    const options = { profile: 'local' as const, log }
    expect(await verifyManifest(manifest, options)).toMatchObject({ valid: true, value: manifest })
    expect((await verifyManifest({ ...manifest, version: 9 }, options)).problem?.rule).toBe('proof')
    for (const none of [{}, null, undefined, { id: 1n }])
      expect((await verifyManifest(none as object, options)).problem?.rule).toBe('manifest')
    const log3 = identities.versions.map(({ document }) => document)
    expect((await verifyManifest(manifest, { ...options, log: log3 })).problem?.detail).toContain('deactivated')
    expect((await verifyManifest(manifest, { ...options, log: [] })).problem?.rule).toBe('log')
    const at = Date.parse(manifest.validUntil) + 1
    expect((await verifyManifest(manifest, { ...options, at })).problem?.rule).toBe('current')
  })

  it('judges receipts', async () => {
    const commitment = new Uint8Array(32).fill(3)
    const receipt = signReceipt(commitment, 9, owner, profileHash(parseProfile(profile)))
    const good = await verifyReceipt(toBase64(encodeReceipt(receipt)), { profile, commitment: toHex(commitment) })
    expect(good).toMatchObject({ valid: true, value: { seenRound: 9, commitment: toHex(commitment) } })
    const bytes = encodeReceipt({ ...receipt, seen: 8 })
    expect((await verifyReceipt(bytes, { profile })).problem?.rule).toBe('signature')
    expect((await verifyReceipt(new Uint8Array(3), { profile })).problem?.rule).toBe('encoding')
    const other = await verifyReceipt(encodeReceipt(receipt), { profile, commitment: new Uint8Array(32) })
    expect(other.problem?.rule).toBe('asked')
  })

  it('judges pulses of drand quicknet', async () => {
    for (const { round, signature, randomness } of quicknet.pulses) {
      expect(await verifyPulse({ round, signature }, { profile: 'main' })).toMatchObject({
        valid: true,
        value: randomness
      })
      expect((await verifyPulse({ round: round + 1, signature }, { profile: 'main' })).problem?.rule).toBe('pulse')
    }
    expect((await verifyPulse({ round: 0, signature: 'AA' }, { profile: 'main' })).problem?.rule).toBe('encoding')
  })

  it('throws for a profile that is none', async () => {
    await expect(verifyZone({ records: {} }, { profile: {} })).rejects.toThrow(inNode.ProfileError)
  })
})

describe('pulses on both engines', () => {
  it('have one verdict, also where bytes are no point, of no subgroup or not canonical', () => {
    const chain = fromHex(quicknet.public_key)
    const [pulse] = quicknet.pulses
    const { round } = pulse!
    const good = fromHex(pulse!.signature)
    const draw = draws(6)
    const infinity = new Uint8Array(48)
    infinity[0] = 0xc0
    const flagged = [0x00, 0x20, 0x40, 0x60, 0xa0, 0xc0, 0xe0].map((flags) =>
      Uint8Array.from(good, (byte, index) => (index === 0 ? (byte & 0x1f) | flags : byte))
    )
    // x = p, which is 0 written otherwise
    const beyond = fromHex(
      '9a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab'
    )
    const drawn = Array.from({ length: 12 }, () => {
      const bytes = draw.bytes(48)
      return Uint8Array.from(bytes, (byte, index) => (index === 0 ? ((byte & 0x3f) % 0x1a) | 0x80 : byte))
    })
    for (const signature of [good, infinity, beyond, ...flagged, ...drawn, good.subarray(1)]) {
      const [native, portable] = engines.map((engine) => engine.verifyPulse(chain, round, signature))
      expect([toHex(signature), portable]).toEqual([toHex(signature), native])
    }
    expect(engines.map((engine) => engine.verifyPulse(chain, round, good))).toEqual([true, true])
  })
})

describe('chronym/verify in Node', () => {
  it("uses the addon, and has BigInt's second opinion", async () => {
    expect([inNode.backend, inNode.portable.backend]).toEqual(['native', 'bigint'])
    expect((await inNode.portable.verifyReveal(json(reveal), { profile })).valid).toBe(true)
  })
})
