/** Twenty ids of ten /24 sit around the owner's own node from its start: its network must not seem larger. */
import { empty } from '../../people/adversary.ts'
import { HOUR_MS, MINUTE_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** An honest estimate is off by a quarter; the median of few samples by no more than this. */
const MOST = 2

export const move: Move = {
  id: 'crowd-around-a-node',
  attacks: ['a crowd around one node'],
  begins: 'start',
  ids: 20,
  // Ten of them are enough to keep nothing of a name whose key is near the owner's node.
  allows: 'censored',
  routing: 'real',
  async run({ world, adversary, victim, ids, breach, remark }) {
    const crowd = adversary.joinNear(victim.node.position, ids, empty)
    await world.sleep(5 * MINUTE_MS)
    const { libp2p } = victim.node.routed!
    await Promise.all(crowd.map(({ routed }) => libp2p.dial(routed!.libp2p.address)))
    let largest = 0
    for (;;) {
      await world.sleep(HOUR_MS)
      const size = victim.node.view.networkSize()
      largest = Math.max(largest, size)
      remark(`the owner's node takes the network for ${largest} nodes at most, of ${world.topology.size}`)
      if (size > MOST * world.topology.size)
        breach(`the owner's node counts more than ${MOST} times ${world.topology.size} nodes`)
    }
  }
}
