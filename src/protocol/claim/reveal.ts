/** The Reveal: the record of who owns a name and what its zone is. */
import { concatBytes, lp, sha256, u64be } from '../encoding/bytes.ts'
import { decodeCanonical, encodeCbor, bytesField, fieldsOf, integerField, textField } from '../encoding/cbor.ts'
import { domain } from '../crypto/domain.ts'
import type { KeyPair } from '../crypto/ed25519.ts'
import { PUBLIC_KEY_BYTES, sign, SIGNATURE_BYTES } from '../crypto/ed25519.ts'
import { type Link, type VdfProof, decodeVdfProof, MAX_VDF_PROOF_BYTES } from './proof.ts'

export type { Link, VdfProof } from './proof.ts'
export { decodeVdfProof, encodeVdfProof, MAX_VDF_PROOF_BYTES } from './proof.ts'
export type { ProofShape } from './proof.ts'
export { FORM_BYTES, proofOutput, proofShape } from './proof.ts'

export interface Reveal {
  name: string
  /** 32 bytes. */
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

/** What the owner signs: `domain(reveal) ‖ lp(name) ‖ p ‖ iterations ‖ H(vdf_proof) ‖ lp(payload)`. */
export function revealSigningBytes(reveal: UnsignedReveal, profileHash: Uint8Array): Uint8Array {
  return concatBytes(
    domain('reveal', profileHash),
    lp(reveal.name),
    u64be(reveal.drand_pulse),
    u64be(reveal.iterations),
    sha256(reveal.vdf_proof),
    lp(reveal.payload)
  )
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

/** All links of a Reveal, from the first claim to the newest. Throws EncodingError when `vdf_proof` does not decode. */
export function linksOf(reveal: Reveal): readonly Link[] {
  return linksOfProof(reveal, decodeVdfProof(reveal.vdf_proof))
}

export function linksOfProof(reveal: Reveal, { chain = [], ...newest }: VdfProof): readonly Link[] {
  return [...chain, { p: reveal.drand_pulse, iterations: reveal.iterations, ...newest }]
}

/** The link that claimed the name. Throws EncodingError. */
export function firstLink(reveal: Reveal): Link {
  return linksOf(reveal)[0]!
}

/** The link that the lease runs from. Throws EncodingError. */
export function newestLink(reveal: Reveal): Link {
  return linksOf(reveal).at(-1)!
}
