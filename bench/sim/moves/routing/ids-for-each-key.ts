/**
 * Twenty ids of ten /24, asked by the owner's node for a key far from it, name twenty others of their machines next to
 * that key. So they also hide each name from it.
 */
import { empty } from '../../people/adversary.ts'
import { sharesPrefix } from '../../../../src/protocol/claim/record-key.ts'
import type { Answer, Request } from '../../../../src/network/wire/messages.ts'
import { told } from '../../network/routed/told.ts'
import type { SimNode } from '../../world/sim-node.ts'
import { HOUR_MS, MINUTE_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** Four times by the rules. The distance of the 20th of N peers gives more than 2 N in one of 300 networks. */
const MOST = 8

/** A 64th of the key space has ids of its own, which makes 1,280 nodes of 20. */
const PART_BITS = 6

/** Keys that share as many first bits with the node's own position are left to honest peers. */
const OWN_BITS = 2

export const move: Move = {
  id: 'ids-for-each-key',
  attacks: ['ids chosen for each key that is looked up'],
  begins: 'start',
  ids: 20,
  allows: 'censored',
  routing: 'real',
  async run({ world, adversary, victim, ids, breach, remark }) {
    const honest = [...world.topology.all()].filter(({ isAttacker }) => !isAttacker).length
    const real = honest + ids
    const parts = new Map<number, Answer>()
    const lie = (request: Request, from: SimNode): Answer => {
      if (request.type !== 'find' || from !== victim.node) return empty(request)
      if (sharesPrefix(request.key, from.position, OWN_BITS)) return told([])
      const part = request.key[0]! >> (8 - PART_BITS)
      const named = parts.get(part) ?? told(adversary.idsBeside(request.key, PART_BITS, crowd, lie).map(asNamed))
      parts.set(part, named)
      return named
    }
    const crowd: SimNode[] = adversary.joinAnywhere(ids, lie)
    await world.sleep(5 * MINUTE_MS)
    const { libp2p } = victim.node.routed!
    await Promise.all(crowd.map(({ routed }) => libp2p.dial(routed!.libp2p.address)))
    let largest = 0
    for (;;) {
      await world.sleep(HOUR_MS)
      const size = victim.node.view.networkSize()
      largest = Math.max(largest, size)
      remark(`the owner's node takes the network for ${largest} nodes at most, of which ${honest} are honest`)
      if (size > MOST * real) breach(`the owner's node counts more than ${MOST} times ${real} nodes`)
    }
  }
}

const asNamed = ({ peer, routed }: SimNode) => ({ id: peer.id, address: routed!.libp2p.address })
