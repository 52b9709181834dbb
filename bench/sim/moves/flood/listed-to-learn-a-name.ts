/** Ids around a name list it beside a hundred others, to learn from the questions for records which one is wanted. */
import { probe } from '../../../../src/network/client/probe.ts'
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { listingAmong } from '../lists.ts'
import type { Answerer } from '../../world/sim-node.ts'
import { HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

const NAMES = 100

/** The wanted one, and seven others. */
const ASKED_FOR = 8

export const move: Move = {
  id: 'listed-to-learn-a-name',
  attacks: ['a name that a liar lists to learn it'],
  begins: 'start',
  leadDays: 0.2,
  days: 1.5,
  ids: 11,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    let learnt = new Set<string>()
    const listing = listingAmong(victim.recordKey, NAMES, world.random('listed'))
    const lie: Answerer = (request, from) => {
      if (request.type === 'get' && from === victim.node) learnt.add(toHex(request.key))
      return listing(request, from)
    }
    adversary.joinNear(victim.recordKey, ids, lie)
    const looks: Set<string>[] = []
    for (let look = 0; look < 2; look++) {
      await world.sleep(HOUR_MS)
      learnt = new Set()
      await probe(victim.node.client, victim.name)
      looks.push(learnt)
    }
    adversary.leave()
    const wanted = toHex(victim.recordKey)
    const [first, second] = looks as [Set<string>, Set<string>]
    const both = new Set([...first].filter((key) => second.has(key)))
    remark(
      `the owner asks the liars for ${first.size} of the ${NAMES + 1} names that they list; ` +
        `a second look has ${both.size} of them in common`
    )
    if (first.size === 0) return
    if (ids < world.profile.witness_quorum) breach('fewer than a quorum list the name, and its owner asks for it')
    if (!first.has(wanted)) breach('the wanted name is not among those asked for')
    if (first.size < ASKED_FOR || both.size < ASKED_FOR) breach(`the wanted name is one of ${both.size} only`)
  }
}
