import * as v from 'valibot'
import { faultOf } from '../../protocol/encoding/issue.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode, inputFailure, usageFailure } from '../failures/failure.ts'
import { readLines } from '../input/files.ts'
import { bytesFromHex } from '../input/values.ts'
import {
  type Kernel,
  kernel,
  MAX_DISCRIMINANT_BITS,
  MIN_DISCRIMINANT_BITS,
  type ProofClaim,
  seedFault,
  shapeFault,
  type Verdict
} from './kernel.ts'

interface VerifyOptions {
  seed?: Uint8Array
  discriminant?: Uint8Array
  bits?: number
  iterations?: number
  x?: Uint8Array
  depth?: number
  proof?: Uint8Array
  jsonl?: string
}

function claimOf(options: VerifyOptions): ProofClaim {
  const { seed, discriminant, bits, iterations, x, depth, proof } = options
  if (seed !== undefined && discriminant !== undefined)
    throw usageFailure('--seed and --discriminant exclude each other', 'Give the one you have.')
  const source = seed !== undefined ? { seed } : discriminant !== undefined ? { discriminant } : undefined
  if (source === undefined || bits === undefined || iterations === undefined || proof === undefined) {
    const missing = [
      ...(source === undefined ? ['--seed (or --discriminant)'] : []),
      ...(bits === undefined ? ['--bits'] : []),
      ...(iterations === undefined ? ['--iterations'] : []),
      ...(proof === undefined ? ['--proof'] : [])
    ]
    throw usageFailure(`missing: ${missing.join(', ')}`, 'See chronym help vdf verify.')
  }
  if (bits < MIN_DISCRIMINANT_BITS || bits > MAX_DISCRIMINANT_BITS || bits % 8 !== 0) {
    throw usageFailure(
      `--bits ${bits}: a discriminant has ${MIN_DISCRIMINANT_BITS} to ${MAX_DISCRIMINANT_BITS} bits, a multiple of 8`
    )
  }
  const fault = seed === undefined ? undefined : seedFault(seed)
  if (fault !== undefined) throw usageFailure(`--seed: ${fault}`, 'Give its discriminant instead: --discriminant.')
  return { source, bits, iterations, x, depth: depth ?? 0, proof }
}

/** A claim whose shape is wrong is not valid; nothing of it reaches the kernel. */
function check(by: Kernel, claim: ProofClaim): Verdict {
  const fault = shapeFault(claim)
  return fault === undefined ? by.verify(claim) : { valid: false, reason: fault }
}

/** Why nothing can be said of a line whose proof may be valid: chiavdf takes longer seeds than the kernel. */
function unjudged({ source, alsoSeed }: LineClaim): string | undefined {
  const seed = 'seed' in source ? source.seed : alsoSeed
  const fault = seed === undefined ? undefined : seedFault(seed)
  return fault === undefined ? undefined : `seed_hex: ${fault}; not judged. Give discriminant_hex alone`
}

function checkLine(by: Kernel, claim: LineClaim): Verdict {
  const verdict = check(by, claim)
  if (!verdict.valid || claim.alsoSeed === undefined) return verdict
  // A line that gives both says that the one comes from the other.
  const derived = by.discriminant(claim.alsoSeed, claim.bits)
  const same = 'discriminant' in claim.source && Buffer.from(derived).equals(claim.source.discriminant)
  return same ? verdict : { valid: false, reason: 'discriminant_hex is not derived from seed_hex' }
}

function verifyOne(context: Context, claim: ProofClaim): ExitCode {
  const verdict = check(kernel(), claim)
  context.output.answer(verdict, (paint) =>
    verdict.valid ? paint('green', 'valid') : `${paint('red', 'not valid')}: ${verdict.reason}`
  )
  return verdict.valid ? EXIT.ok : EXIT.negative
}

async function verifyLines(context: Context, file: string): Promise<ExitCode> {
  let line = 0
  let checked = 0
  let refused = 0
  const by = kernel()
  for await (const text of readLines(file, context.stdin)) {
    line += 1
    if (text.trim() === '') continue
    checked += 1
    const parsed = parseClaimLine(text)
    const error = 'error' in parsed ? parsed.error : unjudged(parsed.claim)
    const verdict = 'error' in parsed || error !== undefined ? { valid: false, error } : checkLine(by, parsed.claim)
    if (!verdict.valid) refused += 1
    context.output.jsonLine({ line, ...verdict })
  }
  if (checked === 0) throw inputFailure(`${file} holds no line to check`)
  return refused === 0 ? EXIT.ok : EXIT.negative
}

export async function runVerify(context: Context, options: VerifyOptions): Promise<ExitCode> {
  const { jsonl, ...single } = options
  if (jsonl === undefined) return verifyOne(context, claimOf(single))
  const others = Object.keys(single)
  if (others.length > 0) throw usageFailure(`--jsonl excludes ${others.map((name) => `--${name}`).join(', ')}`)
  return verifyLines(context, jsonl)
}

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

interface LineClaim extends ProofClaim {
  /** Given beside a discriminant: the discriminant must be the one derived from it. */
  alsoSeed: Uint8Array | undefined
}

type ParsedLine = { claim: LineClaim } | { error: string }

/** Reads one line; whatever is wrong with it comes back as text, never as an exception. */
export function parseClaimLine(text: string): ParsedLine {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { error: 'not JSON' }
  }
  const parsed = v.safeParse(ClaimLine, json)
  if (!parsed.success) return { error: faultOf(parsed.issues) }
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
