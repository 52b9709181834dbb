/** chiavdf's proofs on BigInt: the vectors that crates/vdf is held to. */
import { describe, expect, it } from 'vitest'
import { fromHex } from '../../src/protocol/encoding/bytes.ts'
import { discriminantFromBytes, discriminantFromSeed } from '../../src/vdf/discriminant.ts'
import { verifyProof } from '../../src/vdf/verify.ts'
import { load, type Vector } from './chiavdf.ts'

function verdict({ disc_bits, discriminant_hex, iterations, x_hex, y_hex, proof_hex, recursion }: Vector): boolean {
  if (discriminant_hex.length !== disc_bits / 4) return false
  const discriminant = discriminantFromBytes(fromHex(discriminant_hex))
  return verifyProof(discriminant, fromHex(x_hex), BigInt(iterations), fromHex(y_hex + proof_hex), recursion)
}

const chiavdf = load()
/** All 60 are proofs of 1024 bits: six say as much, and take half a second. */
const mainnet = load('chiavdf-mainnet.jsonl').filter((_, index) => index % 10 === 9)

describe('proofs on BigInt', () => {
  it.each([...chiavdf, ...load('chiavdf-short-seeds.jsonl'), ...mainnet])(
    'judges $kind of $disc_bits bits, $iterations squarings: $note',
    (vector) => expect(verdict(vector)).toBe(!['corrupt', 'malleable'].includes(vector.kind))
  )

  it.each([...chiavdf.filter(({ kind }) => kind === '1wesolowski'), ...load('chiavdf-short-seeds.jsonl')])(
    'derives the discriminant of $disc_bits bits of seed $seed_hex',
    ({ seed_hex, disc_bits, discriminant_hex }) =>
      expect(discriminantFromSeed(fromHex(seed_hex), disc_bits)).toEqual(
        discriminantFromBytes(fromHex(discriminant_hex))
      )
  )
})
