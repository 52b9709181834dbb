/** Moves that make the network seem larger to the owner's node than it is. */
import { sharesPrefix } from '../../../../src/protocol/neighbourhood/key-space.ts'
import type { Answer, Request } from '../../../../src/network/wire/messages.ts'
import { told } from '../../network/routed/told.ts'
import { empty } from '../../people/adversary.ts'
import type { Answerer, SimNode } from '../../world/sim-node.ts'
import { HOUR_MS, MINUTE_MS } from '../../world/world.ts'
import type { Move, Stage } from '../move.ts'

/** A 64th of the key space has ids of its own, which makes 1,280 nodes of 20. */
const PART_BITS = 6

/** Keys that share as many first bits with the node's own position are left to honest peers. */
const OWN_BITS = 2

/** Names to the owner's node, near each key that it looks up, as many ids on the machines of a crowd. */
function namingBeside({ adversary, victim }: Stage, crowd: () => readonly SimNode[], ownBits?: number): Answerer {
  const parts = new Map<number, Answer>()
  const lie = (request: Request, from: SimNode): Answer => {
    if (request.type !== 'find' || from !== victim.node) return empty(request)
    if (ownBits !== undefined && sharesPrefix(request.key, from.position, ownBits)) return told([])
    const part = request.key[0]! >> (8 - PART_BITS)
    const beside = (): SimNode[] => adversary.idsBeside(request.key, PART_BITS, crowd(), lie)
    const named =
      parts.get(part) ?? told(beside().map(({ peer, routed }) => ({ id: peer.id, address: routed!.libp2p.address })))
    parts.set(part, named)
    return named
  }
  return lie
}

/** A crowd connects to the owner's node, which then counts the network once an hour: `most` times `real` at most. */
async function countHourly(
  { world, victim, breach, remark }: Stage,
  crowd: readonly SimNode[],
  most: number,
  real: () => number,
  of: () => string
): Promise<void> {
  await world.sleep(5 * MINUTE_MS)
  const { libp2p } = victim.node.routed!
  await Promise.all(crowd.map(({ routed }) => libp2p.dial(routed!.libp2p.address)))
  let largest = 0
  for (;;) {
    await world.sleep(HOUR_MS)
    const size = victim.node.view.networkSize()
    largest = Math.max(largest, size)
    remark(`the owner's node takes the network for ${largest} nodes at most, of ${of()}`)
    if (size > most * real()) breach(`the owner's node counts more than ${most} times ${real()} nodes`)
  }
}

function honestNodes({ world }: Stage): number {
  return [...world.topology.all()].filter(({ isAttacker }) => !isAttacker).length
}

/** Twenty ids of ten /24 sit around the owner's own node from its start: its network must not seem larger. */
const crowdAroundANode: Move = {
  id: 'crowd-around-a-node',
  attacks: ['a crowd around one node'],
  begins: 'start',
  ids: 20,
  // Ten of them are enough to keep nothing of a name whose key is near the owner's node.
  allows: 'censored',
  routing: 'real',
  async run(stage) {
    const { world, adversary, victim, ids } = stage
    const crowd = adversary.joinNear(victim.node.position, ids, empty)
    const size = (): number => world.topology.size
    // An honest estimate is off by a quarter; the median of few samples by no more than twice.
    await countHourly(stage, crowd, 2, size, () => `${size()}`)
  }
}

/**
 * Twenty ids of ten /24, asked by the owner's node for a key far from it, name twenty others of their machines next to
 * that key. So they also hide each name from it.
 */
const idsForEachKey: Move = {
  id: 'ids-for-each-key',
  attacks: ['ids chosen for each key that is looked up'],
  begins: 'start',
  ids: 20,
  allows: 'censored',
  routing: 'real',
  async run(stage) {
    const honest = honestNodes(stage)
    const lie = namingBeside(stage, () => crowd, OWN_BITS)
    const crowd: SimNode[] = stage.adversary.joinAnywhere(stage.ids, lie)
    const real = (): number => honest + stage.ids
    // Four times by the rules. The distance of the 20th of N peers gives more than 2 N in one of 300 networks.
    await countHourly(stage, crowd, 8, real, () => `which ${honest} are honest`)
  }
}

/**
 * Twenty ids of ten /24 sit around the owner's own node. Asked by it for any key, they name twenty others of their
 * machines next to that key.
 */
const networkThatSeemsLarger: Move = {
  id: 'network-that-seems-larger',
  attacks: [],
  rows: ['a network that seems larger'],
  begins: 'start',
  ids: 20,
  allows: 'censored',
  routing: 'real',
  async run(stage) {
    const honest = honestNodes(stage)
    const lie = namingBeside(stage, () => crowd)
    const crowd: SimNode[] = stage.adversary.joinNear(stage.victim.node.position, stage.ids, lie)
    // What ids for a 64th of the key space make of a network of forty or more; ids for smaller parts make more.
    await countHourly(
      stage,
      crowd,
      64,
      () => honest,
      () => `which ${honest} are honest`
    )
  }
}

export const sizeMoves: readonly Move[] = [crowdAroundANode, idsForEachKey, networkThatSeemsLarger]
