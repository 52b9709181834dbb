import { describe, expect, it } from 'vitest'
import { concatBytes, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { encodeCbor } from '../../../src/protocol/encoding/cbor.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { proofCacheKey, decodeVdfProof, encodeVdfProof } from '../../../src/protocol/claim/proof.ts'
import { type Reveal, claimId, linksOf, signReveal } from '../../../src/protocol/claim/reveal.ts'
import type { Checkers, ValidRule } from '../../../src/protocol/claim/valid.ts'
import { validateReveal } from '../../../src/protocol/claim/valid.ts'
import { bytesOf, EMPTY_ZONE, keyOf, LOCAL, makeReveal, MAIN, modelCheckers } from '../fixtures.ts'

/** Signs again after a change: the rules behind the signature must hold by themselves. */
function resigned(reveal: Reveal, change: Partial<Reveal>, owner = 'alice', profile = LOCAL): Reveal {
  return signReveal({ ...reveal, ...change }, keyOf(owner), profileHash(profile))
}

async function ruleOf(
  reveal: Reveal,
  profile = LOCAL,
  checkers: Checkers = modelCheckers(profile)
): Promise<ValidRule | 'ok'> {
  const verdict = await validateReveal(reveal, profile, checkers)
  return verdict.ok ? 'ok' : verdict.rule
}

/** The Reveal with its decoded proof changed, signed again. */
function withProof(reveal: Reveal, change: Partial<ReturnType<typeof decodeVdfProof>>): Reveal {
  return resigned(reveal, { vdf_proof: encodeVdfProof({ ...decodeVdfProof(reveal.vdf_proof), ...change }) })
}

describe('a valid Reveal', () => {
  it('sums up to a claim', async () => {
    const reveal = makeReveal()
    const verdict = await validateReveal(reveal, LOCAL, modelCheckers(LOCAL))
    if (!verdict.ok) throw new Error(verdict.detail)
    expect(verdict.claim).toMatchObject({
      name: 'alice.chronym',
      firstRound: 1000,
      newestRound: 1000,
      serial: 1,
      firstIterations: 1_000_000
    })
    expect(verdict.claim.id).toEqual(claimId('alice.chronym', verdict.claim.commitment, 1000, profileHash(LOCAL)))
  })

  it('keeps its claim through renewals and updates', async () => {
    const checkers = modelCheckers(LOCAL)
    const verdicts = await Promise.all(
      [makeReveal(), makeReveal({ renewals: [5000] }), makeReveal({ payload: utf8('anything') })].map((reveal) =>
        validateReveal(reveal, LOCAL, checkers)
      )
    )
    const claims = verdicts.map((verdict) => (verdict.ok ? verdict.claim : undefined)!)
    expect(new Set(claims.map(({ id }) => Buffer.from(id).toString('hex'))).size).toBe(1)
    expect(new Set(claims.map(({ tie }) => Buffer.from(tie).toString('hex'))).size).toBe(1)
    expect(claims.map(({ newestRound }) => newestRound)).toEqual([1000, 5000, 1000])
    expect(claims[2]!.serial).toBe(0)
  })

  it('may have two segments', async () => {
    const profile = { ...MAIN, two_segment_from: 1000 }
    expect(await ruleOf(makeReveal({ name: 'a-longer-name.chronym', profile }), profile)).toBe('ok')
  })
})

describe('an invalid Reveal', () => {
  const reveal = makeReveal()

  it.each<[string, ValidRule, Partial<Reveal>]>([
    ['a payload over 16 KiB', 'size', { payload: new Uint8Array(16_385) }],
    ['a proof over its bound', 'size', { vdf_proof: new Uint8Array(36_865) }],
    ['a short signature', 'size', { signature: new Uint8Array(63) }],
    ['a short key', 'size', { pubkey: new Uint8Array(31) }],
    ['a name of a thousand letters', 'size', { name: 'a'.repeat(1000) }],
    ['round 0', 'size', { drand_pulse: 0 }],
    ['a round that is not an integer', 'size', { drand_pulse: 1.5 }],
    ['negative iterations', 'size', { iterations: -1 }],
    ['a proof that is not CBOR', 'canonical', { vdf_proof: new Uint8Array(10) }],
    ['bytes after the proof', 'canonical', { vdf_proof: concatBytes(reveal.vdf_proof, Uint8Array.of(0)) }],
    ['another spelling of the name', 'name', { name: 'Alice.chronym' }],
    ['a lone surrogate as name', 'name', { name: '\ud800.chronym' }],
    ['a reserved name', 'name', { name: 'localhost.chronym' }],
    ['one squaring too many', 'iterations', { iterations: 1_000_001 }],
    ['one squaring too few', 'iterations', { iterations: 999_999 }],
    ['another key', 'signature', { pubkey: keyOf('mallory').publicKey }],
    ['another name', 'signature', { name: 'bob.chronym' }],
    ['another round', 'signature', { drand_pulse: 1001 }],
    ['another payload', 'signature', { payload: utf8('x') }],
    ['no signature', 'signature', { signature: new Uint8Array(64) }]
  ])('with %s breaks rule %s', async (_, rule, change) => {
    expect(await ruleOf({ ...reveal, ...change })).toBe(rule)
  })

  it('breaks rule pulse when the round is changed and signed again', async () => {
    expect(await ruleOf(resigned(reveal, { drand_pulse: 1001 }))).toBe('pulse')
    expect(await ruleOf(withProof(reveal, { pulse: bytesOf('pulse', 48) }))).toBe('pulse')
  })

  it('breaks rule proof with another salt or proof', async () => {
    expect(await ruleOf(withProof(reveal, { salt: bytesOf('other') }))).toBe('proof')
    expect(await ruleOf(withProof(reveal, { proof: bytesOf('other', 200) }))).toBe('proof')
  })

  it('breaks rule iterations with a proof of another length, depth or split', async () => {
    expect(await ruleOf(withProof(reveal, { proof: new Uint8Array(199) }))).toBe('iterations')
    expect(await ruleOf(withProof(reveal, { proof: new Uint8Array(341) }))).toBe('iterations')
    const profile = { ...LOCAL, two_segment_from: 1000 }
    const two = makeReveal({ profile })
    const { proof } = decodeVdfProof(two.vdf_proof)
    const otherSplit = Uint8Array.from(proof)
    otherSplit[207]! ^= 1
    const vdf_proof = encodeVdfProof({ ...decodeVdfProof(two.vdf_proof), proof: otherSplit })
    expect(await ruleOf(two, profile)).toBe('ok')
    expect(await ruleOf(resigned(two, { vdf_proof }, 'alice', profile), profile)).toBe('iterations')
  })

  it('has no verdict when a checker cannot tell', async () => {
    const broken = { ...modelCheckers(LOCAL), verifyProof: () => Promise.reject(new Error('pool closed')) }
    await expect(validateReveal(reveal, LOCAL, broken)).rejects.toThrow('pool closed')
  })
})

describe('a chain of renewals', () => {
  it('needs every link as it is', async () => {
    const reveal = makeReveal({ renewals: [2000, 3000] })
    const { chain = [] } = decodeVdfProof(reveal.vdf_proof)
    expect(await ruleOf(withProof(reveal, { chain: chain.toReversed() }))).not.toBe('ok')
    expect(await ruleOf(withProof(reveal, { chain: chain.slice(1) }))).toBe('iterations')
    expect(await ruleOf(withProof(reveal, { chain: [{ ...chain[0]!, salt: bytesOf('x') }, chain[1]!] }))).toBe('proof')
    expect(await ruleOf(withProof(reveal, { chain: [{ ...chain[0]!, p: 0 }, chain[1]!] }))).toBe('chain')
  })

  it('is checked newest link first, pulses before proofs', async () => {
    const asked: string[] = []
    const model = modelCheckers(LOCAL)
    await validateReveal(makeReveal({ renewals: [2000, 3000] }), LOCAL, {
      verifyPulse: (pulse) => {
        asked.push(`pulse ${pulse.round}`)
        return model.verifyPulse(pulse)
      },
      verifyProof: (check) => {
        asked.push(`proof ${check.iterations} ${check.bits} ${check.split}`)
        return model.verifyProof(check)
      }
    })
    expect(asked).toEqual([
      'pulse 3000',
      'pulse 2000',
      'pulse 1000',
      'proof 250000 1024 null',
      'proof 250000 1024 null',
      'proof 1000000 1024 null'
    ])
  })

  it('has as many links checked at once as have passed before, and no more after one that fails', async () => {
    const rounds = Array.from({ length: 40 }, (_, index) => 2000 + 1000 * index)
    const checked = async (isValid: (asked: number) => boolean): Promise<{ asked: number; together: number[] }> => {
      const together: number[] = []
      let asked = 0
      let inThisTurn = 0
      const verifyProof = async (): Promise<boolean> => {
        asked++
        inThisTurn++
        const verdict = isValid(asked)
        await new Promise((resolve) => setImmediate(resolve))
        if (inThisTurn > 0) together.push(inThisTurn)
        inThisTurn = 0
        return verdict
      }
      await validateReveal(makeReveal({ renewals: rounds }), LOCAL, { ...modelCheckers(LOCAL), verifyProof })
      return { asked, together }
    }
    expect(await checked(() => true)).toEqual({ asked: 41, together: [1, 1, 2, 4, 8, 16, 9] })
    expect(await checked((asked) => asked !== 1)).toEqual({ asked: 1, together: [1] })
    expect(await checked((asked) => asked !== 3)).toEqual({ asked: 4, together: [1, 1, 2] })
  })

  it('asks nothing of the checkers before the signature holds', async () => {
    const never = {
      verifyPulse: () => Promise.reject(new Error('asked')),
      verifyProof: () => Promise.reject(new Error('asked'))
    }
    const reveal = makeReveal()
    expect(await ruleOf({ ...reveal, payload: utf8('x') }, LOCAL, never)).toBe('signature')
  })

  it('gives every proof a cache key of its own seed, length and bytes', async () => {
    const keys = new Set<string>()
    const model = modelCheckers(LOCAL)
    const note: Checkers = {
      ...model,
      verifyProof: (check) => {
        keys.add(proofCacheKey(check.seed, check.iterations, check.proof))
        return Promise.resolve(true)
      }
    }
    const reveal = makeReveal({ payload: EMPTY_ZONE })
    for (const variant of [
      reveal,
      resigned(reveal, {}, 'mallory'),
      withProof(reveal, { salt: bytesOf('s') }),
      withProof(reveal, { proof: bytesOf('p', 200) })
    ])
      await validateReveal(variant, LOCAL, note)
    expect(keys.size).toBe(4)
    await validateReveal(resigned(reveal, { payload: utf8('x') }), LOCAL, note)
    expect(keys.size).toBe(4)
    expect(linksOf(reveal)).toHaveLength(1)
  })
})

describe('a proof with CBOR reordered', () => {
  it('is not canonical', async () => {
    const reveal = makeReveal()
    const { pulse, proof, salt } = decodeVdfProof(reveal.vdf_proof)
    const members = [
      encodeCbor('v'),
      encodeCbor(1),
      encodeCbor('pulse'),
      encodeCbor(pulse),
      encodeCbor('proof'),
      encodeCbor(proof),
      encodeCbor('salt'),
      encodeCbor(salt)
    ]
    const reordered = concatBytes(Uint8Array.of(0xa4), ...members)
    expect(reordered).toHaveLength(reveal.vdf_proof.length)
    expect(await ruleOf(resigned(reveal, { vdf_proof: reordered }))).toBe('canonical')
  })
})
