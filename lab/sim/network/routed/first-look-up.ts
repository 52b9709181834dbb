/** The first look-up of a node that knows some first peers and nobody else. */
import { distance } from '../../../../src/protocol/neighbourhood/key-space.ts'
import type { SimNode } from '../../world/sim-node.ts'
import type { World } from '../../world/world.ts'

/** By then each first peer has said where it listens, and is in the table. */
const MET_MS = 5_000

interface FirstLookUp {
  /** Of the honest nodes that should hold the key, those that the look-up found and that count. */
  readonly counted: number
  readonly of: number
  readonly tookMs: number
}

export async function firstLookUp(world: World, key: Uint8Array, firstPeers: readonly SimNode[]): Promise<FirstLookUp> {
  const node = world.addClient({ isPassive: true })
  const { libp2p, finder } = node.routed!
  await Promise.all(firstPeers.map(({ routed }) => libp2p.dial(routed!.libp2p.address)))
  await world.sleep(MET_MS)
  const beganMs = world.timeline.nowMs
  const { peers } = await finder.find(key)
  const tookMs = world.timeline.nowMs - beganMs
  const origins = peers.map((id) => ({ id, peer: id.toString(), prefix: node.routed!.prefixes.of(id) }))
  const found = new Set(node.view.diverse(origins).map(({ peer }) => peer))
  world.remove(node)
  const holders = world.holdersOf(key)
  return { counted: holders.filter(({ peer }) => found.has(peer.peer)).length, of: holders.length, tookMs }
}

/** Honest nodes, nearest to a key first. */
export function honestNear(world: World, key: Uint8Array): SimNode[] {
  const away = ({ position }: SimNode): number => distance(key, position)
  return [...world.topology.all()]
    .filter(({ isAttacker }) => !isAttacker)
    .sort((left, right) => away(left) - away(right))
}
