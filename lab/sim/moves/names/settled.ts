/** Moves on a settled name: ids around it, or around its check code, show or hide what suits them. */
import { encodeReveal, type Reveal, signReveal } from '../../../../src/protocol/claim/reveal.ts'
import type { KeyPair } from '../../../../src/protocol/crypto/ed25519.ts'
import { empty, showing, silent } from '../../people/adversary.ts'
import type { Answerer } from '../../world/sim-node.ts'
import { ALWAYS_AWAKE, type Owner } from '../../people/owner.ts'
import { HOUR_MS, type World } from '../../world/world.ts'
import type { Move } from '../move.ts'
import { recordKey } from '../../../../src/protocol/neighbourhood/key-space.ts'
import { publish } from '../../../../src/network/client/publish.ts'
import { withZone } from '../../world/claims.ts'

/** The owner's claim with its proof, so that its code fits, under another key. Not Valid. */
export function forged(reveal: Reveal, key: KeyPair, world: World): Reveal {
  return signReveal({ ...reveal }, key, world.hash)
}

/** Shows, by turns, a Valid claim that lacks the code, and a record that has it and is not Valid. */
export function forging(victim: Owner, stolen: Reveal, key: KeyPair, world: World): Answerer {
  const lies = [stolen, forged(victim.reveal!, key, world)].map((each) => showing(each, world.hash, victim.codedKey))
  let turn = 0
  return (request, from) => lies[turn++ % lies.length]!(request, from)
}

/**
 * Ids around a settled name show another owner, with a whole VDF behind it, to all who ask, without a break. As many
 * around its check code show forged records.
 */
const eclipseSettled: Move = {
  id: 'eclipse-settled',
  attacks: ['another owner before the lease is dead', 'a bare name taken by its neighbourhood'],
  rows: ['a settled name at resolvers without a firm pin, as long as it goes on'],
  begins: 'settled',
  ids: 11,
  allows: 'unpinned',
  run({ world, adversary, victim, ids, thief }) {
    const { key, reveal } = adversary.steal(victim.name, thief, 'renewed')
    adversary.joinNearBoth(victim, ids, showing(reveal, world.hash), forging(victim, reveal, key, world))
  }
}

/** Ids around a settled name, and as many around its check code, say that nobody holds it. */
const hideSettled: Move = {
  id: 'hide-settled',
  attacks: ['the only peer that answers'],
  begins: 'settled',
  ids: 20,
  allows: 'censored',
  run({ adversary, victim, ids }) {
    adversary.joinNearBoth(victim, ids, empty, empty)
  }
}

/** The same majority for one hour a day. */
const eclipseAnHourADay: Move = {
  id: 'eclipse-an-hour-a-day',
  attacks: ['a majority seen once'],
  rows: ['the same, remembered'],
  begins: 'settled',
  ids: 11,
  allows: 'unpinned',
  async run({ world, adversary, victim, ids, thief }) {
    const { reveal } = adversary.steal(victim.name, thief, 100)
    const show = showing(reveal, world.hash)
    const held = showing(victim.reveal!, world.hash)
    let isShown = true
    adversary.joinNear(victim.recordKey, ids, (request, from) =>
      request.type === 'get' ? (isShown ? show : held)(request, from) : empty(request)
    )
    for (;;) {
      await world.sleep(HOUR_MS)
      isShown = false
      await world.sleep(23 * HOUR_MS)
      isShown = true
    }
  }
}

/**
 * Once its owner has published another zone, ids around a name show the record before, and as many around its check
 * code show it or give no answer, by turns.
 */
const olderRecordByCode: Move = {
  id: 'older-record-by-code',
  attacks: [],
  begins: 'settled',
  days: 5,
  ids: 19,
  // By its bare name too: it is the owner's record.
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids }) {
    const older = victim.reveal!
    await victim.changeZone('newer')
    const lieByCode = showing(older, world.hash, victim.codedKey)
    let turn = 0
    adversary.joinNearBoth(victim, ids, showing(older, world.hash), (request, from) =>
      turn++ % 2 === 0 ? lieByCode(request, from) : silent()
    )
  }
}

/** Ten ids show another owner of a settled name, while its holders come and go. */
const newcomersAmongLiars: Move = {
  id: 'newcomers-among-liars',
  attacks: ['newcomers who join among liars'],
  rows: ['a settled name at its holders too, as these come and go'],
  begins: 'settled',
  ids: 10,
  // The row: ten ids take a settled name at its holders too, as these come and go.
  allows: 'taken',
  // Holders change one after the other: in between some have the one claim, some the other.
  excuses: ['P14'],
  lifeDays: 3,
  run({ world, adversary, victim, ids, thief }) {
    const { reveal } = adversary.steal(victim.name, thief, 100)
    adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash))
  }
}

/** A majority shows records that it should not: of another name, or with a lease that ended. */
const deadOrOtherClaims: Move = {
  id: 'dead-or-other-claims',
  attacks: ['a claim of another name', 'a dead claim shown to a newcomer'],
  begins: 'settled',
  ids: 11,
  allows: 'harmless',
  lifeDays: 3,
  run({ world, adversary, victim, ids, thief }) {
    const key = world.newKey()
    thief(key.publicKey)
    const { lease, grace } = world.profile
    const dead = adversary.claim(victim.name, world.round() - lease - grace - 10, key)
    const other = adversary.claim(`another-${victim.name}`, world.round() - 100, key)
    const [showDead, showOther] = [showing(dead, world.hash), showing(other, world.hash)]
    const otherKey = recordKey('reveal', other.name, world.hash)
    let index = 0
    adversary.joinNear(victim.recordKey, ids, (request, from) =>
      index++ % 2 === 0 || request.type !== 'get'
        ? showDead(request, from)
        : showOther({ ...request, key: otherKey }, from)
    )
  }
}

/** The owner signs two zones with one serial and sends each to all holders. */
const equivocatingOwner: Move = {
  id: 'equivocating-owner',
  attacks: ['two payloads at one (p, serial)', 'older changes sent again', 'an older record shown again'],
  begins: 'settled',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim }) {
    const { client, store, clock } = adversary.client()
    for (const note of ['one', 'two', 'one', 'two']) {
      const bytes = encodeReveal(withZone(victim.reveal!, victim.key, 2, note, world.profile))
      await publish(client, { store, clock }, { kind: 'reveal', id: victim.name, bytes })
      await world.sleep(40_000)
    }
  }
}

/** The thief of a name's key claims it a second time, with a proper commitment and a VDF. */
const stolenKeyClaimsAgain: Move = {
  id: 'stolen-key-claims-again',
  attacks: ['a second first link of a stolen key'],
  rows: ['a settled name replaced by the thief of its key'],
  begins: 'settled',
  ids: 0,
  allows: 'harmless',
  async run({ adversary, victim }) {
    await adversary.owner(victim.name, ALWAYS_AWAKE, victim.key).live()
  }
}

/** Twenty ids of one address, nearest to a settled name, show another owner. */
const oneAddressAroundAKey: Move = {
  id: 'one-address-around-a-key',
  attacks: [
    'ids of one address around a key',
    'one machine that passes for a crowd',
    'a claim that one address shows at every holder'
  ],
  begins: 'settled',
  ids: 20,
  allows: 'harmless',
  run({ world, adversary, victim, ids, thief }) {
    const { reveal } = adversary.steal(victim.name, thief, 100)
    adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash), Infinity)
  }
}

/** Twelve ids around a settled name on three machines: two by IPv4 and two by IPv6 on each. They show another owner. */
const twoFamilies: Move = {
  id: 'two-families',
  attacks: ['two families'],
  rows: ['the same by ids at IPv4 and IPv6 of the same machines'],
  begins: 'settled',
  ids: 12,
  allows: 'harmless',
  run({ world, adversary, victim, ids, thief }) {
    const { reveal } = adversary.steal(victim.name, thief, 'renewed')
    adversary.joinNearInFamilies(victim.recordKey, ids, showing(reveal, world.hash))
  }
}

export const settledMoves: readonly Move[] = [
  eclipseSettled,
  hideSettled,
  eclipseAnHourADay,
  olderRecordByCode,
  newcomersAmongLiars,
  deadOrOtherClaims,
  equivocatingOwner,
  stolenKeyClaimsAgain,
  oneAddressAroundAKey,
  twoFamilies
]
