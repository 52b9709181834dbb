/**
 * Valid with nothing modelled: the kernel's proofs and the dev beacon's pulses of the vectors, and every kind of change
 * to them.
 */
import { describe, expect, it } from 'vitest'
import { fromHex } from '../../../src/protocol/encoding/bytes.ts'
import { keyPairFromSeed } from '../../../src/protocol/crypto/ed25519.ts'
import { parseProfile, profileHash } from '../../../src/protocol/profile/profile.ts'
import { type Reveal, decodeReveal, signReveal } from '../../../src/protocol/claim/reveal.ts'
import { decodeVdfProof, encodeVdfProof } from '../../../src/protocol/claim/proof.ts'
import { validateReveal } from '../../../src/protocol/claim/valid.ts'
import { realCheckers } from '../real-checkers.ts'
import hashes from '../../vectors/chronym/hashes.json' with { type: 'json' }
import reveals from '../../vectors/chronym/reveals.json' with { type: 'json' }

describe.each(reveals)('the Reveal of the vectors: $title', ({ profile: json, cbor, claim_id, tie, serial }) => {
  const profile = parseProfile(JSON.parse(json))
  const reveal = decodeReveal(fromHex(cbor))

  it('is valid', async () => {
    const verdict = await validateReveal(reveal, profile, realCheckers(profile))
    expect(verdict).toMatchObject({ ok: true, claim: { id: fromHex(claim_id), tie: fromHex(tie), serial } })
  })
})

describe('a Reveal signed by its owner', () => {
  const profile = parseProfile(JSON.parse(reveals[0]!.profile))
  const owner = keyPairFromSeed(fromHex(hashes.keys.owner.seed))
  const reveal = decodeReveal(fromHex(reveals[0]!.cbor))
  const checkers = realCheckers(profile)
  const parts = decodeVdfProof(reveal.vdf_proof)

  const ruleOf = async (change: Partial<Reveal>): Promise<string> => {
    const verdict = await validateReveal(
      signReveal({ ...reveal, ...change }, owner, profileHash(profile)),
      profile,
      checkers
    )
    return verdict.ok ? 'ok' : verdict.rule
  }

  it('may change its payload', async () => expect(await ruleOf({ payload: new Uint8Array(3) })).toBe('ok'))

  it('may not change any byte of its proof', async () => {
    for (let position = 0; position < parts.proof.length; position += 7) {
      const proof = Uint8Array.from(parts.proof)
      proof[position]! ^= 1 << (position % 8)
      expect(await ruleOf({ vdf_proof: encodeVdfProof({ ...parts, proof }) })).toBe('proof')
    }
  })

  it('may not change its pulse, nor claim it for another round', async () => {
    const pulse = Uint8Array.from(parts.pulse)
    pulse[47]! ^= 1
    expect(await ruleOf({ vdf_proof: encodeVdfProof({ ...parts, pulse }) })).toBe('pulse')
    expect(await ruleOf({ drand_pulse: 1001 })).toBe('pulse')
  })
})
