import * as v from 'valibot'
import { bytesFromHex } from '../input/values.ts'
import type { ProofClaim } from './kernel.ts'

const Hex = v.pipe(
  v.string(),
  v.transform((text) => bytesFromHex(text)),
  v.custom<Uint8Array>((bytes) => bytes !== undefined, 'not hexadecimal')
)
const Count = v.pipe(v.number(), v.safeInteger('not a whole number below 2^53'), v.minValue(0, 'negative'))

/**
 * One line of a file of proofs; the field names are those of __test__/vectors/chiavdf.jsonl. Other fields are ignored.
 */
const ClaimLine = v.object({
  seed_hex: v.optional(Hex),
  discriminant_hex: v.optional(Hex),
  disc_bits: Count,
  iterations: Count,
  x_hex: v.optional(Hex),
  y_hex: Hex,
  proof_hex: Hex,
  recursion: v.optional(Count, 0)
})

export interface LineClaim extends ProofClaim {
  /** Given beside a discriminant: the discriminant must be the one derived from it. */
  alsoSeed: Uint8Array | undefined
}

export type ParsedLine = { claim: LineClaim } | { error: string }

/** Reads one line; whatever is wrong with it comes back as text, never as an exception. */
export function parseClaimLine(text: string): ParsedLine {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { error: 'not JSON' }
  }
  const parsed = v.safeParse(ClaimLine, json)
  if (!parsed.success) {
    const issue = parsed.issues[0]
    const path = v.getDotPath(issue)
    return { error: path === null ? 'not an object' : `${path}: ${issue.message}` }
  }
  const {
    seed_hex: seed,
    discriminant_hex: discriminant,
    disc_bits: bits,
    iterations,
    x_hex: x,
    y_hex: y,
    proof_hex: witness,
    recursion: depth
  } = parsed.output
  if (seed === undefined && discriminant === undefined) return { error: 'neither seed_hex nor discriminant_hex' }
  return {
    claim: {
      source: discriminant === undefined ? { seed: seed! } : { discriminant },
      alsoSeed: discriminant === undefined ? undefined : seed,
      bits,
      iterations,
      x,
      depth,
      proof: Uint8Array.from([...y, ...witness])
    }
  }
}
