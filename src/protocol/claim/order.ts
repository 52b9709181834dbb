import { compareBytes, equalBytes } from '../encoding/bytes.ts'
import type { Claim } from './claim.ts'

export type RecordOrder = Pick<Claim, 'newestRound' | 'serial' | 'payloadHash' | 'recordHash'>

/** Total order of the records of one claim by (p, serial, H(payload), H(record)): positive when `left` is the newer. */
export function compareRecords(left: RecordOrder, right: RecordOrder): number {
  return (
    left.newestRound - right.newestRound ||
    left.serial - right.serial ||
    compareBytes(left.payloadHash, right.payloadHash) ||
    compareBytes(left.recordHash, right.recordHash)
  )
}

export function equivocates(left: RecordOrder, right: RecordOrder): boolean {
  return (
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
