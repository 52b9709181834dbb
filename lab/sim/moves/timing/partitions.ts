/** Moves in which parts of the network do not hear each other, or sleep, while a name settles. */
import { empty, showing } from '../../people/adversary.ts'
import type { Move } from '../move.ts'
import type { Answerer, SimNode } from '../../world/sim-node.ts'
import { Resolver } from '../../people/resolver.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../world/world.ts'
import { Owner } from '../../people/owner.ts'
import { SleeperInvariants } from '../../search/invariants/holders.ts'

/** Two days after the halves hear each other again nothing changes any more. */
const AFTER_DAYS = 2

/** The rival's p is ten rounds later than the owner's. */
const LATER_MS = MINUTE_MS / 2

/** When the owner, who works for half an hour, is about to reveal. */
const BEFORE_MS = 29 * MINUTE_MS - LATER_MS

interface Halves {
  readonly id: string
  /** How long the halves do not hear each other. */
  readonly cutMs: number
  readonly days: number
}

/** A rival who committed after the owner reveals in the other half, and ids there show the rival's claim to all who ask. */
function halvesMove({ id, cutMs, days }: Halves): Move {
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

/** Two halves of the network do not hear each other for ten minutes: longer than a contest, which lasts 90 s. */
const partitionInTheContest = halvesMove({ id: 'partition-in-the-contest', cutMs: 10 * MINUTE_MS, days: 3.5 })

/** Two halves of the network do not hear each other for twelve hours from the contest on: shorter than `settle`, a day. */
const partitionOfHalfADay = halvesMove({ id: 'partition-of-half-a-day', cutMs: 12 * HOUR_MS, days: 7 })

/** How long the halves do not hear each other: the time of a commitment. */
const CUT_MS = 2 * MINUTE_MS

const DAYS = 3

/**
 * Two owners commit in the same round to nodes that do not hear each other: half of the holders sees one, half the
 * other. Five ids that the holders know for a day tell each that they hold what it holds.
 */
const dividedContest: Move = {
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

/** With the ids, fewer than half of the twenty: more are a majority by themselves. */
const SLEEPERS = 4

/** After the contest, before anything settles. */
const AWAKE_MS = 10 * MINUTE_MS

const ASLEEP_MS = 2 * DAY_MS

/**
 * Some holders hear only a rival of the owner in the contest, sleep while the others settle, and wake among ids that
 * show the rival's claim.
 */
const sleptWhileOthersSettled: Move = {
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

export const partitionMoves: readonly Move[] = [
  partitionInTheContest,
  partitionOfHalfADay,
  dividedContest,
  sleptWhileOthersSettled
]
