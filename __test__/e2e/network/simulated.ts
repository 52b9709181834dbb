/** As many nodes of the same rules in the simulator: what the daemons must come to as well. */
import type { SimNode } from '../../../lab/sim/world/sim-node.ts'
import { ALWAYS_AWAKE, Owner } from '../../../lab/sim/people/owner.ts'
import { Resolver, type Seen } from '../../../lab/sim/people/resolver.ts'
import { World } from '../../../lab/sim/world/world.ts'
import { parseProfile } from '../../../src/protocol/profile/profile.ts'
import { PROFILE } from './fleet.ts'

const MINUTE_MS = 60_000

interface FleetOutcome {
  /** Peers that a look-up asked, and that answered. */
  readonly asked: number
  readonly answered: number
  /** Nodes that hold a settled name. */
  readonly holders: number
  /** What a resolver sees: of a settled name, and while 30% of all are gone. */
  readonly seen: readonly Seen['kind'][]
  /** Owners of a name that both sides of a cut register, by side, while it lasts and once it is healed. */
  readonly torn: readonly (readonly number[])[]
}

/** @param minority how many nodes are cut off from the others */
export async function simulatedFleet(count: number, minority: number): Promise<FleetOutcome> {
  // Stamps are not searched for there.
  const world = new World('fleet', parseProfile({ ...PROFILE, stamp_bits: 0 }))
  const nodes = Array.from({ length: count }, () => world.addNode())
  const sideOf = new Map<SimNode, number>(nodes.map((node, index) => [node, index < minority ? 1 : 0]))
  const passes = (minutes: number): Promise<void> => world.timeline.runUntil(world.timeline.nowMs + minutes * MINUTE_MS)
  const register = (name: string, side: number): Owner => {
    const owner = new Owner(world, name, ALWAYS_AWAKE)
    sideOf.set(owner.node, side)
    world.timeline.after(0, () => void owner.live())
    return owner
  }
  const look = async (name: string): Promise<Seen> => {
    let seen: Seen | undefined
    const resolver = new Resolver(world)
    world.timeline.after(0, () => void resolver.resolve(name).then((answer) => (seen = answer)))
    await passes(1)
    return seen!
  }

  const settled = register('settled.chronym', 0)
  await passes(5)
  const first = await look(settled.name)
  const gone = nodes.slice(0, Math.ceil(0.3 * count))
  for (const node of gone) node.isAwake = false
  const without = await look(settled.name)
  for (const node of gone) node.restart()

  world.faults.cut((node) => sideOf.get(node) ?? 0)
  const claimants = [register('torn.chronym', 0), register('torn.chronym', 1)]
  await passes(5)
  const owners = (): number[] =>
    [0, 1].map((side) => {
      const held = nodes.filter((node) => sideOf.get(node) === side).map((node) => node.held.get('torn.chronym')?.owner)
      return held.every((owner) => owner === claimants[side]!.pubkey) ? side : -1
    })
  const torn = [owners()]
  world.faults.cut(undefined)
  for (const node of nodes) node.view.refresh()
  await passes(5)
  torn.push(owners())
  return {
    asked: first.asked,
    answered: first.answers.length,
    holders: nodes.filter(({ held }) => held.get(settled.name)?.state === 'settled').length,
    seen: [first.kind, without.kind],
    torn
  }
}
