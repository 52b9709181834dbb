import { describe, expect, it } from 'vitest'
import { parseClaimLine } from '../../../src/cli/vdf/verify.ts'
import { type ProofClaim, shapeFault } from '../../../src/cli/vdf/kernel.ts'

const line = { seed_hex: '00010203', disc_bits: 256, iterations: 2, y_hex: '02', proof_hex: '0304', recursion: 1 }

describe('lines of proofs', () => {
  it('join y and what follows it', () => {
    expect(parseClaimLine(JSON.stringify(line))).toMatchObject({
      claim: { proof: Uint8Array.of(2, 3, 4), depth: 1, bits: 256, iterations: 2, x: undefined }
    })
  })

  it('take the discriminant before the seed, and keep the seed to compare', () => {
    expect(parseClaimLine(JSON.stringify({ ...line, discriminant_hex: 'EF' }))).toMatchObject({
      claim: { source: { discriminant: Uint8Array.of(0xef) }, alsoSeed: Uint8Array.of(0, 1, 2, 3) }
    })
  })

  it.each([
    ['{', 'not JSON'],
    ['[]', 'is missing'],
    ['null', 'must be an object'],
    [JSON.stringify({ ...line, seed_hex: undefined }), 'neither'],
    [JSON.stringify({ ...line, y_hex: '0' }), 'y_hex'],
    [JSON.stringify({ ...line, proof_hex: 7 }), 'proof_hex'],
    [JSON.stringify({ ...line, iterations: -1 }), 'iterations'],
    [JSON.stringify({ ...line, iterations: 1.5 }), 'iterations'],
    [
      '{"seed_hex":"00010203","disc_bits":256,"iterations":2,"y_hex":"","proof_hex":"",' +
        '"recursion":18446744073709551615}',
      'recursion'
    ]
  ])('%s is unreadable, with the field at fault', (text, message) => {
    expect(parseClaimLine(text)).toEqual({ error: expect.stringContaining(message) as string })
  })
})

describe('the shape of a claim', () => {
  const claim: ProofClaim = {
    source: { seed: new Uint8Array(4) },
    bits: 1024,
    iterations: 1,
    x: undefined,
    depth: 0,
    proof: new Uint8Array(200)
  }

  it('is right with 200 bytes and 141 more for each level', () => {
    expect(shapeFault(claim)).toBeUndefined()
    expect(shapeFault({ ...claim, depth: 2, proof: new Uint8Array(482) })).toBeUndefined()
    expect(shapeFault({ ...claim, source: { discriminant: new Uint8Array(128).fill(0x80) } })).toBeUndefined()
  })

  it.each<[string, Partial<ProofClaim>]>([
    ['a byte too few', { proof: new Uint8Array(199) }],
    ['a byte too many', { proof: new Uint8Array(201) }],
    ['no proof at all', { proof: new Uint8Array(0) }],
    ['another depth than it has', { depth: 1 }],
    ['a depth beyond all bounds', { depth: 2 ** 64 }],
    ['no bits', { bits: 0 }],
    ['too many bits', { bits: 1032 }],
    ['bits that fill no byte', { bits: 1023 }],
    ['a seed of one byte', { source: { seed: new Uint8Array(1) } }],
    ['a discriminant of another size', { source: { discriminant: new Uint8Array(127).fill(0x80) } }],
    ['a discriminant with leading zeros', { source: { discriminant: new Uint8Array(128).fill(1) } }],
    ['a start that is not a form', { x: new Uint8Array(99) }]
  ])('is wrong with %s', (_title, change) => {
    expect(shapeFault({ ...claim, ...change })).toEqual(expect.any(String))
  })
})
