/** A node lists invented names without end, each page at the last moment that counts, to an owner who looks before it claims. */
import { probe } from '../../../../src/network/client/probe.ts'
import type { Answer, Request } from '../../../../src/network/wire/messages.ts'
import { empty } from '../../people/adversary.ts'
import { nextInvented } from '../lists.ts'
import { HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** A question is given up after ten seconds, both ways included. */
const PAGE_MS = 9_700

/** What answers and look-ups take beside. */
const OTHER_MS = 3_000

const LOOKS = 3

export const move: Move = {
  id: 'last-moment-pages',
  attacks: ['a page that comes at the last moment'],
  rows: ['a registration held up by lists'],
  begins: 'start',
  leadDays: 0.2,
  days: 1.5,
  ids: 1,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    const listers = new Set<string>()
    let slow = true
    const lie = async (request: Request): Promise<Answer | undefined> => {
      if (!slow) return undefined
      if (request.type !== 'list') return empty(request)
      await world.sleep(PAGE_MS)
      return { type: 'listed', entries: [nextInvented(request)], more: true }
    }
    for (const { peer } of adversary.joinNear(victim.recordKey, ids, lie)) listers.add(peer.peer)
    let longestMs = 0
    for (let look = 0; look < LOOKS; look++) {
      const beganMs = world.timeline.nowMs
      const { asked, silent } = await probe(victim.node.client, victim.name)
      const tookMs = world.timeline.nowMs - beganMs
      longestMs = Math.max(longestMs, tookMs)
      const lying = silent.filter(({ peer }) => listers.has(peer)).length
      const mostMs = (lying * 2 < asked ? 10_000 : 120_000) + OTHER_MS
      remark(
        `${lying} of ${asked} that are asked lie; a look before a claim takes ${Math.round(longestMs / 1000)} s at most`
      )
      if (lying === 0) breach('no liar was asked: the move tried nothing')
      if (tookMs > mostMs) breach(`a look took ${Math.round(tookMs / 1000)} s where ${lying} of ${asked} lie`)
      await world.sleep(HOUR_MS / 2)
    }
    slow = false
    adversary.leave()
  }
}
