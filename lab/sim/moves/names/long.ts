/** Moves that last for days: the owner is away or lapses, or a part of the network is cut off. */
import { showing } from '../../people/adversary.ts'
import { linksOf } from '../../../../src/protocol/claim/reveal.ts'
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { Resolver } from '../../people/resolver.ts'
import { DAY_MS, HOUR_MS, SHORT_LEASE } from '../../world/world.ts'
import type { Move } from '../move.ts'
import { ALWAYS_AWAKE } from '../../people/owner.ts'
import type { SimNode } from '../../world/sim-node.ts'
import { makeReveal } from '../../world/claims.ts'

/** The lease ends on the tenth day, and the owner renews a tenth of it before. */
const LYING_DAYS = 7

/** Its daemon looks each hour; a few looks tell as much. */
const LOOK_HOURS = 6
const LOOKS = (LYING_DAYS * 24) / LOOK_HOURS

/** Eleven ids show another owner of a settled name from before its renewal is due until after; then they go. */
const toldThatItIsLost: Move = {
  id: 'told-that-it-is-lost',
  attacks: ['an owner who is told that its name is lost'],
  begins: 'settled',
  days: 14,
  ids: 11,
  allows: 'unpinned',
  profile: SHORT_LEASE,
  isAlone: true,
  async run({ world, adversary, victim, ids, thief, breach, remark }) {
    const { key, reveal } = adversary.steal(victim.name, thief, 'renewed')
    adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash))
    const daemon = new Resolver(world, victim.node)
    let told = 0
    for (let look = 0; look < LOOKS; look++) {
      const { kind, owner } = await daemon.resolve(victim.name)
      if (kind === 'contested' || (kind === 'owner' && owner === toHex(key.publicKey))) told++
      await world.sleep(LOOK_HOURS * HOUR_MS)
    }
    adversary.leave()
    await world.sleep(DAY_MS)
    const links = linksOf(victim.reveal!).length
    const seen = await new Resolver(world).resolve(victim.name)
    const holders = world.holdersOf(victim.recordKey)
    const holding = holders.filter(({ held }) => held.get(victim.name)?.owner === victim.pubkey)
    remark(
      `told ${told} times of ${LOOKS} that another has its name, the owner has ${links} links; ` +
        `${holding.length} of ${holders.length} honest holders have its claim`
    )
    if (links < 2) breach('the owner did not renew')
    if (seen.owner !== victim.pubkey) breach('a day after the liars went, a new resolver does not see the owner')
  }
}

const AWAY_FROM_DAY = 3.5

const HOURS_OF_CLAIMS = 24

/**
 * While the owner is away, ids crowd its honest holders out and show its record until these drop their payloads. Then
 * they go, and a claim of the attacker's is sent to all.
 */
const displacedHolders: Move = {
  id: 'displaced-holders',
  attacks: ['displaced holders'],
  begins: 'settled',
  days: 6.4,
  ids: 100,
  allows: 'harmless',
  habits: { ...ALWAYS_AWAKE, absences: [{ fromMs: AWAY_FROM_DAY * DAY_MS, untilMs: 365 * DAY_MS }] },
  isAlone: true,
  async run({ world, adversary, victim, ids, thief, breach, remark }) {
    const { reveal } = adversary.steal(victim.name, thief, 'renewed')
    // A node whose clock is months ahead verifies no pulse, and has held nothing before.
    const before = world.holdersOf(victim.recordKey).filter(({ held }) => held.has(victim.name))
    adversary.joinNear(victim.recordKey, ids, showing(victim.reveal!, world.hash))
    await world.sleep(DAY_MS)
    const dropped = before.filter(({ holder }) => holder?.entries.load(victim.recordKey) === undefined)
    const isStub = before.map(({ holder }) => holder?.entries.isStub(victim.recordKey) === true)
    adversary.leave()
    const client = adversary.client()
    for (let hour = 0; hour < HOURS_OF_CLAIMS; hour++) {
      await adversary.publish(reveal, client)
      await world.sleep(HOUR_MS)
    }
    const taken = before.filter(({ held }) => held.get(victim.name)?.owner !== victim.pubkey)
    remark(
      `${isStub.filter(Boolean).length} of ${before.length} honest holders kept a stub only; ` +
        `${taken.length} have another claim or none a day after the ids went`
    )
    if (dropped.length > 0)
      breach(`${dropped.length} holders that were crowded out keep nothing that refuses another claim`)
    if (taken.length > 0) breach(`${taken.length} holders that were crowded out no longer have the claim`)
  }
}

const CUT_MS = 2 * DAY_MS

/** A third of the holders of a settled name hear only each other for two days, and among them six ids that show a thief. */
const eclipseInAPartition: Move = {
  id: 'eclipse-in-a-partition',
  attacks: [],
  begins: 'settled',
  days: 7.5,
  ids: 6,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, thief, breach, remark }) {
    const { reveal } = adversary.steal(victim.name, thief, 'renewed')
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

/** A renewal that names a pulse from shortly before its lease ended. */
const BEFORE_END_ROUNDS = 100

const HOURS_OF_RENEWALS = 48

/** A former owner whose lease and grace are over dates a renewal back into its lease, once another wants the name. */
const lapsedOwner: Move = {
  id: 'lapsed-owner',
  attacks: ['a lapsed owner must start again'],
  begins: 'start',
  leadDays: 12.5,
  days: 14.7,
  ids: 0,
  allows: 'harmless',
  profile: SHORT_LEASE,
  isAlone: true,
  async run({ world, adversary, victim, thief, remark }) {
    const { profile } = world
    const former = adversary.owner(victim.name)
    thief(former.key.publicKey)
    await former.work(await former.committed())
    const first = former.reveal!
    await adversary.publish(first, former.node)
    const holding = (pubkey: string): number =>
      world.holdersOf(victim.recordKey).filter(({ held }) => held.get(victim.name)?.owner === pubkey).length
    const had = holding(former.pubkey)
    while (victim.state === 'committing') await world.sleep(HOUR_MS / 12)
    const renewal = makeReveal(
      {
        name: victim.name,
        owner: former.key,
        salt: world.random('renewal').bytes(32),
        round: first.drand_pulse + profile.lease - BEFORE_END_ROUNDS,
        former: first,
        serial: 2
      },
      profile
    )
    for (let hour = 0; hour < HOURS_OF_RENEWALS; hour++) {
      await adversary.publish(renewal, former.node)
      remark(
        `${had} honest holders had the first lease; after ${hour} h of renewals ` +
          `${holding(former.pubkey)} have it, ${holding(victim.pubkey)} the new owner's claim`
      )
      await world.sleep(hour === 0 ? HOUR_MS / 3 : HOUR_MS)
    }
  }
}

export const longMoves: readonly Move[] = [toldThatItIsLost, displacedHolders, eclipseInAPartition, lapsedOwner]
