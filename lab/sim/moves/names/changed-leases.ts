/** Thieves and former owners beside leases, renewals, partitions, and turns. */
import type { KeyPair } from '../../../../src/protocol/crypto/ed25519.ts'
import { encodeReveal, type Reveal } from '../../../../src/protocol/claim/reveal.ts'
import { compareBytes, equalBytes, sha256, toHex } from '../../../../src/protocol/encoding/bytes.ts'
import type { KeyChange } from '../../../../__test__/protocol/changed-keys.ts'
import { ALWAYS_AWAKE, Owner } from '../../people/owner.ts'
import { CodeResolver, Resolver } from '../../people/resolver.ts'
import { SHORT_CODE } from '../../../../src/protocol/claim/check-code.ts'
import type { NetworkProfile } from '../../../../src/protocol/profile/profile.ts'
import { makeReveal, withZone } from '../../world/claims.ts'
import type { SimNode } from '../../world/sim-node.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SHORT_LEASE, SIM_PROFILE, type World } from '../../world/world.ts'
import type { Move } from '../move.ts'
import { changeOf, holdersFor, type Keys, keysOf } from './changes.ts'
import { sendTo } from './sales.ts'

/** The owner's own change, with both signatures. */
function ownChange({ key, changeKey }: Keys, world: World): KeyChange {
  return { to: world.newKey(), next: world.newKey(), by: changeKey, consent: key }
}

/** The same record with another link, of now, signed by the key that it names. */
function renewedBy({ key, reveal }: Pick<Keys, 'key' | 'reveal'>, serial: number, world: World): Reveal {
  const salt = world.random(`renewal ${serial}`).bytes(32)
  return makeReveal(
    { name: reveal.name, owner: key, salt, round: world.round() - 10, former: reveal, serial },
    world.profile
  )
}

/** The owners shown by name and by code, in hex, or what is shown in place of one. */
async function shownBoth(victim: Owner, world: World): Promise<readonly [string, string]> {
  const [byName, byCode] = [new Resolver(world), new CodeResolver(world)]
  const [bare, coded] = [
    await byName.resolve(victim.name),
    await byCode.resolve(victim.name, victim.code!.slice(0, SHORT_CODE))
  ]
  for (const { node } of [byName, byCode]) world.remove(node)
  return [bare.owner ?? bare.kind, coded.owner ?? coded.kind]
}

function atBothPlaces(victim: Owner, world: World): readonly ['reveal' | 'coded', readonly SimNode[]][] {
  return [
    ['reveal', world.holdersOf(victim.recordKey)],
    ['coded', world.holdersOf(victim.codedKey)]
  ]
}

/** Days of a run: of the beginning of these moves, and of the end of the short lease with its grace. */
const BEGINS_DAY = 4
const LEASE_DAYS = 12

interface FormerOwner {
  readonly id: string
  /** Days after the sale until the seller renews by the former key, and how often it does so again. */
  readonly firstRenewalDays: number
  readonly everyDays: number
  /** When the name is free: days of the run. */
  readonly freeDay: number
}

/**
 * A seller renews by the former key, before or after the sale is final. The buyer lets the lease end. Somebody who
 * commits before it does must have the name, though the seller sends the renewed record on.
 */
function formerOwner({ id, firstRenewalDays, everyDays, freeDay }: FormerOwner): Move {
  return {
    id,
    attacks: ['a former owner who renews'],
    begins: 'settled',
    days: freeDay + 2,
    ids: 0,
    // The name becomes free, and another owner has it.
    allows: 'taken',
    excuses: ['P12', 'P14', 'P20'],
    profile: SHORT_LEASE,
    hasChangeKey: true,
    isAlone: true,
    habits: { ...ALWAYS_AWAKE, absences: [{ fromMs: 5.5 * DAY_MS, untilMs: 365 * DAY_MS }] },
    async run({ world, adversary, victim, breach, remark }) {
      const startMs = world.timeline.nowMs - BEGINS_DAY * DAY_MS
      const untilDay = (day: number): Promise<void> => world.sleep(startMs + day * DAY_MS - world.timeline.nowMs)
      const seller = { ...keysOf(victim) }
      const sender = adversary.client()
      let renewed = seller.reveal
      await victim.changeKeys(ownChange(seller, world))
      void (async () => {
        await world.sleep(firstRenewalDays * DAY_MS)
        for (let serial = 2; ; serial++) {
          renewed = renewedBy({ key: seller.key, reveal: renewed }, serial, world)
          const nextMs = world.timeline.nowMs + everyDays * DAY_MS
          while (world.timeline.nowMs < nextMs) {
            await adversary.publish(renewed, sender)
            await world.sleep(6 * HOUR_MS)
          }
        }
      })()
      await untilDay(freeDay - 0.2)
      const next = new Owner(world, victim.name)
      await next.work(await next.committed())
      await untilDay(freeDay + 0.01)
      void next.keep()
      await untilDay(freeDay + 2 - 0.1)
      const [bare, coded] = await shownBoth(victim, world)
      const who: Readonly<Record<string, string>> = {
        [next.pubkey]: 'the next owner',
        [toHex(seller.key.publicKey)]: 'the seller',
        [victim.pubkey]: 'the buyer'
      }
      const { having, of } = holdersFor(victim, next.key.publicKey, world)
      remark(
        `${having} of ${of} honest holders have the next owner's claim; the name shows ${who[bare] ?? bare}, ` +
          `the code of the claim before ${who[coded] ?? coded}`
      )
      if (having * 2 <= of) breach('a former owner keeps a name from everybody whose lease is over')
      if (bare !== next.pubkey) breach(`two days after the lease the name shows ${who[bare] ?? bare}`)
    }
  }
}

const THEFT_MINUTES = 8
const ROTATED_AFTER = 4
const ZONE_SECONDS = 2
const NEARLY_ALL = 0.9

/** A thief of the seed renews, and publishes a zone every other second. The owner's change of keys enters in a minute. */
const turnsUsedUp: Move = {
  id: 'seed-thief-uses-up-turns',
  attacks: ['a thief who uses up all turns', 'a former key that signs on'],
  begins: 'settled',
  ids: 0,
  allows: 'harmless',
  excuses: ['P20'],
  hasChangeKey: true,
  isAlone: true,
  async run({ world, adversary, victim, breach, remark }) {
    const stolen = keysOf(victim)
    const sender = adversary.client()
    const renewed = renewedBy(stolen, 2, world)
    const publishZones = async (): Promise<void> => {
      for (let turn = 0; turn < (THEFT_MINUTES * 60) / ZONE_SECONDS; turn++) {
        const zone = withZone(renewed, stolen.key, 3 + turn, `zone ${turn}`, world.profile)
        for (const [kind, nodes] of atBothPlaces(victim, world)) void sendTo(nodes, zone, sender, kind)
        await world.sleep(ZONE_SECONDS * 1000)
      }
    }
    void publishZones()
    await world.sleep(ROTATED_AFTER * MINUTE_MS)
    void victim.changeKeys(ownChange(stolen, world))
    await world.sleep(MINUTE_MS)
    const { having, of } = holdersFor(victim, victim.key.publicKey, world)
    const byCode = codeHoldersWith(victim, victim.key.publicKey, world)
    remark(`a minute after the owner's change ${having} of ${of} holders have it, and ${byCode} of the code`)
    // A node whose clock is far ahead takes no change.
    if (Math.min(having, byCode) < of * NEARLY_ALL) breach('a thief of one key keeps a change of both from its holders')
    await world.sleep((THEFT_MINUTES - ROTATED_AFTER) * MINUTE_MS)
    const [bare, coded] = await shownBoth(victim, world)
    if (bare !== victim.pubkey || coded !== victim.pubkey) breach('a former key is shown after its change')
  }
}

function codeHoldersWith({ codedKey }: Owner, pubkey: Uint8Array, world: World): number {
  return world.holdersOf(codedKey).filter(({ holder }) => {
    const entry = holder?.coded.entries.load(codedKey)?.entry
    return entry !== undefined && compareBytes(entry.claim.pubkey, pubkey) === 0
  }).length
}

/** Half of the holders hear a thief of the change words alone for half a day, the others the owner, who has both keys. */
const wordsInAPartition: Move = {
  id: 'words-thief-in-a-partition',
  attacks: ['a thief of the change words', 'a partition in the contest'],
  begins: 'settled',
  ids: 4,
  allows: 'harmless',
  excuses: ['P14', 'P20'],
  days: 8,
  hasChangeKey: true,
  isAlone: true,
  async run({ world, adversary, victim, breach, remark }) {
    const keys = keysOf(victim)
    const { key, reveal } = changeOf(keys, true, world)
    const sender = adversary.client()
    const cut = new Set([sender])
    for (const [, nodes] of atBothPlaces(victim, world))
      for (const [index, node] of nodes.entries()) if (index % 2 === 1) cut.add(node)
    world.faults.cut((node) => (cut.has(node) ? 1 : 0))
    for (const kind of ['reveal', 'coded'] as const) await sendTo([...cut], reveal, sender, kind)
    void victim.changeKeys(ownChange(keys, world))
    await world.sleep(DAY_MS / 2)
    world.faults.cut(undefined)
    for (const node of world.topology.all()) node.view.refresh()
    await world.sleep(2 * DAY_MS)
    const [bare, coded] = await shownBoth(victim, world)
    const [owners, thiefs] = [victim.key, key].map(({ publicKey }) => holdersFor(victim, publicKey, world))
    remark(
      `two days after the parts met again ${owners!.having} and ${thiefs!.having} of ${owners!.of} honest holders have ` +
        `the owner's change and the thief's`
    )
    if (bare !== victim.pubkey || coded !== victim.pubkey) breach('the owner, who has both keys, is not shown')
    if (thiefs!.having > 0) breach(`${thiefs!.having} holders keep a change with one signature beside one with both`)
  }
}

/** One more than wait at one node for all names. */
const NAMES = 257
const ONE_AT_ONCE: NetworkProfile = { ...SIM_PROFILE, changes: { interval: 30, burst: 1 } }

/** Zones of one name: the first enters, the second and, a while later, the third spend a turn, and the fourth waits. */
const ZONES = 4

/** Names of an attacker's fill the queue of updates at one holder. The owner's newest zone still gets its turn there. */
const queueFilled: Move = {
  id: 'names-that-fill-the-queue',
  attacks: [],
  begins: 'settled',
  ids: 0,
  allows: 'harmless',
  // It takes a quarter of an hour, and each name of the attacker's is asked about for days.
  days: BEGINS_DAY + 0.02,
  profile: ONE_AT_ONCE,
  isAlone: true,
  async run({ world, adversary, victim, breach, remark }) {
    const sender = adversary.client()
    const holder = world.holdersOf(victim.recordKey)[0]!
    const zonesOf = (reveal: Reveal, key: KeyPair): readonly Reveal[] =>
      Array.from({ length: ZONES }, (_, zone) => withZone(reveal, key, 2 + zone, `${zone}`, world.profile))
    const stored = async (record: Reveal): Promise<void> => {
      const request = { type: 'put', kind: 'reveal', record: encodeReveal(record) } as const
      while ((await sender.view.ask(holder.peer, request)).type === 'busy') await world.sleep(1_000)
    }
    const last: Reveal[] = []
    for (let index = 0; index < NAMES; index++) {
      const key = world.newKey()
      const reveal = adversary.claim(`one-of-many-${index}.chronym`, world.round() - 100, key)
      const [first, second, ...others] = zonesOf(reveal, key)
      await stored(first!)
      await stored(second!)
      last.push(...others)
    }
    const names = [...holder.held.keys()].length - 1
    for (const record of last) await sendTo([holder], record, sender)
    const own = zonesOf(victim.reveal!, victim.key)
    for (const zone of own) await sendTo([holder], zone, victim.node)
    await world.sleep(LONGEST_TURN_MS)
    const entry = holder.holder?.entries.load(victim.recordKey)?.entry
    const isNewest = entry !== undefined && equalBytes(entry.claim.payloadHash, sha256(own.at(-1)!.payload))
    remark(
      `beside ${names} names of the attacker, the owner's newest zone is ${isNewest ? '' : 'not '}taken in its turn`
    )
    if (names < NAMES) breach('the holder took too few names of the attacker: the move tried nothing')
    if (!isNewest) breach("names of the attacker take the turn of the owner's zone")
  }
}

/** A node of the simulation looks at what waits every ten minutes, while some entry is not settled. */
const LONGEST_TURN_MS = 11 * MINUTE_MS

export const changedLeaseMoves: readonly Move[] = [
  formerOwner({ id: 'former-owner-renews', firstRenewalDays: 1.2, everyDays: 3, freeDay: LEASE_DAYS }),
  // The link of the day of the sale counts, since the sale could still be turned then: ten days and the grace.
  formerOwner({
    id: 'former-owner-renews-in-time',
    firstRenewalDays: 0.2,
    everyDays: 3,
    freeDay: BEGINS_DAY + 0.2 + LEASE_DAYS
  }),
  turnsUsedUp,
  wordsInAPartition,
  queueFilled
]
