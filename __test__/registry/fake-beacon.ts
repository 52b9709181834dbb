/** A beacon by the clock of a test. */
import { BeaconError, type BeaconClient, type Pulse, type VerifiedPulse } from '../../src/beacon/types.ts'
import { clockRound } from '../../src/protocol/time.ts'
import { sha256 } from '../../src/protocol/encoding/bytes.ts'
import type { Clock } from '../../src/time/clock.ts'
import { modelPulse } from '../protocol/fixtures.ts'
import { profile } from './test-profile.ts'

/** Pulses for every round that is due by the clock; silent when told so. Randomness is real, signatures are modelled. */
export class FakeBeacon implements BeaconClient {
  silent: boolean
  #newest: VerifiedPulse | undefined
  readonly #clock: Clock
  readonly #listeners = new Set<(pulse: VerifiedPulse) => void>()

  constructor(clock: Clock, silent = false) {
    this.#clock = clock
    this.silent = silent
  }
  /** How many wait for a pulse. */
  get waiting(): number {
    return this.#listeners.size
  }
  /** Ends the silence and says so to those who listen. */
  speak(): void {
    this.silent = false
    const newest = this.latest()!
    for (const listener of this.#listeners) listener(newest)
  }
  start(): void {}
  stop(): void {}
  fault(): undefined {
    return undefined
  }

  latest(): VerifiedPulse | undefined {
    const round = clockRound(this.#clock.now(), profile.beacon)
    if (!this.silent && round > (this.#newest?.round ?? 0)) this.#newest = pulseOf(round)
    return this.#newest
  }
  get(round: number): Promise<VerifiedPulse> {
    if (round > (this.latest()?.round ?? 0)) return Promise.reject(new BeaconError('BEACON_UNAVAILABLE', 'not yet'))
    return Promise.resolve(pulseOf(round))
  }
  async waitFor(round: number, signal?: AbortSignal): Promise<VerifiedPulse> {
    while (round > (this.latest()?.round ?? 0)) await this.#clock.sleep(profile.beacon.period * 1000, signal)
    return pulseOf(round)
  }
  now(): number {
    return Math.max(clockRound(this.#clock.now(), profile.beacon), this.latest()?.round ?? 0)
  }
  verify(pulse: Pulse): Promise<boolean> {
    return Promise.resolve(Buffer.compare(pulseOf(pulse.round).signature, pulse.signature) === 0)
  }
  on(_event: 'pulse', listener: (pulse: VerifiedPulse) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

function pulseOf(round: number): VerifiedPulse {
  const signature = modelPulse(round, profile)
  return { round, signature, randomness: sha256(signature) }
}
