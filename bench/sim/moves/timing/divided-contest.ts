/**
 * Two owners commit in the same round to nodes that do not hear each other: half of the holders sees one, half the
 * other. Five ids that the holders know for a day tell each that they hold what it holds.
 */
import { empty, showing } from '../../people/adversary.ts'
import type { Answerer, SimNode } from '../../world/sim-node.ts'
import { Owner } from '../../people/owner.ts'
import { Resolver } from '../../people/resolver.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** How long the halves do not hear each other: the time of a commitment. */
const CUT_MS = 2 * MINUTE_MS

const DAYS = 3

export const move: Move = {
  id: 'divided-contest',
  attacks: ['liars who keep a contest divided'],
  begins: 'start',
  leadDays: 1,
  days: 6,
  ids: 5,
  // Either owner is honest, so that either may have the name. Looks count only those of the first as right.
  allows: 'unpinned',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    const rival = new Owner(world, victim.name)
    const lie: Answerer = (request, from) => {
      const held = from.held.get(victim.name)?.owner
      // A holder that has neither yet enters what it saw; others get what they hold, and resolvers the rival's.
      const shown = held === undefined && from.isHolder ? undefined : (held === victim.pubkey ? victim : rival).reveal
      return shown === undefined ? empty(request) : showing(shown, world.hash)(request, from)
    }
    const liars = adversary.joinNear(victim.recordKey, ids, lie)
    await world.sleep(DAY_MS - MINUTE_MS)
    const second = new Set<SimNode>([rival.node])
    for (const [index, node] of world.holdersOf(victim.recordKey).entries()) if (index % 2 === 1) second.add(node)
    for (const [index, node] of liars.entries()) if (index % 2 === 1) second.add(node)
    world.faults.cut((node) => (second.has(node) ? 1 : 0))
    await world.sleep(MINUTE_MS - 1)
    void rival.live()
    await world.sleep(CUT_MS)
    world.faults.cut(undefined)
    for (const node of world.topology.all()) node.view.refresh()

    await world.sleep(DAYS * DAY_MS)
    const shown: string[] = []
    for (let look = 0; look < 4; look++) {
      const { kind, owner } = await new Resolver(world).resolve(victim.name)
      shown.push(kind === 'owner' ? (owner === victim.pubkey ? 'the one' : 'the other') : kind)
      await world.sleep(6 * HOUR_MS)
    }
    const holders = world.holdersOf(victim.recordKey)
    const count = ({ pubkey }: Owner): number =>
      holders.filter(({ held }) => held.get(victim.name)?.owner === pubkey).length
    const counts = [count(victim), count(rival)]
    remark(
      `of ${holders.length} honest holders ${counts.join(' and ')} have the two claims; looks show ${shown.join(', ')}`
    )
    if (new Set(shown).size > 1 || !shown[0]!.startsWith('the '))
      breach(`the name stays contested: ${shown.join(', ')}`)
    if (Math.min(...counts) >= world.profile.witness_quorum) breach(`holders stay divided: ${counts.join(' and ')}`)
  }
}
