/**
 * Records with modelled pulses and proofs: right when they equal what these functions make. Encodings, signatures and
 * Valid are the project's own. A proof says nothing of the time that it takes: owners wait for it (people/owner.ts).
 */
import { createHash } from 'node:crypto'
import { sha256, toHex, u64be, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { nextHash } from '../../../src/protocol/claim/changes.ts'
import { commitmentHash } from '../../../src/protocol/claim/commitment.ts'
import type { KeyPair } from '../../../src/protocol/crypto/ed25519.ts'
import { proofShape, decodeVdfProof, encodeVdfProof, type Link, vdfSeed } from '../../../src/protocol/claim/proof.ts'
import { encodeReveal, linksOf, signReveal, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import { validateReveal, type Verdict } from '../../../src/protocol/claim/valid.ts'
import { iterationsFor, parseName, renewalIterations } from '../../../src/protocol/name/names.ts'
import { profileHash, type NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import { pulseRandomness } from '../../../src/protocol/time.ts'

interface ClaimParts {
  readonly name: string
  readonly owner: KeyPair
  readonly salt: Uint8Array
  /** p of the new link. */
  readonly round: number
  readonly serial?: number
  /** The record that this one renews. */
  readonly former?: Reveal
  /** Which key may change the keys of a new claim; none without. */
  readonly changeKey?: KeyPair | undefined
}

export function makeReveal(
  { name, owner, salt, round, serial = 1, former, changeKey }: ClaimParts,
  profile: NetworkProfile
): Reveal {
  const hash = profileHash(profile)
  const parsed = parseName(name, profile)
  const chain: readonly Link[] = former === undefined ? [] : linksOf(former)
  const iterations = chain.length === 0 ? iterationsFor(parsed, profile) : renewalIterations(parsed, profile)
  const pulse = modelledPulse(round, profile)
  const { first, next, changes } =
    former === undefined ? { next: changeKey && nextHash(changeKey.publicKey, hash) } : decodeVdfProof(former.vdf_proof)
  const commitment = commitmentHash(name, first ?? owner.publicKey, salt, hash, next)
  const seed = vdfSeed({ commitment, round, randomness: pulseRandomness(pulse), before: chain.at(-1)?.proof }, hash)
  const vdf_proof = encodeVdfProof({
    pulse,
    proof: modelledProof(seed, iterations, profile),
    salt,
    ...(chain.length > 0 && { chain }),
    ...(next && { next }),
    ...(first && changes && { first, changes })
  })
  const payload = utf8(JSON.stringify({ records: {}, serial }))
  return signReveal({ name, drand_pulse: round, iterations, vdf_proof, payload }, owner, hash)
}

/** The same claim with another zone. */
export function withZone(
  reveal: Reveal,
  owner: KeyPair,
  serial: number,
  note: string,
  profile: NetworkProfile
): Reveal {
  const payload = utf8(JSON.stringify({ note, records: {}, serial }))
  return signReveal({ ...reveal, payload }, owner, profileHash(profile))
}

/** Valid, each record once: a verdict depends on the record and the profile alone. */
export class Verdicts {
  readonly #profile: NetworkProfile
  readonly #known = new Map<string, Promise<Verdict>>()

  constructor(profile: NetworkProfile) {
    this.#profile = profile
  }

  of(reveal: Reveal): Promise<Verdict> {
    const id = toHex(sha256(encodeReveal(reveal)))
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const profile = this.#profile
    const verdict = validateReveal(reveal, profile, {
      verifyPulse: ({ round, signature }) => Promise.resolve(same(modelledPulse(round, profile), signature)),
      verifyProof: ({ seed, iterations, proof }) =>
        Promise.resolve(same(modelledProof(seed, iterations, profile), proof))
    })
    this.#known.set(id, verdict)
    return verdict
  }
}

function modelledPulse(round: number, { beacon }: NetworkProfile): Uint8Array {
  return digest(`pulse ${round} ${beacon.chain_hash}`, 48)
}

function modelledProof(seed: Uint8Array, iterations: number, profile: NetworkProfile): Uint8Array {
  const { length, split } = proofShape(iterations, profile)
  const proof = digest(`proof ${toHex(seed)} ${iterations}`, length)
  if (split !== null) proof.set(u64be(split), 200)
  return proof
}

function digest(text: string, length: number): Uint8Array {
  return new Uint8Array(createHash('shake256', { outputLength: length }).update(text).digest())
}

function same(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0
}
