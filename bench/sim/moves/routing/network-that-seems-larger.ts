/**
 * Twenty ids of ten /24 sit around the owner's own node. Asked by it for any key, they name twenty others of their
 * machines next to that key.
 */
import { empty } from '../../people/adversary.ts'
import type { Answer, Request } from '../../../../src/network/wire/messages.ts'
import { told } from '../../network/routed/told.ts'
import type { SimNode } from '../../world/sim-node.ts'
import { HOUR_MS, MINUTE_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** What ids for a 64th of the key space each make of a network of forty or more; ids for smaller parts make more. */
const MOST = 64

/** A 64th of the key space has ids of its own, which makes 1,280 nodes of 20. */
const PART_BITS = 6

export const move: Move = {
  id: 'network-that-seems-larger',
  attacks: [],
  rows: ['a network that seems larger'],
  begins: 'start',
  ids: 20,
  allows: 'censored',
  routing: 'real',
  async run({ world, adversary, victim, ids, breach, remark }) {
    const honest = [...world.topology.all()].filter(({ isAttacker }) => !isAttacker).length
    const parts = new Map<number, Answer>()
    const lie = (request: Request, from: SimNode): Answer => {
      if (request.type !== 'find' || from !== victim.node) return empty(request)
      const part = request.key[0]! >> (8 - PART_BITS)
      const named = parts.get(part) ?? told(adversary.idsBeside(request.key, PART_BITS, crowd, lie).map(asNamed))
      parts.set(part, named)
      return named
    }
    const crowd: SimNode[] = adversary.joinNear(victim.node.position, ids, lie)
    await world.sleep(5 * MINUTE_MS)
    const { libp2p } = victim.node.routed!
    await Promise.all(crowd.map(({ routed }) => libp2p.dial(routed!.libp2p.address)))
    let largest = 0
    for (;;) {
      await world.sleep(HOUR_MS)
      const size = victim.node.view.networkSize()
      largest = Math.max(largest, size)
      remark(`the owner's node takes the network for ${largest} nodes at most, of which ${honest} are honest`)
      if (size > MOST * honest) breach(`the owner's node counts more than ${MOST} times ${honest} nodes`)
    }
  }
}

const asNamed = ({ peer, routed }: SimNode) => ({ id: peer.id, address: routed!.libp2p.address })
