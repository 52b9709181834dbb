/** The `vdf_proof` of a Reveal: with the profile, all that is needed to check it offline. */
import type { CborValue } from '../encoding/cbor.ts'
import { decodeCanonical, encodeCbor } from '../encoding/cbor.ts'
import { SALT_BYTES } from './commitment.ts'
import { EncodingError } from '../errors.ts'
import type { Fields } from '../encoding/record-fields.ts'
import { arrayField, bytesField, fieldsOf, integerField } from '../encoding/record-fields.ts'
import { PULSE_SIGNATURE_BYTES } from '../time/pulse.ts'

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

/** {v: 1, pulse, proof, salt, chain?}. p and iterations of the newest link are in the Reveal. */
export interface VdfProof {
  pulse: Uint8Array
  proof: Uint8Array
  salt: Uint8Array
  /** The links before the newest, from the first claim on; absent (not empty) for a first claim. */
  chain?: readonly Link[]
}

/** Longest `vdf_proof`: 64 earlier links of at most 480 bytes, rounded up. */
export const MAX_VDF_PROOF_BYTES = 32_768

const BOUNDS = { maxBytes: MAX_VDF_PROOF_BYTES, maxDepth: 3 }
const VERSION = 1

export function encodeVdfProof({ pulse, proof, salt, chain }: VdfProof): Uint8Array {
  const own = { v: VERSION, pulse, proof, salt }
  return encodeCbor(chain === undefined || chain.length === 0 ? own : { ...own, chain: chain.map(linkValue) })
}

/** Throws EncodingError for anything but the one encoding of a proof. Does not check proof lengths. */
export function decodeVdfProof(bytes: Uint8Array): VdfProof {
  const fields = fieldsOf(decodeCanonical(bytes, BOUNDS), ['v', 'pulse', 'proof', 'salt'], ['chain'])
  if (fields['v'] !== VERSION) throw new EncodingError(`v: version ${VERSION} is expected`)
  const own = evaluationOf(fields)
  if (!Object.hasOwn(fields, 'chain')) return own
  const chain = arrayField(fields, 'chain')
  if (chain.length === 0) throw new EncodingError('chain: absent when there are no earlier links')
  return { ...own, chain: chain.map(linkOf) }
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
