/**
 * The network falls into two halves from a moment before the owner reveals. A rival who committed after it reveals in the
 * other half, and ids there show the rival's claim to all that ask.
 */
import { empty, showing } from '../../people/adversary.ts'
import type { Move } from '../move.ts'
import type { Answerer, SimNode } from '../../world/sim-node.ts'
import { Resolver } from '../../people/resolver.ts'
import { DAY_MS, MINUTE_MS } from '../../world/world.ts'

/** Two days after the halves hear each other again nothing changes any more. */
const AFTER_DAYS = 2

/** The rival's p is ten rounds later than the owner's. */
const LATER_MS = MINUTE_MS / 2

/** When the owner, who works for half an hour, is about to reveal. */
const BEFORE_MS = 29 * MINUTE_MS - LATER_MS

export interface Halves {
  readonly id: string
  /** How long the halves do not hear each other. */
  readonly cutMs: number
  readonly days: number
}

export function halvesMove({ id, cutMs, days }: Halves): Move {
  return {
    id,
    attacks: ['a partition in the contest'],
    begins: 'committed',
    days,
    ids: 2,
    // A look while the halves find together may see the rival, where ids of four /24 show it too.
    allows: 'unpinned',
    isAlone: true,
    async run({ world, adversary, victim, ids, thief, breach, remark }) {
      await world.sleep(LATER_MS)
      const rival = adversary.owner(victim.name)
      thief(rival.key.publicKey)
      void rival.committed().then((round) => rival.work(round))
      const lie: Answerer = (request, from) =>
        rival.reveal === undefined ? empty(request) : showing(rival.reveal, world.hash)(request, from)
      const liars = adversary.joinNear(victim.recordKey, ids, lie)
      await world.sleep(BEFORE_MS)
      const other = new Set<SimNode>([rival.node, ...liars])
      const holders = world.holdersOf(victim.recordKey)
      for (const [index, node] of holders.entries()) if (index % 2 === 1) other.add(node)
      world.faults.cut((node) => (other.has(node) ? 1 : 0))
      void (async () => {
        while (rival.reveal === undefined) await world.sleep(1_000)
        await rival.keep()
      })()
      await world.sleep(cutMs)
      world.faults.cut(undefined)
      for (const node of world.topology.all()) node.view.refresh()
      await world.sleep(AFTER_DAYS * DAY_MS)
      const count = (pubkey: string): number =>
        world.holdersOf(victim.recordKey).filter(({ held }) => held.get(victim.name)?.owner === pubkey).length
      const counts = [count(victim.pubkey), count(rival.pubkey)]
      const { kind, owner } = await new Resolver(world).resolve(victim.name)
      const shown = kind === 'owner' ? (owner === victim.pubkey ? 'the owner' : 'the rival') : kind
      remark(
        `two days after the halves met again, ${counts.join(' and ')} of ${holders.length} honest holders have ` +
          `the owner's and the rival's claim; a new resolver sees ${shown}`
      )
      if (kind !== 'owner') breach(`two days after the partition a new resolver sees ${kind}`)
    }
  }
}
