/** The verified pulses held in memory, the newest of them, and the check that admits one. */
import type { VerdictOptions } from '../native/types.ts'
import { PULSE_SIGNATURE_BYTES, pulseRandomness, type Pulse } from '../protocol/time.ts'
import { BoundedMap } from '../util/bounded-map.ts'
import type { VerifiedPulse } from './types.ts'

/** The pool verifies a pulse once, even if it is asked about several times at once. */
type VerifySignature = (round: number, signature: Uint8Array, options?: VerdictOptions) => Promise<boolean>

export class PulseStore {
  // First in, first out: the newest pulse is asked for most and came last, an old one is quickly verified again.
  readonly #held: BoundedMap<number, VerifiedPulse>
  readonly #verify: VerifySignature
  readonly #onLatest: (pulse: VerifiedPulse) => void
  #latest: VerifiedPulse | undefined

  constructor(capacity: number, verify: VerifySignature, onLatest: (pulse: VerifiedPulse) => void) {
    this.#held = new BoundedMap(capacity)
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
   * The pulse as verified, or undefined when it is not this chain's. A round has one valid signature (BLS signatures
   * are unique and encodings strict), so comparing bytes decides a held round.
   */
  async accept({ round, signature }: Pulse, options?: VerdictOptions): Promise<VerifiedPulse | undefined> {
    if (!Number.isSafeInteger(round) || round < 1 || signature.length !== PULSE_SIGNATURE_BYTES) return undefined
    const held = this.#held.get(round)
    if (held !== undefined) return Buffer.compare(held.signature, signature) === 0 ? held : undefined
    const own = signature.slice()
    if (!(await this.#verify(round, own, options))) return undefined
    return this.#held.get(round) ?? this.#hold({ round, signature: own, randomness: pulseRandomness(own) })
  }

  #hold(pulse: VerifiedPulse): VerifiedPulse {
    this.#held.set(pulse.round, pulse)
    if (this.#latest === undefined || pulse.round > this.#latest.round) {
      this.#latest = pulse
      this.#onLatest(pulse)
    }
    return pulse
  }
}
