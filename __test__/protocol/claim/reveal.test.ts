import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { encodeCbor } from '../../../src/protocol/encoding/cbor.ts'
import { EncodingError } from '../../../src/protocol/errors.ts'
import { decodeReveal, encodeReveal, firstLink, newestLink } from '../../../src/protocol/claim/reveal.ts'
import { makeReveal } from '../fixtures.ts'

describe('the Reveal', () => {
  it('is read back as it was written', () => {
    const reveal = makeReveal({ renewals: [2000, 3000] })
    expect(decodeReveal(encodeReveal(reveal))).toEqual(reveal)
    expect(firstLink(reveal).p).toBe(1000)
    expect(newestLink(reveal)).toMatchObject({ p: 3000, iterations: 250_000 })
  })

  it('refuses members of a wrong kind and bytes in another order', () => {
    const reveal = makeReveal()
    for (const bad of [
      { ...reveal, pubkey: new Uint8Array(31) },
      { ...reveal, name: 1 },
      { ...reveal, payload: 'text' },
      { ...reveal, drand_pulse: 'x' },
      { ...reveal, more: 1 }
    ]) {
      expect(() => decodeReveal(encodeCbor(bad))).toThrow(EncodingError)
    }
    const bytes = encodeReveal(reveal)
    expect(() => decodeReveal(Uint8Array.from([...bytes, 0]))).toThrow(EncodingError)
  })

  it('decodes from arbitrary bytes or throws EncodingError', () => {
    const bytes = encodeReveal(makeReveal())
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (position, value) => {
        const changed = Uint8Array.from(bytes)
        changed[position] = value
        try {
          expect(encodeReveal(decodeReveal(changed))).toEqual(changed)
        } catch (error) {
          if (!(error instanceof EncodingError)) throw error
        }
      }),
      { numRuns: 1000, seed: 1 }
    )
  })
})
