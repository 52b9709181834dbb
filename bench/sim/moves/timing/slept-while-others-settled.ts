/**
 * Some holders hear only a rival of the owner in the contest, sleep while the others settle, and wake among ids that
 * show the rival's claim.
 */
import { showing } from '../../people/adversary.ts'
import { SleeperInvariants } from '../../search/invariants/sleepers.ts'
import { DAY_MS, MINUTE_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** With the ids, fewer than half of the twenty: more are a majority by themselves. */
const SLEEPERS = 4

/** After the contest, before anything settles. */
const AWAKE_MS = 10 * MINUTE_MS

const ASLEEP_MS = 2 * DAY_MS

export const move: Move = {
  id: 'slept-while-others-settled',
  attacks: ['a holder that slept while others settled'],
  begins: 'committed',
  days: 5,
  ids: 5,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, thief, breach, remark }) {
    const rival = adversary.owner(victim.name)
    thief(rival.key.publicKey)
    const round = await rival.committed()
    const sleepers = world.holdersOf(victim.recordKey).slice(0, SLEEPERS)
    const rules = new SleeperInvariants(world)
    while (victim.revealedMs === undefined) {
      // The rival commits a few seconds later, and is done by then.
      if (rival.state === 'committing') void rival.work(round)
      const part = new Set([...sleepers, rival.node])
      world.faults.cut((node) => (part.has(node) ? 1 : 0))
      await world.sleep(1_000)
    }
    while (rival.reveal === undefined) await world.sleep(1_000)
    await adversary.publish(rival.reveal, rival.node)
    await world.sleep(AWAKE_MS)
    const fooled = sleepers.filter(({ held }) => held.get(victim.name)?.owner === rival.pubkey)
    for (const node of sleepers) {
      rules.slept(node)
      node.isAwake = false
    }
    world.faults.cut(undefined)
    for (const node of world.topology.all()) node.view.refresh()
    await world.sleep(ASLEEP_MS)
    adversary.joinNear(victim.recordKey, ids, showing(rival.reveal, world.hash))
    for (const node of sleepers) node.restart()
    await world.sleep(DAY_MS)
    const left = sleepers.filter(({ held }) => held.get(victim.name)?.owner === rival.pubkey)
    remark(`${fooled.length} of ${SLEEPERS} slept with the rival's claim; a day after they woke ${left.length} have it`)
    if (fooled.length === 0) breach('no holder entered the claim of the rival: the move tried nothing')
    for (const { rule, detail } of rules.violations) breach(`${rule}: ${detail}`)
    if (left.length > 0) breach(`${left.length} holders that slept keep the claim of the rival`)
  }
}
