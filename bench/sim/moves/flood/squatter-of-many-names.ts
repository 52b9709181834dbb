/** One chip registers fifty long names, one after the other, and keeps them. */
import { HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** Fifty: what a thousand cost is twenty times as much, since names share nothing. */
const NAMES = 50

export const move: Move = {
  id: 'squatter-of-many-names',
  attacks: [],
  begins: 'start',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, remark }) {
    const beganMs = world.timeline.nowMs
    for (let number = 0; number < NAMES; number++) {
      const owner = adversary.owner(`a-name-to-squat-on-${number}.chronym`)
      await owner.work(await owner.committed())
      void owner.keep()
      const hours = (world.timeline.nowMs - beganMs) / HOUR_MS
      const { bytes } = world.ledger.attacker
      remark(`${number + 1} names after ${hours.toFixed(1)} h, ${(bytes / 1e6).toFixed(2)} MB sent`)
    }
  }
}
