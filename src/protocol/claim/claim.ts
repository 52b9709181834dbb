/** What the rules need of a valid Reveal, so that they compare entries without its bytes. */
import { concatBytes, sha256 } from '../encoding/bytes.ts'
import { commitmentHash } from './commitment.ts'
import { domain } from '../crypto/domain.ts'
import type { Name } from '../name/names.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import { profileHash } from '../profile/profile.ts'
import { proofOutput } from './proof-shape.ts'
import type { Reveal } from './reveal.ts'
import { claimId, encodeReveal } from './reveal.ts'
import type { Link } from './vdf-proof.ts'
import { payloadSerial } from '../zone/zone.ts'

export interface Claim {
  readonly name: Name
  readonly pubkey: Uint8Array
  /** `H(domain(claim) ‖ lp(name) ‖ C ‖ first p)`, 32 bytes: records are ordered within one claim only. */
  readonly id: Uint8Array
  /** C of the first link, as a witness saw it. */
  readonly commitment: Uint8Array
  /** p of the first link. */
  readonly firstRound: number
  readonly firstIterations: number
  /** `H(domain(tie) ‖ C ‖ y)` of the first link: decides between claims of one round, and cannot be chosen. */
  readonly tie: Uint8Array
  /** p of the newest link: the lease runs from it. */
  readonly newestRound: number
  /** Serial of the zone; 0 where the payload does not parse. */
  readonly serial: number
  readonly payloadHash: Uint8Array
  readonly recordHash: Uint8Array
}

export function claimOf(reveal: Reveal, name: Name, links: readonly Link[], profile: NetworkProfile): Claim {
  const hash = profileHash(profile)
  const first = links[0]!
  const commitment = commitmentHash(name, reveal.pubkey, first.salt, hash)
  return {
    name,
    pubkey: reveal.pubkey,
    id: claimId(name, commitment, first.p, hash),
    commitment,
    firstRound: first.p,
    firstIterations: first.iterations,
    tie: tieHash(commitment, proofOutput(first.proof), hash),
    newestRound: reveal.drand_pulse,
    serial: payloadSerial(reveal.payload, profile),
    payloadHash: sha256(reveal.payload),
    recordHash: sha256(encodeReveal(reveal))
  }
}

/** `H(domain(tie) ‖ C ‖ y)`: fixed-size fields, 32 and 100 bytes. */
export function tieHash(commitment: Uint8Array, output: Uint8Array, profileHash: Uint8Array): Uint8Array {
  return sha256(concatBytes(domain('tie', profileHash), commitment, output))
}
