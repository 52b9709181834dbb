/**
 * The randomness beacon as the rest of the program sees it. Bytes are bytes here, never hex.
 */
import type { VerdictOptions } from '../native/types.ts'
import { PartError } from '../protocol/errors.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import type { Pulse } from '../protocol/time.ts'

export type { Pulse }

/** A pulse whose signature was verified under the pinned chain key; `randomness` is SHA-256(signature). */
export interface VerifiedPulse extends Pulse {
  randomness: Uint8Array
}

/** The chain that a network profile pins: hash, key, scheme, period and genesis. */
export type BeaconChain = NetworkProfile['beacon']

export type BeaconErrorCode =
  /** No source answered, or the client is stopped. */
  | 'BEACON_UNAVAILABLE'
  /** A source answered with a pulse that does not verify, and no other source did better. */
  | 'BEACON_INVALID_PULSE'
  | 'BEACON_WRONG_CHAIN'
  | 'BEACON_INVALID_ROUND'

export class BeaconError extends PartError<'beacon', BeaconErrorCode> {
  override readonly name = 'BeaconError'
  override readonly part = 'beacon'
}

export interface BeaconClient {
  start(): void
  /** Ends all waits and requests; pending promises reject with BEACON_UNAVAILABLE. */
  stop(): void
  latest(): VerifiedPulse | undefined
  /** The pulse of one round, from the cache or a source. Rejects with BeaconError or the signal's reason. */
  get(round: number, signal?: AbortSignal): Promise<VerifiedPulse>
  /** As `get`, but waits for a round that is still to come and for sources that are down. */
  waitFor(round: number, signal?: AbortSignal): Promise<VerifiedPulse>
  /** max(clock round, highest verified round); a verified pulse moves time, a peer's word does not. */
  now(nowMs?: number): number
  /**
   * Whether a pulse from elsewhere is this chain's. A held round is compared as bytes. A pulse that verifies is kept,
   * and moves `latest` when it is the highest.
   */
  verify(pulse: Pulse, options?: VerdictOptions): Promise<boolean>
  /** Why pulses do not come, or come late: the sources or this machine's clock, and the cure; undefined while all is well. */
  fault(): string | undefined
  /** Calls `listener` for every new highest verified pulse; returns the function that ends it. */
  on(event: 'pulse', listener: (pulse: VerifiedPulse) => void): () => void
}
