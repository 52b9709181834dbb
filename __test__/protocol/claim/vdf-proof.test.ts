import { describe, expect, it } from 'vitest'
import { encodeCbor } from '../../../src/protocol/encoding/cbor.ts'
import { EncodingError } from '../../../src/protocol/errors.ts'
import { decodeVdfProof, encodeVdfProof, proofShape } from '../../../src/protocol/claim/proof.ts'
import { LOCAL, MAIN, makeReveal } from '../fixtures.ts'

describe('the proof of a Reveal', () => {
  it('has one shape for each number of squarings', () => {
    expect(proofShape(2 ** 22 - 1, LOCAL)).toEqual({ depth: 0, split: null, length: 200 })
    expect(proofShape(2 ** 22, LOCAL)).toEqual({ depth: 1, split: 2 ** 22 - Math.floor(2 ** 22 / 10), length: 341 })
    expect(proofShape(10_000_000_009, MAIN).split).toBe(9_000_000_009)
  })

  it('is read back as it was written, with and without a chain', () => {
    for (const renewals of [[], [2000, 3000]]) {
      const { vdf_proof } = makeReveal({ renewals })
      expect(encodeVdfProof(decodeVdfProof(vdf_proof))).toEqual(vdf_proof)
    }
  })

  it('refuses an empty chain, another version, unknown members and wrong lengths', () => {
    const parts = { v: 1, pulse: new Uint8Array(48), proof: new Uint8Array(200), salt: new Uint8Array(32) }
    expect(decodeVdfProof(encodeCbor(parts))).toEqual({ pulse: parts.pulse, proof: parts.proof, salt: parts.salt })
    const unsalted = { v: parts.v, pulse: parts.pulse, proof: parts.proof }
    for (const bad of [
      { ...parts, chain: [] },
      { ...parts, v: 2 },
      { ...parts, extra: 1 },
      { ...parts, pulse: new Uint8Array(47) },
      { ...parts, salt: 'text' },
      { ...parts, chain: [1] },
      unsalted,
      [parts],
      null
    ]) {
      expect(() => decodeVdfProof(encodeCbor(bad))).toThrow(EncodingError)
    }
  })
})
