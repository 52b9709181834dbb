/** A claim's next record, signed by the key that its keys change to. */
import { changeMessage, marksOf, nextHash } from '../../src/protocol/claim/changes.ts'
import { type KeyPair, sign } from '../../src/protocol/crypto/ed25519.ts'
import { decodeVdfProof, encodeVdfProof } from '../../src/protocol/claim/proof.ts'
import { claimIdOf, signReveal, type Reveal } from '../../src/protocol/claim/reveal.ts'
import { profileHash, type NetworkProfile } from '../../src/protocol/profile/profile.ts'

/** How a claim's keys change. */
export interface KeyChange {
  readonly to: KeyPair
  /** Which key may change them after this. */
  readonly next: KeyPair
  /** The change key that was named before. */
  readonly by: KeyPair
  /** The signing key before, where it signs too. */
  readonly consent?: KeyPair
}

/** The same claim with another key. */
export function withChange(reveal: Reveal, { to, next, by, consent }: KeyChange, profile: NetworkProfile): Reveal {
  const hash = profileHash(profile)
  const proof = decodeVdfProof(reveal.vdf_proof)
  const { changes = [], first = reveal.pubkey } = proof
  const { name } = reveal
  const claimId = claimIdOf(reveal, proof, hash).id
  const terms = {
    pubkey: to.publicKey,
    next: nextHash(next.publicKey, hash),
    consented: consent !== undefined
  }
  const before = marksOf(name, claimId, changes, hash).at(-1)?.hash
  const message = changeMessage({ name, claimId, before }, terms, hash)
  const change = {
    ...terms,
    key: by.publicKey,
    signature: sign(message, by.secretKey),
    ...(consent && { consent: sign(message, consent.secretKey) })
  }
  const vdf_proof = encodeVdfProof({ ...proof, first, changes: [...changes, change] })
  return signReveal({ ...reveal, vdf_proof }, to, hash)
}
