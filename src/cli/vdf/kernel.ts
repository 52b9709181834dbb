/** The VDF as the command line needs it: any discriminant, any start, any depth. */
import { addon, type Discriminant, missingAddon } from '../../native/addon.ts'
import { answer } from '../../native/worker/requests.ts'
import { NativeError, type NativePool } from '../../native/types.ts'
import { toHex } from '../../protocol/encoding/bytes.ts'
import { LruMap } from '../../util/bounded-map.ts'
import { discriminantFromBytes, discriminantFromSeed } from '../../vdf/discriminant.ts'
import { encodeForm } from '../../vdf/encoding.ts'
import { generator } from '../../vdf/form.ts'
import { toBytesBe } from '../../vdf/integers.ts'
import { verifyProof } from '../../vdf/verify.ts'

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

/** Throws NativeError where the addon fails. */
export interface Kernel {
  /** The backend in use, such as "x86-64-adx" or "portable". */
  readonly backend: string
  /** `compiled` or `ordered`. */
  readonly steps: string
  /** Checks on the calling thread: nothing else waits for it. */
  verify(claim: ProofClaim): Verdict
  /** |D|, big-endian. */
  discriminant(seed: Uint8Array, bits: number): Uint8Array
}

/** Proofs of one file often share a discriminant, and deriving one costs more than the check. */
const KEPT_DISCRIMINANTS = 64

function nativeKernel(): Kernel {
  const native = addon()
  const kept = new LruMap<string, Discriminant>(KEPT_DISCRIMINANTS)
  const discriminantOf = (source: ProofClaim['source'], bits: number): Discriminant => {
    const isSeed = 'seed' in source
    const key = isSeed ? `${bits}:${toHex(source.seed)}` : toHex(source.discriminant)
    const found =
      kept.get(key) ??
      (isSeed ? native.Discriminant.fromSeed(source.seed, bits) : native.Discriminant.fromBytes(source.discriminant))
    kept.set(key, found)
    return found
  }
  return {
    backend: native.backend(),
    steps: native.steps(),
    discriminant: (seed, bits) => discriminantOf({ seed }, bits).bytes(),
    verify: ({ source, bits, iterations, x, depth, proof }) => {
      const checked = answer(() =>
        native.verifyProof(discriminantOf(source, bits), x ?? null, iterations, proof, depth)
      )
      if (checked.ok) return verdictOf(checked.value)
      // What the kernel calls a wrong argument is here part of the claim: a composite discriminant, a start that
      // is not a form.
      if (checked.code === 'INVALID_ARGUMENT') return { valid: false, reason: checked.message }
      throw new NativeError(checked.code, checked.message)
    }
  }
}

export const portableKernel: Kernel = {
  backend: 'bigint',
  steps: 'none',
  discriminant: (seed, bits) => toBytesBe(discriminantFromSeed(seed, bits).magnitude, bits / 8),
  verify: ({ source, bits, iterations, x, depth, proof }) => {
    try {
      const discriminant =
        'seed' in source ? discriminantFromSeed(source.seed, bits) : discriminantFromBytes(source.discriminant)
      const start = x ?? encodeForm(generator(discriminant), discriminant)
      return verdictOf(verifyProof(discriminant, start, BigInt(iterations), proof, depth))
    } catch (error) {
      // a discriminant that is none is part of the claim here
      if (error instanceof RangeError) return { valid: false, reason: error.message }
      throw error
    }
  }
}

const verdictOf = (valid: boolean): Verdict => (valid ? { valid } : { valid, reason: 'the proof does not prove this' })

/** Without an addon it verifies on BigInt. Throws NativeError ADDON_UNAVAILABLE. */
export const kernel = (): Kernel => (missingAddon() === undefined ? nativeKernel() : portableKernel)

/**
 * Opens a pool for one command and ends its threads whatever happens. Throws NativeError ADDON_MISSING without an
 * addon.
 */
export async function withPool<T>(use: (pool: NativePool) => Promise<T>, auxiliaryThreads = 1): Promise<T> {
  const { createNativePool } = await import('../../native/pool/pool.ts')
  const pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads })
  try {
    return await use(pool)
  } finally {
    await pool.close()
  }
}
