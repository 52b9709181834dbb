/** Ids around the name, and as many anywhere, write down what its owner asks before it reveals. */
import { probe } from '../../../../src/network/client/probe.ts'
import { blindedPrefixBits } from '../../../../src/protocol/claim/record-key.ts'
import { equalBytes } from '../../../../src/protocol/encoding/bytes.ts'
import { empty } from '../../people/adversary.ts'
import type { Answerer } from '../../world/sim-node.ts'
import { HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'look-up-before-the-claim',
  attacks: ['looking a name up announces it'],
  begins: 'start',
  leadDays: 0.1,
  days: 0.4,
  ids: 20,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    const seen = { requests: 0, bits: 0 }
    const lie: Answerer = (request, from) => {
      if (from === victim.node && victim.reveal === undefined) {
        seen.requests++
        if ('key' in request && equalBytes(request.key, victim.recordKey)) breach(`${request.type} shows K itself`)
        if (request.type === 'list') {
          seen.bits = Math.max(seen.bits, request.bits)
          const most = blindedPrefixBits(2 * world.topology.size)
          if (request.bits > most) breach(`a list under ${request.bits} bits of K, and ${most} are allowed`)
        }
      }
      return victim.reveal === undefined ? empty(request) : undefined
    }
    adversary.joinNear(victim.recordKey, Math.ceil(ids / 2), lie)
    adversary.joinAnywhere(Math.floor(ids / 2), lie)
    await victim.node.joined
    await world.sleep(HOUR_MS / 2)
    await probe(victim.node.client, victim.name)
    await world.sleep(HOUR_MS / 2)
    await probe(victim.node.client, victim.name)
    while (victim.reveal === undefined) await world.sleep(1_000)
    remark(
      `${seen.requests} requests of the owner's reached the ids before its reveal; they show ${seen.bits} bits of K`
    )
    if (seen.requests === 0) breach('no request reached an id: the move tried nothing')
    adversary.leave()
  }
}
