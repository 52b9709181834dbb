/** Ids around a free name list it beside invented ones, and show no record of any. */
import { probe } from '../../../../src/network/client/probe.ts'
import { claimsIn, isHeldByMost } from '../../../../src/registry/resolution/secrecy.ts'
import { showing } from '../../people/adversary.ts'
import { listingAmong } from '../lists.ts'
import type { Answerer } from '../../world/sim-node.ts'
import { HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

const NAMES = 100

export const move: Move = {
  id: 'list-every-name',
  attacks: ['liars who list every name'],
  begins: 'start',
  leadDays: 0.1,
  days: 1.5,
  ids: 16,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    const listing = listingAmong(victim.recordKey, NAMES, world.random('listed'))
    // Once it is published they are as honest nodes: what they do to a publication is another move's matter.
    const lie: Answerer = (request, from) =>
      victim.reveal === undefined ? listing(request, from) : showing(victim.reveal, world.hash)(request, from)
    adversary.joinNear(victim.recordKey, ids, lie)
    await world.sleep(HOUR_MS)
    const found = await probe(victim.node.client, victim.name)
    const { claims, heard, proved } = claimsIn(found)
    remark(`${claims} of the ${heard} that answer list the name, ${proved.length} show it: it counts as free`)
    if (claims === 0) breach('nobody listed the name: the move tried nothing')
    if (isHeldByMost(found)) breach(`a free name counts as taken where ${claims} list it`)
  }
}
