/**
 * Names as their owners make them: real keys, stamps, pulses of the dev beacon, proofs and signatures, of a few
 * squarings each.
 */
import { signDevPulse } from '../../src/beacon/dev-beacon.ts'
import type { Pulse } from '../../src/beacon/types.ts'
import { addon } from '../../src/native/addon.ts'
import { sha256, u64be, utf8 } from '../../src/protocol/encoding/bytes.ts'
import { commitmentHash } from '../../src/protocol/claim/commitment.ts'
import { keyPairFromSeed, type KeyPair } from '../../src/protocol/crypto/ed25519.ts'
import { iterationsFor, parseName } from '../../src/protocol/name/names.ts'
import { pulseRandomness } from '../../src/protocol/time.ts'
import { encodeVdfProof, vdfSeed } from '../../src/protocol/claim/proof.ts'
import { signReveal, type Reveal } from '../../src/protocol/claim/reveal.ts'
import { profileHash, type NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { stampHolds } from '../../src/protocol/crypto/domain.ts'
import { PROFILE } from './profile.ts'

/** Of a zone with a few records: about what a name with a web site has. */
const RECORDS = {
  '@': [
    { type: 'A', value: '192.0.2.10' },
    { type: 'AAAA', value: '2001:db8::10' },
    { type: 'TXT', value: '"earned by time"' }
  ]
}

export interface Draft {
  readonly name: string
  readonly owner: KeyPair
  readonly salt: Uint8Array
  readonly commitment: Uint8Array
  /** The stamp's nonce. */
  readonly nonce: Uint8Array
  readonly profile: NetworkProfile
}

/** All random bytes come from `seed`. */
export function draft(name: string, seed: string, profile: NetworkProfile = PROFILE): Draft {
  const owner = keyPairFromSeed(sha256(utf8(`${seed} owner ${name}`)))
  const salt = sha256(utf8(`${seed} salt ${name}`))
  const hash = profileHash(profile)
  const commitment = commitmentHash(name, owner.publicKey, salt, hash)
  for (let attempt = 0; ; attempt++) {
    const nonce = u64be(attempt)
    if (stampHolds(commitment, nonce, profile.stamp_bits, hash))
      return { name, owner, salt, commitment, nonce, profile }
  }
}

/**
 * The Reveal of a draft. Computes on the calling thread, some ten milliseconds, unless another way to prove is given.
 */
export function reveal({ name, owner, salt, commitment, profile }: Draft, pulse: Pulse, prove = squared): Reveal {
  const hash = profileHash(profile)
  const iterations = iterationsFor(parseName(name, profile), profile)
  const seed = vdfSeed({ commitment, round: pulse.round, randomness: pulseRandomness(pulse.signature) }, hash)
  const proof = prove(seed, iterations)
  const vdf_proof = encodeVdfProof({ pulse: pulse.signature, proof, salt })
  const payload = utf8(JSON.stringify({ records: RECORDS, serial: 1 }))
  return signReveal({ name, drand_pulse: pulse.round, iterations, vdf_proof, payload }, owner, hash)
}

/** The dev beacon's pulse of a round. Takes milliseconds. */
export function devPulse(round: number): Pulse {
  return { round, signature: signDevPulse(round) }
}

function squared(seed: Uint8Array, iterations: number): Uint8Array {
  const native = addon()
  const evaluation = new native.Evaluation(
    native.Discriminant.fromSeed(seed, PROFILE.discriminant_bits),
    null,
    iterations,
    null,
    2 ** 24
  )
  const never = new Uint32Array(1)
  while (evaluation.phase() !== 'done') evaluation.advance(10_000, never)
  return evaluation.proof()!
}
