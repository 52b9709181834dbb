/** `chronym vdf verify` where no addon loads: the kernel of the command line on a few vectors of chiavdf. */
import { describe, expect, it } from 'vitest'
import { portableKernel } from '../../../src/cli/vdf/kernel.ts'
import { fromHex, toHex } from '../../../src/protocol/encoding/bytes.ts'
import { load } from '../../vdf/chiavdf.ts'

const vectors = load().filter(({ disc_bits, kind }) => disc_bits === 256 && kind !== 'malleable')

describe('the kernel without an addon', () => {
  it.each(vectors)('verifies $kind of $iterations squarings', (vector) => {
    const claim = {
      source: { discriminant: fromHex(vector.discriminant_hex) },
      bits: vector.disc_bits,
      iterations: vector.iterations,
      x: fromHex(vector.x_hex),
      depth: vector.recursion,
      proof: fromHex(vector.y_hex + vector.proof_hex)
    }
    expect(portableKernel.verify(claim)).toEqual({ valid: true })
    expect(portableKernel.verify({ ...claim, iterations: claim.iterations + 1 })).toMatchObject({ valid: false })
    const even = Uint8Array.from(claim.source.discriminant)
    even[even.length - 1]! ^= 1
    expect(portableKernel.verify({ ...claim, source: { discriminant: even } })).toMatchObject({
      reason: 'a discriminant is 1 modulo 8'
    })
  })

  it('derives discriminants', () => {
    const { seed_hex, disc_bits, discriminant_hex } = vectors[0]!
    expect(toHex(portableKernel.discriminant(fromHex(seed_hex), disc_bits))).toBe(discriminant_hex)
    expect(portableKernel.backend).toBe('bigint')
  })
})
