/** The Reveal: the record of who owns a name and what its zone is. */
import { concatBytes, lp, sha256, u64be } from '../encoding/bytes.ts'
import { decodeCanonical, encodeCbor, bytesField, fieldsOf, integerField, textField } from '../encoding/cbor.ts'
import { domain } from '../crypto/domain.ts'
import type { KeyPair } from '../crypto/ed25519.ts'
import { EncodingError } from '../errors.ts'
import { PUBLIC_KEY_BYTES, sign, SIGNATURE_BYTES } from '../crypto/ed25519.ts'
import { marksOf } from './changes.ts'
import { commitmentHash } from './commitment.ts'
import { type Link, type VdfProof, decodeVdfProof, encodeVdfProof, MAX_VDF_PROOF_BYTES } from './proof.ts'

export type { Link, VdfProof } from './proof.ts'
export { decodeVdfProof, encodeVdfProof, MAX_VDF_PROOF_BYTES } from './proof.ts'
export type { ProofShape } from './proof.ts'
export { FORM_BYTES, proofOutput, proofShape } from './proof.ts'

export interface Reveal {
  name: string
  /** The signing key, 32 bytes: the last that a change names, or the first. */
  pubkey: Uint8Array
  /** p of the newest link. */
  drand_pulse: number
  /** Squarings of the newest link. */
  iterations: number
  /** Deterministic CBOR, see proof.ts. */
  vdf_proof: Uint8Array
  /** 64 bytes. */
  signature: Uint8Array
  /** A zone; the network accepts any bytes. */
  payload: Uint8Array
}

type UnsignedReveal = Omit<Reveal, 'signature'>

/** Longest name: a label and a top-level label of 63 octets each, and the dot. */
export const MAX_NAME_BYTES = 127

/** Most bytes of a payload that a profile may allow; its own limit is `limits.payload_bytes`. */
const MAX_PAYLOAD_BYTES = 65_536

/** Longest encoded Reveal: its longest parts and 1 KiB for member names and heads. */
const MAX_REVEAL_BYTES = MAX_VDF_PROOF_BYTES + MAX_PAYLOAD_BYTES + 1024

const BOUNDS = { maxBytes: MAX_REVEAL_BYTES, maxDepth: 1 }
const MEMBERS = ['name', 'pubkey', 'drand_pulse', 'iterations', 'vdf_proof', 'signature', 'payload']

/** What the owner signs: `domain(reveal) ‖ lp(name) ‖ p ‖ iterations ‖ signed proof ‖ lp(payload)`. */
export function revealSigningBytes(reveal: UnsignedReveal, profileHash: Uint8Array): Uint8Array {
  return concatBytes(
    domain('reveal', profileHash),
    lp(reveal.name),
    u64be(reveal.drand_pulse),
    u64be(reveal.iterations),
    signedProof(reveal, profileHash),
    lp(reveal.payload)
  )
}

/**
 * H(vdf_proof). With changes it is `H(H(vdf_proof without changes) ‖ hash of the last change)`: so the new owner can sign
 * the record of a change before the change key has signed that, and accepts it by this signature.
 */
function signedProof({ name, pubkey, drand_pulse, vdf_proof }: UnsignedReveal, profileHash: Uint8Array): Uint8Array {
  const proof = readProof(vdf_proof)
  if (proof?.changes === undefined) return sha256(vdf_proof)
  const { changes, ...unchanged } = proof
  const { id } = claimIdOf({ name, pubkey, drand_pulse }, proof, profileHash)
  return sha256(sha256(encodeVdfProof(unchanged)), marksOf(name, id, changes, profileHash).at(-1)!.hash)
}

/** Undefined where it does not decode: then it has no changes either. */
function readProof(bytes: Uint8Array): VdfProof | undefined {
  try {
    return decodeVdfProof(bytes)
  } catch (error) {
    if (error instanceof EncodingError) return undefined
    throw error
  }
}

export function signReveal(reveal: Omit<UnsignedReveal, 'pubkey'>, key: KeyPair, profileHash: Uint8Array): Reveal {
  const unsigned = { ...reveal, pubkey: key.publicKey }
  return { ...unsigned, signature: sign(revealSigningBytes(unsigned, profileHash), key.secretKey) }
}

export function encodeReveal({
  name,
  pubkey,
  drand_pulse,
  iterations,
  vdf_proof,
  signature,
  payload
}: Reveal): Uint8Array {
  return encodeCbor({ name, pubkey, drand_pulse, iterations, vdf_proof, signature, payload })
}

/** Throws EncodingError for anything but the one encoding of a Reveal. Validity is separate, see valid.ts. */
export function decodeReveal(bytes: Uint8Array): Reveal {
  const fields = fieldsOf(decodeCanonical(bytes, BOUNDS), MEMBERS)
  return {
    name: textField(fields, 'name'),
    pubkey: bytesField(fields, 'pubkey', PUBLIC_KEY_BYTES),
    drand_pulse: integerField(fields, 'drand_pulse'),
    iterations: integerField(fields, 'iterations'),
    vdf_proof: bytesField(fields, 'vdf_proof'),
    signature: bytesField(fields, 'signature', SIGNATURE_BYTES),
    payload: bytesField(fields, 'payload')
  }
}

/**
 * The claim: `H(domain(claim) ‖ lp(name) ‖ C ‖ u64(first p))`, C of the first link, which binds the first key. Renewals
 * and updates keep it. It is known before the record is checked.
 */
export function claimId(name: string, commitment: Uint8Array, firstRound: number, profileHash: Uint8Array): Uint8Array {
  return sha256(domain('claim', profileHash), lp(name), commitment, u64be(firstRound))
}

/** C of a link. The first keys and `next` are in each: changes of keys leave the links as they are. */
export function linkCommitment(
  { name, pubkey }: Pick<Reveal, 'name' | 'pubkey'>,
  { first = pubkey, next }: VdfProof,
  salt: Uint8Array,
  profileHash: Uint8Array
): Uint8Array {
  return commitmentHash(name, first, salt, profileHash, next)
}

/** C of the first link, which a witness saw, and the id of the claim. Verifies nothing. */
export function claimIdOf(
  reveal: Pick<Reveal, 'name' | 'pubkey' | 'drand_pulse'>,
  proof: VdfProof,
  profileHash: Uint8Array
): { commitment: Uint8Array; id: Uint8Array } {
  const { p, salt } = proof.chain?.[0] ?? { p: reveal.drand_pulse, salt: proof.salt }
  const commitment = linkCommitment(reveal, proof, salt, profileHash)
  return { commitment, id: claimId(reveal.name, commitment, p, profileHash) }
}

/** All links of a Reveal, from the first claim to the newest. Throws EncodingError when `vdf_proof` does not decode. */
export function linksOf(reveal: Reveal): readonly Link[] {
  return linksOfProof(reveal, decodeVdfProof(reveal.vdf_proof))
}

export function linksOfProof(
  { drand_pulse, iterations }: Reveal,
  { chain = [], pulse, proof, salt }: VdfProof
): readonly Link[] {
  return [...chain, { p: drand_pulse, iterations, pulse, proof, salt }]
}

/** The number of changes of the claim's keys, by which an owner derives its own. Throws EncodingError. */
export function changesIn({ vdf_proof }: Reveal): number {
  return decodeVdfProof(vdf_proof).changes?.length ?? 0
}

/** The link that claimed the name. Throws EncodingError. */
export function firstLink(reveal: Reveal): Link {
  return linksOf(reveal)[0]!
}

/** The link that the lease runs from. Throws EncodingError. */
export function newestLink(reveal: Reveal): Link {
  return linksOf(reveal).at(-1)!
}
