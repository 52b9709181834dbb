import { describe, expect, it } from 'vitest'
import { checkCodeOf } from '../../../src/protocol/claim/check-code.ts'
import { claimOf, equivocates } from '../../../src/protocol/claim/claim.ts'
import { relateChanges } from '../../../src/protocol/claim/changes.ts'
import { decodeVdfProof, encodeVdfProof, MAX_VDF_PROOF_BYTES } from '../../../src/protocol/claim/proof.ts'
import { decodeReveal, encodeReveal, linksOf, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import { validateReveal } from '../../../src/protocol/claim/valid.ts'
import { encodeStub, MAX_STUB_BYTES, stubOf } from '../../../src/protocol/admission/holder.ts'
import { EncodingError } from '../../../src/protocol/errors.ts'
import { parseName } from '../../../src/protocol/name/names.ts'
import { bytesOf, keyOf, LOCAL, makeReveal, modelCheckers, type MadeChange } from '../fixtures.ts'
import { signReveal } from '../../../src/protocol/claim/reveal.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'

const NAME = parseName('alice.chronym', LOCAL)
const ROTATED: MadeChange = { to: 'alice 2' }
const SOLD: MadeChange = { to: 'bob', words: "bob's words" }
const words = "alice's words"

async function verdictOf(reveal: Reveal): Promise<string> {
  const verdict = await validateReveal(reveal, LOCAL, modelCheckers(LOCAL))
  return verdict.ok ? 'ok' : `${verdict.rule}: ${verdict.detail}`
}

describe('a claim whose keys change', () => {
  const first = makeReveal({ words })
  const sold = makeReveal({ words, changes: [ROTATED, SOLD, { to: 'bob 2', alone: true }] })

  it('stays Valid, and is the same claim with the same code', async () => {
    expect(await verdictOf(first)).toBe('ok')
    expect(await verdictOf(sold)).toBe('ok')
    expect(sold.pubkey).toEqual(keyOf('bob 2').publicKey)
    expect(claimOf(sold, NAME, LOCAL).id).toEqual(claimOf(first, NAME, LOCAL).id)
    expect(checkCodeOf(sold, LOCAL)).toBe(checkCodeOf(first, LOCAL))
  })
  it('may be renewed before and after, by links that no change touches', async () => {
    const renewed = makeReveal({ words, renewals: [2000, 3000], changes: [ROTATED, SOLD] })
    expect(await verdictOf(renewed)).toBe('ok')
    expect(linksOf(renewed)).toEqual(linksOf(makeReveal({ words, renewals: [2000, 3000] })))
  })
  it('names its first change key later, where it was claimed without one', async () => {
    const named = makeReveal({ changes: [{ to: 'alice 2', words }, SOLD] })
    expect(await verdictOf(named)).toBe('ok')
    expect(claimOf(named, NAME, LOCAL).changes.map(({ consented }) => consented)).toEqual([false, true])
  })
  it('is another claim than one that names other change keys', () => {
    expect(claimOf(makeReveal(), NAME, LOCAL).id).not.toEqual(claimOf(first, NAME, LOCAL).id)
  })
  it('fits its bounds with 65 links and 16 changes', async () => {
    const renewals = Array.from({ length: 64 }, (_, index) => 2000 + index)
    const changes = Array.from({ length: 16 }, (_, index) => ({ to: `owner ${index}` }))
    const largest = makeReveal({ words, renewals, changes })
    expect(await verdictOf(largest)).toBe('ok')
    expect(largest.vdf_proof.length).toBeLessThanOrEqual(MAX_VDF_PROOF_BYTES)
    expect(encodeStub(stubOf(largest)).length).toBeLessThanOrEqual(MAX_STUB_BYTES)
    expect(decodeReveal(encodeReveal(largest))).toEqual(largest)
  })
})

describe('a change is refused', () => {
  const other = makeReveal({ words, owner: 'mallory', changes: [SOLD] })
  const changeOfOther = decodeVdfProof(other.vdf_proof).changes![0]!
  const { signature: wrong } = changeOfOther

  it.each<[string, RegExp, Parameters<typeof makeReveal>[0]]>([
    [
      'by other change words',
      /change key is not the one/,
      { words, changes: [{ ...ROTATED, altered: { key: keyOf('x').publicKey } }] }
    ],
    [
      "without the change key's signature",
      /change key's signature/,
      { words, changes: [{ ...ROTATED, altered: { signature: wrong } }] }
    ],
    ['with a false consent', /signing key before/, { words, changes: [{ ...ROTATED, altered: { consent: wrong } }] }],
    [
      'without a key, where the claim names one',
      /only the change key/,
      { words, changes: [{ ...ROTATED, altered: { key: undefined, consent: undefined } as never }] }
    ],
    [
      'once a later one is signed',
      /change 2 of 2/,
      { words, changes: [ROTATED, { ...SOLD, altered: { next: bytesOf('another') } }] }
    ]
  ])('%s', async (_, detail, options) => {
    expect(await verdictOf(makeReveal(options))).toMatch(/^changes: /)
    expect(await verdictOf(makeReveal(options))).toMatch(detail)
  })
  it('[a change of another claim]', async () => {
    const reveal = makeReveal({ words, changes: [SOLD] })
    const proof = { ...decodeVdfProof(reveal.vdf_proof), changes: [changeOfOther] }
    expect(await verdictOf({ ...reveal, vdf_proof: encodeVdfProof(proof) })).toMatch(/^changes: /)
  })
  it('[a change without its consent]', async () => {
    const proof = decodeVdfProof(makeReveal({ words, changes: [SOLD] }).vdf_proof)
    const { key, pubkey, next, signature } = proof.changes![0]!
    const alone = { key: key!, pubkey, next, signature, consented: false }
    const stripped = encodeVdfProof({ ...proof, changes: [alone] })
    expect(await verdictOf({ ...makeReveal({ words, changes: [SOLD] }), vdf_proof: stripped })).toMatch(/^changes: /)
  })
  it('[a name given to a key that did not ask for it]', async () => {
    const reveal = makeReveal({ words, changes: [SOLD] })
    const byFormer = signReveal(reveal, keyOf('alice'), profileHash(LOCAL))
    expect(await verdictOf({ ...byFormer, pubkey: reveal.pubkey })).toMatch(/^signature: /)
    expect(await verdictOf(byFormer)).toMatch(/^changes: pubkey/)
  })
  it('where its bytes are not the one form', () => {
    const proof = decodeVdfProof(makeReveal({ words, changes: [SOLD] }).vdf_proof)
    const zeros = new Uint8Array(32)
    const seventeen = Array.from({ length: 17 }, () => proof.changes![0]!)
    for (const bad of [
      { ...proof, first: undefined as never },
      { ...proof, changes: [] },
      { ...proof, next: zeros },
      { ...proof, changes: seventeen },
      { ...proof, changes: [{ ...proof.changes![0]!, next: zeros }] }
    ])
      expect(() => decodeVdfProof(encodeVdfProof(bad))).toThrow(EncodingError)
  })
})

describe('records of one claim', () => {
  const claimWith = (...changes: MadeChange[]) => claimOf(makeReveal({ words, changes }), NAME, LOCAL)

  it('relate by their changes', () => {
    const [none, rotated, sold] = [claimWith(), claimWith(ROTATED), claimWith(ROTATED, SOLD)]
    const resold = claimWith(ROTATED, { to: 'carol' })
    expect(relateChanges(rotated.changes, rotated.changes)).toBe('same')
    expect(relateChanges(none.changes, sold.changes)).toBe('longer')
    expect(relateChanges(sold.changes, rotated.changes)).toBe('shorter')
    expect(relateChanges(sold.changes, resold.changes)).toBe(1)
    expect(relateChanges(sold.changes, claimWith(SOLD).changes)).toBe(0)
  })
  it('of two keys do not equivocate: their changes differ', () => {
    const [left, right] = [claimWith(), claimWith(ROTATED)].map((claim, index) => ({
      ...claim,
      payloadHash: bytesOf(`${index}`)
    }))
    expect(equivocates(left!, right!)).toBe(false)
    expect(equivocates(left!, { ...left!, payloadHash: bytesOf('other') })).toBe(true)
  })
})
