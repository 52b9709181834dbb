/**
 * Attacks on names, keys, signatures and proofs, each under the name that docs/protocol/ gives it. The kernel is the
 * real one.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { signDevPulse } from '../../../src/beacon/dev-beacon.ts'
import { addon } from '../../../src/native/addon.ts'
import { fromHex, toHex, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { commitmentHash } from '../../../src/protocol/claim/commitment.ts'
import { parseName } from '../../../src/protocol/name/names.ts'
import { parseProfile, profileHash } from '../../../src/protocol/profile/profile.ts'
import { pulseRandomness } from '../../../src/protocol/time.ts'
import { decodeReveal, linksOf, signReveal, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import {
  decodeVdfProof,
  encodeVdfProof,
  MAX_VDF_PROOF_BYTES,
  type Link,
  vdfSeed
} from '../../../src/protocol/claim/proof.ts'
import { encodeStub, MAX_STUB_BYTES, stubOf } from '../../../src/protocol/admission/holder.ts'
import { validateReveal } from '../../../src/protocol/claim/valid.ts'
import { keyOf, LOCAL, makeReveal, modelCheckers, modelPulse, seedOf, TEST } from '../../protocol/fixtures.ts'
import { realCheckers } from '../../protocol/real-checkers.ts'
import { load, type Vector } from '../../vdf/chiavdf.ts'
import reveals from '../../vectors/chronym/reveals.json' with { type: 'json' }

const kernel = addon()

async function ruleOf(reveal: Reveal, profile = LOCAL, checkers = modelCheckers(profile)): Promise<string> {
  const verdict = await validateReveal(reveal, profile, checkers)
  return verdict.ok ? 'ok' : verdict.rule
}

/** Signed again: the rules behind the signature must hold by themselves. */
function resigned(reveal: Reveal, change: Partial<Reveal>, owner = 'alice', profile = LOCAL): Reveal {
  return signReveal({ ...reveal, ...change }, keyOf(owner), profileHash(profile))
}

describe('a record of another network', () => {
  it('[a record carried into another network] has no valid signature, seed, claim or stamp here', async () => {
    const reveal = makeReveal()
    expect(await ruleOf(reveal, TEST)).toBe('signature')
    expect(
      await ruleOf(resigned(reveal, {}, 'alice', TEST), TEST, {
        ...modelCheckers(TEST),
        verifyPulse: () => Promise.resolve(true)
      })
    ).toBe('proof')
    expect(commitmentHash('alice.chronym', reveal.pubkey, seedOf(1), profileHash(LOCAL))).not.toEqual(
      commitmentHash('alice.chronym', reveal.pubkey, seedOf(1), profileHash(TEST))
    )
  })
})

describe('names and keys', () => {
  it('[Unicode tables differ between versions] so validity asks none: a code point of tomorrow is valid', () => {
    // U+0378 is not assigned in any version so far; "xn--ova" is its punycode.
    expect(parseName('xn--ova.chronym', LOCAL)).toBe('xn--ova.chronym')
    const rules = ['name/names.ts', 'claim/valid.ts']
      .map((file) => readFileSync(new URL(`../../../src/protocol/${file}`, import.meta.url), 'utf8'))
      .join('\n')
    expect(rules).not.toMatch(/\\p\{|normalize\(|toLowerCase|toUpperCase|localeCompare|Intl\.|domainToASCII/)
  })

  it("[owners' names can't be linked] shares nothing between two records", () => {
    const records = [makeReveal(), makeReveal({ name: 'bob.chronym', owner: 'bob', salt: 'other', p: 2000 })]
    const [one, other] = records.map((reveal) =>
      [reveal.pubkey, reveal.signature, ...linksOf(reveal).flatMap(({ salt, proof }) => [salt, proof])].map(toHex)
    )
    expect(one!.filter((value) => other!.includes(value))).toEqual([])
  })
})

describe('proofs', () => {
  const profile = parseProfile({
    ...LOCAL,
    id: 'split',
    difficulty: { base: 2_000, by_length: [{ from: 1, factor: 1 }] },
    two_segment_from: 1_000
  })
  const name = parseName('alice.chronym', profile)
  const hash = profileHash(profile)
  const key = keyOf('alice')

  function proved(split: number | null): Link {
    const [p, salt, iterations] = [1000, seedOf(3), 2_000]
    const pulse = signDevPulse(p)
    const seed = vdfSeed(
      { commitment: commitmentHash(name, key.publicKey, salt, hash), round: p, randomness: pulseRandomness(pulse) },
      hash
    )
    const evaluation = new kernel.Evaluation(
      kernel.Discriminant.fromSeed(seed, profile.discriminant_bits),
      null,
      iterations,
      split,
      2 ** 24
    )
    const stop = new Uint32Array(new SharedArrayBuffer(4))
    while (evaluation.phase() !== 'done') evaluation.advance(10_000, stop)
    const proof = evaluation.proof()!
    expect(
      kernel.verifyProof(
        kernel.Discriminant.fromSeed(seed, profile.discriminant_bits),
        null,
        iterations,
        proof,
        split === null ? 0 : 1
      ),
      'the kernel takes it'
    ).toBe(true)
    return { p, salt, iterations, pulse, proof }
  }

  function revealOf({ p, iterations, ...parts }: Link): Reveal {
    return signReveal(
      { name, drand_pulse: p, iterations, vdf_proof: encodeVdfProof(parts), payload: utf8('{}') },
      key,
      hash
    )
  }

  it('[any split verifies, so one claim would have many proofs] and only one split is valid', async () => {
    expect(await ruleOf(revealOf(proved(1_800)), profile, realCheckers(profile))).toBe('ok')
    for (const split of [1_799, 1_801, 1_000, null])
      expect(await ruleOf(revealOf(proved(split)), profile, realCheckers(profile)), `split ${split}`).toBe('iterations')
    const { proof, ...rest } = proved(1_800)
    const beyond = Uint8Array.from(proof)
    beyond[200] = 0x80
    expect(await ruleOf(revealOf({ ...rest, proof: beyond }), profile, realCheckers(profile)), 'a split of 2^63').toBe(
      'iterations'
    )
  })

  it("[chiavdf's verifier accepts altered encodings] that ours refuses, accepting the originals", () => {
    const vectors = load()
    const verdict = ({ discriminant_hex, iterations, x_hex, y_hex, proof_hex, recursion }: Vector) =>
      kernel.verifyProof(
        kernel.Discriminant.fromBytes(fromHex(discriminant_hex)),
        fromHex(x_hex),
        iterations,
        fromHex(y_hex + proof_hex),
        recursion
      )
    const altered = vectors.filter(({ kind, chiavdf_result }) => kind === 'malleable' && chiavdf_result === 'true')
    expect(altered).toHaveLength(3)
    for (const vector of altered) expect(verdict(vector)).toBe(false)
    expect(
      vectors
        .filter(({ kind }) => kind === '1wesolowski')
        .slice(0, 5)
        .every(verdict)
    ).toBe(true)
  })

  it('[a proof copied under another key] is a proof of nothing there, remembered verdicts or not', async () => {
    const real = decodeReveal(fromHex(reveals[0]!.cbor))
    const local = parseProfile(JSON.parse(reveals[0]!.profile))
    expect(await ruleOf(real, local, realCheckers(local))).toBe('ok')
    expect(await ruleOf(resigned(real, {}, 'mallory', local), local, realCheckers(local))).toBe('proof')
    expect(await ruleOf(resigned(real, { name: 'bob.chronym' }, 'mallory', local), local, realCheckers(local))).toBe(
      'proof'
    )
    const otherSalt = encodeVdfProof({ ...decodeVdfProof(real.vdf_proof), salt: seedOf(9) })
    expect(await ruleOf(resigned(real, { vdf_proof: otherSalt }, 'mallory', local), local, realCheckers(local))).toBe(
      'proof'
    )
  })

  it('[a renewal without its first claim] is cheap work for nothing', async () => {
    const renewed = makeReveal({ renewals: [2000, 3000] })
    const { chain = [], ...newest } = decodeVdfProof(renewed.vdf_proof)
    const without = (links: readonly Link[]) =>
      resigned(renewed, { vdf_proof: encodeVdfProof({ ...newest, chain: links }) })
    expect(await ruleOf(renewed)).toBe('ok')
    expect(await ruleOf(without([]))).toBe('iterations')
    expect(await ruleOf(without(chain.slice(1)))).toBe('iterations')
    expect(await ruleOf(without([...chain, chain[1]!]))).toBe('chain')
    expect(await ruleOf(without([{ ...chain[0]!, p: 2000, pulse: modelPulse(2000, LOCAL) }, chain[1]!]))).toBe('chain')
    // The first claim of somebody else, under one's own renewals.
    const stolen = decodeVdfProof(makeReveal({ owner: 'victim' }).vdf_proof)
    const first: Link = { ...stolen, p: 1000, iterations: 1_000_000 }
    expect(await ruleOf(without([first, chain[1]!]))).toBe('proof')
  })

  it('[a chain with a gap] is refused at the round after the grace, and taken at its last', async () => {
    const limit = LOCAL.lease + LOCAL.grace
    expect(await ruleOf(makeReveal({ renewals: [1000 + limit] }))).toBe('ok')
    expect(await ruleOf(makeReveal({ renewals: [1001 + limit] }))).toBe('chain')
    expect(await ruleOf(makeReveal({ renewals: [1001 + limit, 1002 + limit] }))).toBe('chain')
  })

  it('[records at their bounds] are valid: 64 links, 16 KiB of payload; one more is not', async () => {
    const wide = { ...LOCAL, two_segment_from: 20 }
    const start = 2 ** 53 - 70
    const rounds = (count: number) => Array.from({ length: count }, (_, index) => start + 1 + index)
    const longest = makeReveal({
      name: `${'a'.repeat(63)}.chronym`,
      p: start,
      renewals: rounds(64),
      payload: new Uint8Array(16_384),
      profile: wide
    })
    expect(longest.vdf_proof.length).toBeGreaterThan(30_000)
    expect(longest.vdf_proof.length).toBeLessThan(MAX_VDF_PROOF_BYTES)
    expect(await ruleOf(longest, wide)).toBe('ok')
    expect(encodeStub(stubOf(longest)).length).toBeLessThanOrEqual(MAX_STUB_BYTES)
    expect(await ruleOf(makeReveal({ p: start, renewals: rounds(65), profile: wide }), wide)).toBe('chain')
    expect(await ruleOf(resigned(longest, { payload: new Uint8Array(16_385) }, 'alice', wide), wide)).toBe('size')
    expect(() => makeReveal({ p: 2 ** 53 })).toThrow()
  })
})
