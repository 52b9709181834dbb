/** The VDF as the command line needs it: any discriminant, any start, any depth. */

/** Wesolowski's proof as chiavdf lays it out: y ‖ witness, then 141 bytes for each level of recursion. */
export interface ProofClaim {
  /** Seed of the discriminant, or |D| itself, big-endian. */
  source: { seed: Uint8Array } | { discriminant: Uint8Array }
  /** Size of the discriminant in bits. */
  bits: number
  iterations: number
  /** The start as a form of 100 bytes; the generator when undefined. */
  x: Uint8Array | undefined
  depth: number
  proof: Uint8Array
}

export type Verdict = { valid: true } | { valid: false; reason: string }

/** Bytes of a form. */
const FORM_BYTES = 100
/** Bytes of y and its witness. */
const PROOF_BYTES = 2 * FORM_BYTES
/** Bytes that each level of recursion adds: iterations (8), B (33), witness (100). */
const SEGMENT_BYTES = 8 + 33 + FORM_BYTES
/**
 * What the kernel derives a discriminant from. chiavdf takes other sizes too; a seed is a counter there, and a short
 * one may wrap without end.
 */
const MIN_SEED_BYTES = 2
const MAX_SEED_BYTES = 64
export const MIN_DISCRIMINANT_BITS = 8
export const MAX_DISCRIMINANT_BITS = 1024

/** Why no discriminant is derived from a seed, or undefined. */
export function seedFault({ length }: Uint8Array): string | undefined {
  return length >= MIN_SEED_BYTES && length <= MAX_SEED_BYTES
    ? undefined
    : `a seed has ${MIN_SEED_BYTES} to ${MAX_SEED_BYTES} bytes here, not ${length}`
}

/** What is wrong with a claim before any arithmetic, or undefined. */
export function shapeFault(claim: ProofClaim): string | undefined {
  const { bits, source, x, depth, proof } = claim
  if (!Number.isInteger(bits) || bits < MIN_DISCRIMINANT_BITS || bits > MAX_DISCRIMINANT_BITS || bits % 8 !== 0) {
    return `a discriminant has ${MIN_DISCRIMINANT_BITS} to ${MAX_DISCRIMINANT_BITS} bits, a multiple of 8, not ${bits}`
  }
  const wrongSeed = 'seed' in source ? seedFault(source.seed) : undefined
  if (wrongSeed !== undefined) return wrongSeed
  if ('discriminant' in source && source.discriminant.length !== bits / 8) {
    return `a discriminant of ${bits} bits has ${bits / 8} bytes, not ${source.discriminant.length}`
  }
  if ('discriminant' in source && source.discriminant[0]! < 0x80)
    return `a discriminant of ${bits} bits has its highest bit set`
  if (x !== undefined && x.length !== FORM_BYTES) return `x is a form of ${FORM_BYTES} bytes, not ${x.length}`
  const wanted = PROOF_BYTES + SEGMENT_BYTES * depth
  if (proof.length !== wanted) return `a proof of depth ${depth} has ${wanted} bytes, this one ${proof.length}`
  return undefined
}

export interface Evaluation {
  progress(): {
    phase: 'squaring' | 'proving' | 'done'
    squarings: number
    phaseProgress: number
    squaringsPerSecond: number
  }
  stop(): void
  /** The proof, or undefined when stopped. Rejects when the kernel failed. */
  proof: Promise<Uint8Array | undefined>
}

interface EvaluationQuestion {
  seed: Uint8Array
  bits: number
  iterations: number
  /** Squarings of the first of two segments; null for one segment. */
  split: number | null
}

/** The addon behind one small face. Failures to load it are failures of the command. */
export interface Kernel {
  /** The backend in use, such as "x86-64-adx" or "portable". */
  readonly backend: string
  /** `compiled` or `ordered`. */
  readonly steps: string
  verify(claim: ProofClaim): Promise<Verdict>
  /** |D|, big-endian. */
  discriminant(seed: Uint8Array, bits: number): Promise<Uint8Array>
  evaluate(question: EvaluationQuestion): Promise<Evaluation>
  /** Squarings per second of `threads` threads together, measured for about the time given. */
  measureRate(bits: number, milliseconds: number, threads: number): Promise<number>
  close(): Promise<void>
}
