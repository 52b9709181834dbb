/** Tables as they are in a network that has run for long: each node has met all others, in a random order. */
import type { Random } from '../../world/random.ts'
import type { SimNode } from '../../world/sim-node.ts'

/** `looking`: those that also look for peers from now on. */
export async function fillTables(
  nodes: readonly SimNode[],
  looking: readonly SimNode[],
  random: Random
): Promise<void> {
  for (const { routed } of nodes) {
    for (const other of random.shuffled(nodes)) {
      if (other.routed !== routed) await routed!.libp2p.meet(other.routed!.libp2p)
    }
  }
  for (const { routed } of looking) routed!.established()
}
