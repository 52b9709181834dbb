/**
 * Verification of Wesolowski's proofs on BigInt, for where the addon does not load. It gives the addon's verdicts:
 * __test__/vdf holds both to the same vectors and to each other.
 */
import { checkSize, discriminantFromSeed, B_BYTES, challenge } from './discriminant.ts'
import { decodeForm, encodeForm, FORM_BYTES, isPlausibleForm } from './encoding.ts'
import { equalForms, generator, type Discriminant, type Form, doublePower } from './form.ts'
import { bitLength, fromBytesBe, powerOfTwoMod } from './integers.ts'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { pulseMessage } from '../protocol/time.ts'

/** Bytes of a segment before the last one: squarings, B and witness. */
const RECORD_BYTES = 8 + B_BYTES + FORM_BYTES

/** What a proof has to show: that its first 100 bytes are the generator of the seed's group, squared that often. */
export interface VdfQuestion {
  /** 2 to 64 bytes; the discriminant is derived from it. */
  readonly seed: Uint8Array
  /** A multiple of 8 from 8 to 1024. */
  readonly bits: number
  readonly iterations: number
  /** Squarings that the first of two segments must have; null asks for a single segment. */
  readonly split: number | null
  /** 200 bytes, or 341 with a split. */
  readonly proof: Uint8Array
}

interface Segment {
  readonly squarings: bigint
  readonly prime: bigint
  readonly witness: Uint8Array
}

interface Parts {
  readonly y: Uint8Array
  readonly witness: Uint8Array
  /** Of the last segment. */
  readonly squarings: bigint
  /** Those before the last one, the earliest first. */
  readonly segments: readonly Segment[]
}

/**
 * Checks one proof, cheap steps first: its structure, then the discriminant, the forms, the powers. At 1024 bits a
 * third of a second, most of it for the discriminant. Throws RangeError for questions that have no answer.
 */
export function verifyQuestion({ seed, bits, iterations, split, proof }: VdfQuestion): boolean {
  checkSize(bits)
  if (!Number.isSafeInteger(iterations) || iterations < 0) throw new RangeError(`${iterations} squarings`)
  const parts = parseProof(bits, BigInt(iterations), proof, split === null ? 0 : 1)
  if (parts === undefined) return false
  if (split !== null && parts.segments[0]!.squarings !== BigInt(split)) return false
  const discriminant = discriminantFromSeed(seed, bits)
  return verifyParts(discriminant, encodeForm(generator(discriminant), discriminant), parts)
}

/**
 * Whether `proof` shows `y = x^(2^iterations)`, where y is its first 100 bytes and `depth` the number of segments
 * before the last. `x` is an encoding, 100 bytes.
 */
export function verifyProof(
  discriminant: Discriminant,
  x: Uint8Array,
  iterations: bigint,
  proof: Uint8Array,
  depth: number
): boolean {
  const parts = parseProof(discriminant.bits, iterations, proof, depth)
  return parts !== undefined && verifyParts(discriminant, x, parts)
}

/** The parts of a proof with a sound structure; undefined where numbers of squarings, primes or forms cannot be. */
function parseProof(bits: number, iterations: bigint, proof: Uint8Array, depth: number): Parts | undefined {
  if (proof.length !== 2 * FORM_BYTES + depth * RECORD_BYTES) return undefined
  const [y, witness] = [proof.subarray(0, FORM_BYTES), proof.subarray(FORM_BYTES, 2 * FORM_BYTES)]
  const segments: Segment[] = []
  let squarings = iterations
  for (let end = proof.length; end > 2 * FORM_BYTES; end -= RECORD_BYTES) {
    const record = proof.subarray(end - RECORD_BYTES, end)
    const segment = {
      squarings: fromBytesBe(record.subarray(0, 8)),
      prime: fromBytesBe(record.subarray(8, 8 + B_BYTES)),
      witness: record.subarray(8 + B_BYTES)
    }
    squarings -= segment.squarings
    if (squarings < 0n || (segment.prime & 1n) === 0n || bitLength(segment.prime) !== 8 * B_BYTES) return undefined
    segments.push(segment)
  }
  const forms = [y, witness, ...segments.map((segment) => segment.witness)]
  return forms.every((form) => isPlausibleForm(bits, form)) ? { y, witness, squarings, segments } : undefined
}

function verifyParts(discriminant: Discriminant, start: Uint8Array, parts: Parts): boolean {
  // every form before the first power, which costs a hundred times as much
  const decoded = [parts.y, parts.witness, start, ...parts.segments.map(({ witness }) => witness)].map((bytes) =>
    decodeForm(bytes, discriminant)
  )
  if (decoded.includes(undefined)) return false
  const [y, last, x, ...witnesses] = decoded as [Form, Form, Form, ...Form[]]
  let [from, fromBytes] = [x, start]
  for (const [index, { squarings, prime }] of parts.segments.entries()) {
    const end = doublePower(witnesses[index]!, prime, from, powerOfTwoMod(squarings, prime), discriminant)
    const endBytes = encodeForm(end, discriminant)
    if (challenge(fromBytes, endBytes) !== prime) return false
    ;[from, fromBytes] = [end, endBytes]
  }
  const prime = challenge(fromBytes, parts.y)
  return equalForms(doublePower(last, prime, from, powerOfTwoMod(parts.squarings, prime), discriminant), y)
}

/** The suite of RFC 9380. */
const DST = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'

/**
 * Whether the chain of that key (96 bytes, on G2) signed the round. Some 20 ms. False for points that are not
 * canonical, not of the subgroup, or zero.
 */
export function verifyPulse(publicKey: Uint8Array, round: number, signature: Uint8Array): boolean {
  const { shortSignatures: bls } = bls12_381
  try {
    const point = bls.Signature.fromBytes(signature)
    point.assertValidity()
    return bls.verify(point, bls.hash(pulseMessage(round), DST), publicKey)
  } catch {
    // the library throws for bytes that are no point of the group
    return false
  }
}
