/** Tables as they are in a network that has run for long: each node has met all others, in a random order. */
import type { Random } from '../../world/random.ts'
import type { Routed } from './routed.ts'

/** `looking`: those that also look for peers from now on. */
export async function fillTables(nodes: readonly Routed[], looking: readonly Routed[], random: Random): Promise<void> {
  for (const node of nodes) {
    for (const other of random.shuffled(nodes)) if (other !== node) await node.meet(other)
  }
  for (const node of looking) node.established()
}
