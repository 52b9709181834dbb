/** The verified pulses held in memory, the newest of them, and the check that lets one in. */
import { PULSE_SIGNATURE_BYTES, pulseRandomness, type Pulse } from '../protocol/pulse.ts'
import type { VerifiedPulse } from './types.ts'

export type VerifySignature = (round: number, signature: Uint8Array) => Promise<boolean>

export class PulseStore {
  readonly #held = new Map<number, VerifiedPulse>()
  readonly #capacity: number
  readonly #verify: VerifySignature
  readonly #onLatest: (pulse: VerifiedPulse) => void
  /** Checks under way, so that one pulse from many peers is verified once. */
  readonly #checking = new Map<string, Promise<VerifiedPulse | undefined>>()
  #latest: VerifiedPulse | undefined

  constructor(capacity: number, verify: VerifySignature, onLatest: (pulse: VerifiedPulse) => void) {
    this.#capacity = capacity
    this.#verify = verify
    this.#onLatest = onLatest
  }

  get latest(): VerifiedPulse | undefined {
    return this.#latest
  }

  get(round: number): VerifiedPulse | undefined {
    return this.#held.get(round)
  }

  /**
   * The pulse as verified, or undefined when it is not this chain's. A round has one valid signature (BLS signatures are
   * unique and encodings strict), so a held round is decided by comparing bytes.
   */
  async accept({ round, signature }: Pulse): Promise<VerifiedPulse | undefined> {
    if (!Number.isSafeInteger(round) || round < 1 || signature.length !== PULSE_SIGNATURE_BYTES) return undefined
    const held = this.#held.get(round)
    if (held !== undefined) return Buffer.compare(held.signature, signature) === 0 ? held : undefined

    const key = `${round}:${Buffer.from(signature).toString('base64')}`
    let checking = this.#checking.get(key)
    if (checking === undefined) {
      checking = this.#check(round, signature.slice()).finally(() => this.#checking.delete(key))
      this.#checking.set(key, checking)
    }
    return await checking
  }

  async #check(round: number, signature: Uint8Array): Promise<VerifiedPulse | undefined> {
    if (!(await this.#verify(round, signature))) return undefined
    const pulse = { round, signature, randomness: pulseRandomness(signature) }
    this.#hold(pulse)
    return pulse
  }

  #hold(pulse: VerifiedPulse): void {
    this.#held.set(pulse.round, pulse)
    // First in, first out: the newest pulse is asked for most and came last, an old one is quickly verified again.
    if (this.#held.size > this.#capacity) this.#held.delete(this.#held.keys().next().value!)
    if (this.#latest === undefined || pulse.round > this.#latest.round) {
      this.#latest = pulse
      this.#onLatest(pulse)
    }
  }
}
