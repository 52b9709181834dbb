/** Pulses: one a round, at all nodes at once, unless the beacon is stopped; it continues with the present one. */
import { clockRound } from '../../../src/protocol/time/beacon-time.ts'
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import type { Timeline } from '../world/timeline.ts'

export class Beacon {
  readonly #timeline: Timeline
  readonly #profile: NetworkProfile
  #stoppedAt: number | undefined

  constructor(timeline: Timeline, profile: NetworkProfile) {
    this.#timeline = timeline
    this.#profile = profile
  }

  latestRound(): number {
    return clockRound(this.#stoppedAt ?? this.#timeline.nowMs, this.#profile.beacon)
  }

  stop(): void {
    this.#stoppedAt ??= this.#timeline.nowMs
  }

  resume(): void {
    this.#stoppedAt = undefined
  }
}
