/**
 * The `vdf_proof` of a Reveal. With the profile it is all that is needed to check a claim offline. A VDF of a given length
 * is proved in one form: any depth and split verifies, so one claim would otherwise have many proofs.
 */
import {
  type CborValue,
  decodeCanonical,
  encodeCbor,
  type Fields,
  arrayField,
  bytesField,
  fieldsOf,
  integerField
} from '../encoding/cbor.ts'
import { type Change, changeOf, changeValue, MAX_CHANGES, nextField } from './changes.ts'
import { SALT_BYTES } from './commitment.ts'
import { EncodingError } from '../errors.ts'
import { PULSE_SIGNATURE_BYTES } from '../time.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import { lp, sha256, u64be, concatBytes, toHex } from '../encoding/bytes.ts'
import { domain } from '../crypto/domain.ts'

/** One evaluation of the VDF: the first claim or a renewal. */
export interface Link {
  /** p: the round of the pulse. */
  p: number
  /** Signature of that pulse, 48 bytes. */
  pulse: Uint8Array
  iterations: number
  /** y ‖ witness (‖ a second segment). */
  proof: Uint8Array
  /** 32 bytes, drawn for this evaluation. */
  salt: Uint8Array
}

/** {v: 1, pulse, proof, salt, chain?, next?, first?, changes?}. p and iterations of the newest link are in the Reveal. */
export interface VdfProof {
  pulse: Uint8Array
  proof: Uint8Array
  salt: Uint8Array
  /** The links before the newest, from the first claim on; absent (not empty) for a first claim. */
  chain?: readonly Link[]
  /** Hash of the first change key, 32 bytes; absent where the claim was made without one. */
  next?: Uint8Array
  /** The first signing key, which C binds: 32 bytes. There exactly with `changes`. */
  first?: Uint8Array
  /** All changes of keys, in order; absent (not empty) without any. */
  changes?: readonly Change[]
}

/** Longest `vdf_proof`: 64 earlier links of at most 480 bytes and 16 changes of at most 270, rounded up. */
export const MAX_VDF_PROOF_BYTES = 36_864

const BOUNDS = { maxBytes: MAX_VDF_PROOF_BYTES, maxDepth: 3 }
const VERSION = 1

export function encodeVdfProof({ pulse, proof, salt, chain = [], next, first, changes = [] }: VdfProof): Uint8Array {
  return encodeCbor({
    v: VERSION,
    pulse,
    proof,
    salt,
    ...(chain.length > 0 && { chain: chain.map(linkValue) }),
    ...(next && { next }),
    ...(first && { first }),
    ...(changes.length > 0 && { changes: changes.map(changeValue) })
  })
}

/** Throws EncodingError for anything but the one encoding of a proof. Does not check proof lengths. */
export function decodeVdfProof(bytes: Uint8Array): VdfProof {
  const optional = ['chain', 'next', 'first', 'changes']
  const fields = fieldsOf(decodeCanonical(bytes, BOUNDS), ['v', 'pulse', 'proof', 'salt'], optional)
  if (fields['v'] !== VERSION) throw new EncodingError(`v: version ${VERSION} is expected`)
  const has = (member: string): boolean => Object.hasOwn(fields, member)
  const chain = has('chain') ? arrayField(fields, 'chain') : undefined
  if (chain?.length === 0) throw new EncodingError('chain: absent when there are no earlier links')
  const changes = has('changes') ? arrayField(fields, 'changes') : undefined
  if (changes?.length === 0) throw new EncodingError('changes: absent when there are none')
  if ((changes?.length ?? 0) > MAX_CHANGES) throw new EncodingError(`changes: at most ${MAX_CHANGES}`)
  if (has('first') !== has('changes')) throw new EncodingError('first: with changes, and only then')
  return {
    ...evaluationOf(fields),
    ...(chain && { chain: chain.map(linkOf) }),
    ...(has('next') && { next: nextField(fields) }),
    ...(changes && { first: bytesField(fields, 'first', 32), changes: changes.map(changeOf) })
  }
}

export function linkValue({ p, pulse, iterations, proof, salt }: Link): CborValue {
  return { p, pulse, iterations, proof, salt }
}

function linkOf(value: CborValue | undefined): Link {
  const fields = fieldsOf(value, ['p', 'pulse', 'iterations', 'proof', 'salt'])
  return { p: integerField(fields, 'p'), iterations: integerField(fields, 'iterations'), ...evaluationOf(fields) }
}

function evaluationOf(fields: Fields): Pick<Link, 'pulse' | 'proof' | 'salt'> {
  return {
    pulse: bytesField(fields, 'pulse', PULSE_SIGNATURE_BYTES),
    proof: bytesField(fields, 'proof'),
    salt: bytesField(fields, 'salt', SALT_BYTES)
  }
}

/** Bytes of a form of any discriminant; a proof begins with y and the witness (vdf-kernel formats, chiavdf's). */
export const FORM_BYTES = 100

/** Bytes that a second segment adds: iterations (8), B (33), witness (100). */
const SEGMENT_BYTES = 141

export interface ProofShape {
  /** Levels beyond the first: 0 for one segment, 1 for two. */
  readonly depth: 0 | 1
  /** Squarings of the first segment; null for one segment. */
  readonly split: number | null
  readonly length: number
}

/** One segment below `two_segment_from` squarings, from there two, split at T - floor(T / split_divisor). */
export function proofShape(iterations: number, profile: NetworkProfile): ProofShape {
  if (iterations < profile.two_segment_from) return { depth: 0, split: null, length: 2 * FORM_BYTES }
  return {
    depth: 1,
    split: iterations - Math.floor(iterations / profile.split_divisor),
    length: 2 * FORM_BYTES + SEGMENT_BYTES
  }
}

export function proofOutput(proof: Uint8Array): Uint8Array {
  return proof.subarray(0, FORM_BYTES)
}

export function claimedSplit(proof: Uint8Array): number {
  return Number(new DataView(proof.buffer, proof.byteOffset, proof.byteLength).getBigUint64(2 * FORM_BYTES))
}

/** What the seed of a link binds. */
interface SeedParts {
  /** C of the link, 32 bytes. */
  readonly commitment: Uint8Array
  /** p, the round of the pulse. */
  readonly round: number
  /** r = H(signature of that pulse), 32 bytes. */
  readonly randomness: Uint8Array
  /** Proof of the previous link, of which y counts; absent for a first claim. */
  readonly before?: Uint8Array | undefined
}

const NO_OUTPUT = new Uint8Array(0)

/**
 * The seed of a link's discriminant: `H(domain(vdf-seed) ‖ C ‖ u64(p) ‖ r ‖ lp(y))`, 32 bytes. y is the output of the
 * previous link, 100 bytes, and empty for a first claim. So no link can begin before the previous one is done [a chain
 * made in parallel].
 */
export function vdfSeed({ commitment, round, randomness, before }: SeedParts, profileHash: Uint8Array): Uint8Array {
  const output = before === undefined ? NO_OUTPUT : proofOutput(before)
  return sha256(domain('vdf-seed', profileHash), commitment, u64be(round), randomness, lp(output))
}

/**
 * Key of a proof's cached verdict: `H(seed ‖ iterations ‖ proof)` in hex. The seed is recomputed from the Reveal, so a
 * proof copied under another key has another seed; it holds the profile hash. The proof comes last, so its length needs
 * no prefix.
 */
export function proofCacheKey(seed: Uint8Array, iterations: number, proof: Uint8Array): string {
  return toHex(sha256(concatBytes(seed, u64be(iterations), proof)))
}
