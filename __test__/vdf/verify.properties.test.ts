/** The BigInt verifier against the addon: random seeds and sizes, true proofs, and every kind of change to them. */
import { describe, expect, it } from 'vitest'
import { addon } from '../../src/native/addon.ts'
import { discriminantFromBytes, discriminantFromSeed } from '../../src/vdf/discriminant.ts'
import { decodeForm, encodeForm } from '../../src/vdf/encoding.ts'
import { generator, type Form, compose, square } from '../../src/vdf/form.ts'
import { isqrt, toBytesBe } from '../../src/vdf/integers.ts'
import { verifyQuestion, type VdfQuestion } from '../../src/vdf/verify.ts'
import { draws } from './draws.ts'

const kernel = addon()
const verifier = new kernel.Verifier(64)
const stop = new Uint32Array(new SharedArrayBuffer(4))

function prove({ seed, bits, iterations, split }: Omit<VdfQuestion, 'proof'>): VdfQuestion {
  const evaluation = new kernel.Evaluation(kernel.Discriminant.fromSeed(seed, bits), null, iterations, split, 2 ** 20)
  while (evaluation.phase() !== 'done') evaluation.advance(1e6, stop)
  return { seed, bits, iterations, split, proof: evaluation.proof()! }
}

const native = (question: VdfQuestion): boolean => verifier.verify([question], stop)[0]!

describe('the BigInt verifier', () => {
  it('derives the discriminants of the addon, of every size and from seeds of every length', () => {
    const draw = draws(1)
    for (let bits = 8; bits <= 512; bits += 8) {
      const seed = draw.bytes(2 + (bits % 63))
      expect(toBytesBe(discriminantFromSeed(seed, bits).magnitude, bits / 8)).toEqual(
        kernel.Discriminant.fromSeed(seed, bits).bytes()
      )
    }
  })

  it('accepts what the addon proves, of one segment and of two', () => {
    const draw = draws(2)
    for (const bits of [8, 16, 24, 64, 128, 256, 264, 504, 1024]) {
      for (const split of [null, 250]) {
        const question = prove({ seed: draw.bytes(32), bits, iterations: 300, split })
        expect({ bits, split, verdict: verifyQuestion(question) }).toEqual({ bits, split, verdict: true })
      }
    }
  })

  it('refuses changed bytes just as the addon does', () => {
    const draw = draws(3)
    for (const bits of [16, 64, 256]) {
      for (const split of [null, 250]) {
        const question = prove({ seed: draw.bytes(32), bits, iterations: 300, split })
        for (let turn = 0; turn < 120; turn++) {
          const proof = Uint8Array.from(question.proof)
          const position = draw.below(proof.length)
          proof[position] = turn % 3 === 0 ? draw.below(256) : proof[position]! ^ (1 << draw.below(8))
          const changed = { ...question, proof }
          expect(verifyQuestion(changed), `${bits} bits, byte ${position}`).toBe(native(changed))
        }
      }
    }
  })

  it('refuses another seed, count, split or length', () => {
    const question = prove({ seed: new Uint8Array(32).fill(7), bits: 128, iterations: 300, split: 250 })
    for (const change of [
      { seed: new Uint8Array(32).fill(8) },
      { iterations: 301 },
      { iterations: 249 },
      { split: 251 },
      { split: null },
      { proof: question.proof.subarray(0, 340) },
      { proof: question.proof.subarray(0, 200) },
      { proof: new Uint8Array(341) }
    ]) {
      const changed = { ...question, ...change }
      expect([verifyQuestion(changed), native(changed)]).toEqual([false, false])
    }
    expect(() => verifyQuestion({ ...question, bits: 12 })).toThrow(RangeError)
    expect(() => verifyQuestion({ ...question, seed: new Uint8Array(1) })).toThrow(RangeError)
  })

  it('decodes only what the addon decodes: flags, sizes, padding and values of every kind', () => {
    const draw = draws(4)
    for (const bits of [32, 64, 128]) {
      const seed = draw.bytes(32)
      const question = prove({ seed, bits, iterations: 50, split: null })
      const y = question.proof.subarray(0, 100)
      for (let turn = 0; turn < 200; turn++) {
        const bytes = Uint8Array.from(y)
        for (let change = 0; change <= turn % 3; change++) bytes[draw.below(2 + bits / 8 + 4)] = draw.below(256)
        const proof = new Uint8Array([...bytes, ...question.proof.subarray(100)])
        expect(verifyQuestion({ ...question, proof })).toBe(native({ ...question, proof }))
      }
    }
  })

  it('decodes one encoding of a form, no other that says the same', () => {
    const discriminant = discriminantFromSeed(new Uint8Array(32).fill(9), 256)
    for (const flag of [4, 8]) {
      const bytes = new Uint8Array(100)
      bytes[0] = flag
      expect(decodeForm(bytes, discriminant)).toBeDefined()
      bytes[50] = 1
      expect(decodeForm(bytes, discriminant)).toBeUndefined()
    }
  })

  it('composes as forms of its discriminant, associatively, and squares as it composes', () => {
    const draw = draws(5)
    for (const bits of [8, 16, 32, 256, 1024]) {
      const discriminant = discriminantFromSeed(draw.bytes(32), bits)
      const isReduced = ({ a, b, c }: Form) =>
        b * b - 4n * a * c === -discriminant.magnitude && -a < b && b <= a && a <= c && (a < c || b >= 0n)
      let [x, y, z] = [generator(discriminant), generator(discriminant), generator(discriminant)]
      for (let turn = 0; turn < (bits > 256 ? 20 : 100); turn++) {
        const next = compose(compose(x, y, discriminant), z, discriminant)
        expect(compose(x, compose(y, z, discriminant), discriminant)).toEqual(next)
        expect(square(x, discriminant)).toEqual(compose(x, x, discriminant))
        expect([next, x, y].every(isReduced)).toBe(true)
        expect(decodeForm(encodeForm(next, discriminant), discriminant)).toEqual(next)
        ;[x, y, z] = [next, square(x, discriminant), turn % 5 === 0 ? x : y]
      }
    }
  })

  it('takes exact roots, also of squares and their neighbours', () => {
    for (let root = 1n; root < 2n ** 600n; root = root * 3n + 1n) {
      expect([isqrt(root * root), isqrt(root * root - 1n), isqrt(root * root + 2n * root)]).toEqual([
        root,
        root - 1n,
        root
      ])
    }
  })

  it('refuses discriminants that are none', () => {
    const prime = kernel.Discriminant.fromSeed(new Uint8Array(32), 64).bytes()
    expect(toBytesBe(discriminantFromBytes(prime).magnitude, 8)).toEqual(prime)
    const even = Uint8Array.from(prime)
    even[7]! ^= 1
    const composite = toBytesBe(0xffffffffffffff47n, 8)
    for (const bytes of [even, composite, Uint8Array.of(0, ...prime.subarray(1)), new Uint8Array(0)]) {
      expect(() => discriminantFromBytes(bytes)).toThrow(RangeError)
      expect(() => kernel.Discriminant.fromBytes(bytes)).toThrow()
    }
  })
})
