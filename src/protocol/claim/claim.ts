/**
 * What the rules need of a valid Reveal, so that they compare records and claims without its bytes.
 */
import { concatBytes, sha256, compareBytes, equalBytes } from '../encoding/bytes.ts'
import { type ChangeMark, marksOf, relateChanges } from './changes.ts'
import { domain } from '../crypto/domain.ts'
import type { Name } from '../name/names.ts'
import { type NetworkProfile, profileHash } from '../profile/profile.ts'
import { decodeVdfProof, proofOutput } from './proof.ts'
import { type Reveal, claimIdOf, encodeReveal, linksOfProof } from './reveal.ts'
import { payloadSerial } from '../zone/zone.ts'
import { roundTimeMs, type ProtocolTime } from '../time.ts'

export interface Claim {
  readonly name: Name
  /** The signing key, as the last change left it. */
  readonly pubkey: Uint8Array
  /** Changes of its keys, in order. */
  readonly changes: readonly ChangeMark[]
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

/** Throws EncodingError where `vdf_proof` does not decode. Verifies nothing. */
export function claimOf(reveal: Reveal, name: Name, profile: NetworkProfile): Claim {
  const hash = profileHash(profile)
  const proof = decodeVdfProof(reveal.vdf_proof)
  const first = linksOfProof(reveal, proof)[0]!
  const { commitment, id } = claimIdOf(reveal, proof, hash)
  return {
    name,
    pubkey: reveal.pubkey,
    changes: marksOf(name, id, proof.changes ?? [], hash),
    id,
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

export type RecordOrder = Pick<Claim, 'changes' | 'newestRound' | 'serial' | 'payloadHash' | 'recordHash'>

/**
 * Total order of the records of one claim by (number of changes, p, serial, H(payload), H(record)): positive when `left`
 * is the newer. Which of two changes after the same one counts, is for admission and the majority to say.
 */
export function compareRecords(left: RecordOrder, right: RecordOrder): number {
  return (
    left.changes.length - right.changes.length ||
    left.newestRound - right.newestRound ||
    left.serial - right.serial ||
    compareBytes(left.payloadHash, right.payloadHash) ||
    compareBytes(left.recordHash, right.recordHash)
  )
}

/** Whether two records are of one claim, with the same changes of its keys. */
export function hasSameKeys(left: Pick<Claim, 'id' | 'changes'>, right: Pick<Claim, 'id' | 'changes'>): boolean {
  return equalBytes(left.id, right.id) && relateChanges(left.changes, right.changes) === 'same'
}

export function equivocates(left: RecordOrder, right: RecordOrder): boolean {
  return (
    relateChanges(left.changes, right.changes) === 'same' &&
    left.newestRound === right.newestRound &&
    left.serial === right.serial &&
    !equalBytes(left.payloadHash, right.payloadHash)
  )
}

/** Two payloads at one (p, serial), kept as the lowest and the highest hash seen. */
export interface Equivocation {
  readonly round: number
  readonly serial: number
  readonly payloadHashes: readonly [Uint8Array, Uint8Array]
}

/** The owner's known equivocation after one more record; the newest (p, serial) is kept. */
export function noteEquivocation(
  known: Equivocation | undefined,
  standing: RecordOrder,
  other: RecordOrder
): Equivocation | undefined {
  if (!equivocates(standing, other)) return known
  const round = standing.newestRound
  const { serial } = standing
  if (known !== undefined && (known.round - round || known.serial - serial) > 0) return known
  const hashes = [standing.payloadHash, other.payloadHash]
  if (known?.round === round && known.serial === serial) hashes.push(...known.payloadHashes)
  hashes.sort(compareBytes)
  return { round, serial, payloadHashes: [hashes[0]!, hashes.at(-1)!] }
}

/**
 * The order of claims in a contest: the lower (first p, tie) wins. Negative when `left` wins, zero for the same first
 * link.
 */
export function compareContest(
  left: Pick<Claim, 'firstRound' | 'tie'>,
  right: Pick<Claim, 'firstRound' | 'tie'>
): number {
  return left.firstRound - right.firstRound || compareBytes(left.tie, right.tie)
}

/**
 * The highest serial allowed now: the time of the newest verified round, in microseconds since 1970. It leaves room for
 * dates and Unix times as serials. It goes by no clock, so a clock that is ahead lets no higher one in.
 */
export function highestSerial({ verified }: Pick<ProtocolTime, 'verified'>, { beacon }: NetworkProfile): number {
  return Math.min(roundTimeMs(verified, beacon) * 1000, Number.MAX_SAFE_INTEGER)
}

/** Whether a record waits for time to reach its serial [a serial ahead of time]. */
export function isAhead(
  { serial }: Pick<Claim, 'serial'>,
  time: Pick<ProtocolTime, 'verified'>,
  profile: NetworkProfile
): boolean {
  return serial > highestSerial(time, profile)
}
