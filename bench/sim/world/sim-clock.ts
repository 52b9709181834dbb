/** A node's protocol time: its own clock, which may be off, and the pulses that reach it. */
import { createRoundClock, type RoundClock } from '../../../src/time/round-clock.ts'
import type { Store } from '../../../src/store/types.ts'
import type { WorldPort } from '../ports.ts'

export function createSimClock(world: WorldPort, store: Store, offMs: () => number, lateRounds: () => number): RoundClock {
  const beacon = {
    latest: () => {
      const round = world.beacon.latestRound() - lateRounds()
      return round <= 0 ? undefined : { round, signature: NOTHING, randomness: NOTHING }
    }
  }
  return createRoundClock(beacon, world.profile, store, () => world.timeline.nowMs + offMs())
}

const NOTHING = new Uint8Array()
