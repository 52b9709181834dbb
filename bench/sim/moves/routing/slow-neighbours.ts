/** Neighbours of a name answer hourly rounds with pages without end, each at the last moment. */
import type { Answer, Request } from '../../../../src/network/wire/messages.ts'
import { empty } from '../../people/adversary.ts'
import { nextInvented } from '../lists.ts'
import { HOUR_MS, MINUTE_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** A question is given up after ten seconds, both ways included. */
const PAGE_MS = 9_700

/** A list and its records, commitments, and a question under way at the end of each. */
const MOST_MS = 2.5 * MINUTE_MS + 2 * 10_000

/** The others of a round, and what it takes from them. */
const OTHERS_MS = 2 * MINUTE_MS

const ROUNDS = 3

export const move: Move = {
  id: 'slow-neighbours',
  attacks: ['a neighbour that takes its time'],
  begins: 'settled',
  days: 4.5,
  ids: 2,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    const lie = async (request: Request): Promise<Answer> => {
      if (request.type === 'list' || request.type === 'commitments') await world.sleep(PAGE_MS)
      if (request.type === 'list') return { type: 'listed', entries: [nextInvented(request)], more: true }
      if (request.type !== 'commitments') return empty(request)
      const { key } = nextInvented({ key: new Uint8Array(32), bits: 0, ...request })
      return { type: 'commitments', commitments: [{ commitment: key, seen: world.round() - 50 }], more: true }
    }
    adversary.joinNear(victim.recordKey, ids, lie)
    let longestMs = 0
    for (let round = 0; round < ROUNDS; round++) {
      await world.sleep(HOUR_MS)
      const [nearest] = world.holdersOf(victim.recordKey)
      const beganMs = world.timeline.nowMs
      await nearest!.replicate()
      longestMs = Math.max(longestMs, world.timeline.nowMs - beganMs)
      remark(`with ${ids} of them an hourly round takes ${Math.round(longestMs / MINUTE_MS)} minutes at most`)
      if (longestMs > ids * MOST_MS + OTHERS_MS)
        breach(`an hourly round takes ${Math.round(longestMs / MINUTE_MS)} minutes with ${ids} slow neighbours`)
    }
    adversary.leave()
  }
}
