/** Moves on a name that is about to be claimed, or has not settled yet. */
import { empty, showing, silent } from '../../people/adversary.ts'
import type { Move } from '../move.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../world/world.ts'
import { publish } from '../../../../src/network/client/publish.ts'
import { encodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { recordKey } from '../../../../src/protocol/neighbourhood/key-space.ts'
import { Resolver } from '../../people/resolver.ts'
import { makeReveal } from '../../world/claims.ts'
import { ALWAYS_AWAKE } from '../../people/owner.ts'

/** Five diverse ids that come once the owner works show another one while the holders enter the name. */
const fiveLyingNeighbours: Move = {
  id: 'five-lying-neighbours',
  attacks: ['five lying neighbours', 'neighbours that come for a name', 'a repair that swings back and forth'],
  begins: 'committed',
  ids: 5,
  allows: 'harmless',
  run({ world, adversary, victim, ids, thief }) {
    const { reveal } = adversary.steal(victim.name, thief, 5)
    adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash))
  }
}

const OFF_MS = [-2 * HOUR_MS, -5 * MINUTE_MS, 5 * MINUTE_MS, 2 * HOUR_MS, 30 * DAY_MS, 365 * DAY_MS]

/** The clocks of half of the honest nodes are off, by minutes to a year, when five ids come for a name. */
const clocksOffAmongLiars: Move = {
  ...fiveLyingNeighbours,
  id: 'clocks-off-among-liars',
  attacks: [],
  isAlone: true,
  async run(stage) {
    const { world, victim } = stage
    const nearestFirst = new Set([...world.holdersOf(victim.recordKey), ...world.topology.all()])
    // In turn: by chance five of the nearest are months ahead, refuse everything, and are half of those asked with the liars.
    for (const [index, node] of [...nearestFirst].entries())
      if (index % 2 === 1) node.setClock(OFF_MS[((index - 1) / 2) % OFF_MS.length]!)
    await fiveLyingNeighbours.run(stage)
  }
}

/** Diverse ids that holders know before the owner commits show a claim of a name that was guessed. */
const patientNeighbours: Move = {
  id: 'patient-neighbours',
  attacks: [],
  rows: ['a guessed name, by ids that are there before its owner commits'],
  begins: 'start',
  // Longer than `provisional_settle`: peers known for that long are heard before others.
  leadDays: 8,
  ids: 5,
  // As the row says, all holders adopt the thief's claim. With that VDF he could have registered the name anyway.
  allows: 'taken',
  run({ world, adversary, victim, ids, thief }) {
    const { reveal } = adversary.steal(victim.name, thief, 5)
    adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash))
  }
}

/** Five diverse ids come once the owner works. A claim that they show is sent to all holders before the owner's. */
const claimSentAhead: Move = {
  id: 'claim-sent-ahead',
  attacks: ['neighbours that come for a name'],
  begins: 'committed',
  ids: 5,
  allows: 'harmless',
  // It takes 21 hours: what newcomers were made to adopt has not settled by then.
  habits: { ...ALWAYS_AWAKE, squaringsPerSecond: 8_000 },
  async run({ world, adversary, victim, ids, thief }) {
    const { reveal } = adversary.steal(victim.name, thief, 5)
    adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash))
    const { client, store, clock } = adversary.client()
    // A claim shown no later than C is seen comes before it (10).
    await world.sleep(60_000)
    while (victim.revealedMs === undefined) {
      await publish(client, { store, clock }, { kind: 'reveal', id: victim.name, bytes: encodeReveal(reveal) })
      await world.sleep(3_600_000)
    }
  }
}

/** Ids that came after the commitment show another owner while the name settles. */
const talkOverWitnesses: Move = {
  id: 'talk-over-witnesses',
  attacks: ['a witness who is talked over'],
  rows: ['a name in contest or settling, at holders that saw its commitment'],
  begins: 'committed',
  ids: 11,
  allows: 'unpinned',
  async run({ world, adversary, victim, ids, thief }) {
    while (victim.revealedMs === undefined) await world.sleep(60_000)
    const { reveal } = adversary.steal(victim.name, thief, 5)
    adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash))
  }
}

/** In the round of the owner's commitment, a claim that nobody saw committed comes to all holders. */
const squatterWithoutAWitness: Move = {
  id: 'squatter-without-a-witness',
  attacks: [
    'a claim nobody has witnessed',
    'a squatter without a witness',
    'a squatter in the round of the commitment'
  ],
  rows: ['a free name that looks taken'],
  begins: 'committed',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim, thief, remark }) {
    const { reveal } = adversary.steal(victim.name, thief, 1)
    const { client, store, clock } = adversary.client()
    await publish(client, { store, clock }, { kind: 'reveal', id: victim.name, bytes: encodeReveal(reveal) })
    const holders = world.holdersOf(victim.recordKey)
    const first = holders.filter((node) => node.held.get(victim.name)?.state === 'provisional')
    remark(`${first.length} of ${holders.length} holders had the squatter's claim before the owner's`)
  }
}

const SLOW_NAME = 'a-name-of-a-slow-owner.chronym'

/** One id beside holders that all have a slow owner's claim, which has no witness left, names another owner as settled. */
const loneVote: Move = {
  id: 'lone-vote',
  attacks: ['a lone vote against a provisional claim'],
  begins: 'start',
  ids: 1,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, ids, breach, remark }) {
    const { node } = new Resolver(world)
    const owner = world.newKey()
    const salt = world.chance.bytes(32)
    const slow = makeReveal({ name: SLOW_NAME, owner, salt, round: world.round() - 100 }, world.profile)
    await publish(node.client, node, { kind: 'reveal', id: SLOW_NAME, bytes: encodeReveal(slow) })
    const key = recordKey('reveal', SLOW_NAME, world.hash)
    const { reveal } = adversary.steal(SLOW_NAME, () => undefined, 200)
    adversary.joinNear(key, ids, showing(reveal, world.hash))
    const holders = world.holdersOf(key)
    const provisional = holders.filter(({ held }) => held.get(SLOW_NAME)?.state === 'provisional')
    const seen = await new Resolver(world).resolve(SLOW_NAME)
    remark(`${provisional.length} of ${holders.length} holders have the owner as provisional; a look says ${seen.kind}`)
    if (seen.owner === toHex(reveal.pubkey)) breach('one id shows another owner than most holders have')
  }
}

/** A claim with an earlier pulse and a whole VDF, which no node saw committed, sent to all holders in the contest. */
const unwitnessedClaim: Move = {
  id: 'unwitnessed-claim',
  attacks: ['a claim nobody has witnessed', 'a squatter without a witness', 'rivals that keep a claim provisional'],
  begins: 'committed',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim, thief }) {
    const { reveal } = adversary.steal(victim.name, thief, 1)
    const { client, store, clock } = adversary.client()
    while (victim.revealedMs === undefined) await world.sleep(1_000)
    for (let again = 0; again < 24; again++) {
      await publish(client, { store, clock }, { kind: 'reveal', id: victim.name, bytes: encodeReveal(reveal) })
      await world.sleep(again < 12 ? 10_000 : 3_600_000)
    }
  }
}

/** Ids around a name accept its record, say so, and keep nothing. */
const keepNothing: Move = {
  id: 'keep-nothing',
  attacks: ['ids of one address that keep nothing'],
  begins: 'committed',
  ids: 12,
  allows: 'harmless',
  run({ adversary, victim, ids }) {
    adversary.joinNear(victim.recordKey, ids, empty, Infinity)
  }
}

/** The same with ids that count: a majority of those around the name. */
const keepNothingDiverse: Move = {
  id: 'keep-nothing-diverse',
  attacks: [],
  rows: ['nothing of a record counts as published'],
  begins: 'committed',
  ids: 11,
  allows: 'censored',
  run({ adversary, victim, ids }) {
    adversary.joinNear(victim.recordKey, ids, empty)
  }
}

/** Ids of one address around a name take its commitment and do not answer. */
const silentIdsOfOneAddress: Move = {
  id: 'silent-ids-of-one-address',
  attacks: ['silent ids of one address'],
  rows: ['nobody can commit, under one prefix of keys'],
  begins: 'start',
  ids: 20,
  allows: 'harmless',
  run({ adversary, victim, ids }) {
    adversary.joinNear(victim.recordKey, ids, silent, Infinity)
  }
}

/** Six diverse neighbours of a name that answer nothing, at any time. */
const silentNeighbours: Move = {
  id: 'silent-neighbours',
  attacks: ['a neighbour that never answers'],
  begins: 'start',
  ids: 6,
  allows: 'harmless',
  run({ adversary, victim, ids }) {
    adversary.joinNear(victim.recordKey, ids, silent)
  }
}

export const newNameMoves: readonly Move[] = [
  fiveLyingNeighbours,
  clocksOffAmongLiars,
  patientNeighbours,
  claimSentAhead,
  talkOverWitnesses,
  squatterWithoutAWitness,
  loneVote,
  unwitnessedClaim,
  keepNothing,
  keepNothingDiverse,
  silentIdsOfOneAddress,
  silentNeighbours
]
