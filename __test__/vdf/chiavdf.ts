/** Proofs made by chiavdf, in __test__/vectors. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Vector {
  readonly kind: string
  readonly seed_hex: string
  readonly disc_bits: number
  readonly discriminant_hex: string
  readonly iterations: number
  readonly x_hex: string
  readonly y_hex: string
  readonly proof_hex: string
  readonly recursion: number
  readonly note: string
  readonly chiavdf_result: string
}

export function load(file = 'chiavdf.jsonl'): readonly Vector[] {
  return readFileSync(join(import.meta.dirname, '../vectors', file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Vector)
}
