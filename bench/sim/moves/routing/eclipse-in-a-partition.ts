/** A third of the holders of a settled name hear only each other for two days, and among them six ids that show a thief. */
import { showing } from '../../people/adversary.ts'
import type { SimNode } from '../../world/sim-node.ts'
import { Resolver } from '../../people/resolver.ts'
import { DAY_MS, HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

const CUT_MS = 2 * DAY_MS

export const move: Move = {
  id: 'eclipse-in-a-partition',
  attacks: [],
  begins: 'settled',
  days: 7.5,
  ids: 6,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, thief, breach, remark }) {
    const key = world.newKey()
    const reveal = adversary.backdated(victim.name, key)
    thief(key.publicKey)
    const liars = adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash))
    const holders = world.holdersOf(victim.recordKey)
    const part = new Set<SimNode>([...liars, ...holders.filter((_, index) => index % 3 === 0)])
    const resolver = new Resolver(world)
    part.add(resolver.node)
    world.faults.cut((node) => (part.has(node) ? 1 : 0))
    const seen: string[] = []
    for (let hours = 0; hours < CUT_MS / HOUR_MS; hours += 6) {
      const { kind, owner, thin } = await resolver.resolve(victim.name)
      seen.push(
        kind === 'owner'
          ? `${owner === victim.pubkey ? 'the owner' : 'the thief'}${thin === true ? ', thin' : ''}`
          : kind
      )
      await world.sleep(6 * HOUR_MS)
    }
    const pinned = resolver.pinned(victim.name)
    world.faults.cut(undefined)
    for (const node of world.topology.all()) node.view.refresh()
    await world.sleep(DAY_MS / 2)
    const after = await resolver.resolve(victim.name)
    remark(`cut off, a resolver saw ${[...new Set(seen)].join(' and ')}`)
    if (pinned !== undefined && pinned !== victim.pubkey)
      breach('a resolver that was cut off has a firm pin of the thief')
    if (after.owner !== victim.pubkey) breach(`half a day after the partition it sees ${after.kind}`)
  }
}
