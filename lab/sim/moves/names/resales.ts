/** A second change beside churn, sleep, stubs, growth, a stopped beacon, renewals and both places. */
import type { Reveal } from '../../../../src/protocol/claim/reveal.ts'
import type { KeyPair } from '../../../../src/protocol/crypto/ed25519.ts'
import { withChange } from '../../../../__test__/protocol/changed-keys.ts'
import { showing } from '../../people/adversary.ts'
import { makeReveal } from '../../world/claims.ts'
import type { SimNode } from '../../world/sim-node.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type World } from '../../world/world.ts'
import type { Move } from '../move.ts'
import { changeOf, type Keys } from './changes.ts'
import { type Sale, sendTo, sendToNewcomers, soldTwice } from './sales.ts'

const LIFE_DAYS = 3

/** Fewer ids than these are there change no vote by themselves. */
const IDS = 4

type OtherSale = (seller: Keys, first: Reveal, world: World) => { readonly key: KeyPair; readonly reveal: Reveal }

/** By the change key alone, as somebody who has the words and not the signing key can. */
const byTheWordsAlone: OtherSale = (seller, _first, world) => changeOf(seller, true, world)

const FURTHER_CHANGES = 3

/** With further changes after it: the order of records begins with their number. */
const byALongerChain: OtherSale = (seller, _first, world) => {
  let [to, next] = [world.newKey(), world.newKey()]
  let reveal = withChange(seller.reveal, { to, next, by: seller.changeKey, consent: seller.key }, world.profile)
  for (let more = 0; more < FURTHER_CHANGES; more++) {
    const change = { to: world.newKey(), next: world.newKey(), by: next, consent: to }
    reveal = withChange(reveal, change, world.profile)
    ;[to, next] = [change.to, change.next]
  }
  return { key: to, reveal }
}

/** With a link that the first sale lacks. */
const byARenewedRecord: OtherSale = (seller, _first, world) => {
  const { reveal, key } = seller
  const salt = world.random('renewal of the seller').bytes(32)
  const renewed = makeReveal(
    { name: reveal.name, owner: key, salt, round: world.round() - 10, former: reveal, serial: 2 },
    world.profile
  )
  return changeOf({ ...seller, reveal: renewed }, false, world)
}

async function untilFinal({ world, looks }: Sale): Promise<void> {
  while (looks.finalMs === undefined) {
    await world.sleep(HOUR_MS)
    await looks.look()
  }
}

/** Ids show the other sale at the name and at its check code. */
function joinBoth({ world, adversary, victim, ids, second }: Sale): void {
  const byCode = showing(second, world.hash, victim.codedKey)
  adversary.joinNearBoth(victim, ids, showing(second, world.hash), byCode)
}

/** Sends records to nodes at both places, one after the other. */
async function sendToBoth(nodes: readonly SimNode[], records: readonly Reveal[], { sender }: Sale): Promise<void> {
  for (const record of records)
    for (const kind of ['reveal', 'coded'] as const) await sendTo(nodes, record, sender, kind)
}

function bothPlaces({ world, victim }: Sale): SimNode[] {
  return [...new Set([...world.holdersOf(victim.recordKey), ...world.holdersOf(victim.codedKey)])]
}

/** Once the first sale is final, each newcomer gets the record from before and then the other sale, at both places. */
function toNewcomers(id: string, otherSale?: OtherSale): Move {
  return soldTwice({
    id,
    ids: IDS,
    allows: 'harmless',
    lifeDays: LIFE_DAYS,
    days: 15,
    ...(otherSale !== undefined && { otherSale }),
    sell: async (sale) => {
      const { victim, before, second, publishFirst } = sale
      await publishFirst()
      await untilFinal(sale)
      joinBoth(sale)
      for (const kind of ['reveal', 'coded'] as const) sendToNewcomers(victim, [before, second], sale, kind)
    }
  })
}

/** The same at the code alone from the first hour on, while ids show the second sale at the name. */
const olderRecordAtTheCode = soldTwice({
  id: 'older-record-then-second-sale',
  ids: IDS,
  allows: 'harmless',
  lifeDays: LIFE_DAYS,
  days: 15,
  sell: async (sale) => {
    const { world, adversary, victim, ids, before, second, publishFirst, looks, breach } = sale
    void publishFirst()
    await world.sleep(HOUR_MS)
    adversary.joinNear(victim.recordKey, ids, showing(second, world.hash))
    sendToNewcomers(victim, [before, second], sale, 'coded')
    await looks.until(world.timeline.nowMs + 10 * DAY_MS)
    const having = codeHoldersWith(sale)
    if (having > 0) breach(`${having} holders of the code have the second change`)
  }
})

function codeHoldersWith({ world, victim, second }: Sale): number {
  return world.holdersOf(victim.codedKey).filter(({ holder }) => {
    const entry = holder?.coded.entries.load(victim.codedKey)?.entry
    return entry !== undefined && Buffer.compare(entry.claim.pubkey, second.pubkey) === 0
  }).length
}

const SIEGE_MS = 8 * MINUTE_MS

/** Eleven ids around the name show the second sale for eight minutes, once the first one is final. */
const turnedWhenFinal = soldTwice({
  id: 'sale-turned-when-final',
  attacks: ['a sale that is turned after it was final'],
  ids: 11,
  // A resolver without a pin believes eleven of twenty, as long as they are there.
  allows: 'unpinned',
  sell: async (sale) => {
    const { world, adversary, victim, ids, second, sender, publishFirst } = sale
    await publishFirst()
    await untilFinal(sale)
    adversary.joinNear(victim.recordKey, ids, showing(second, world.hash))
    for (let minutes = 0; minutes < SIEGE_MS / MINUTE_MS; minutes += 2) {
      await sendToBoth(bothPlaces(sale), [second], { ...sale, sender })
      await world.sleep(2 * MINUTE_MS)
    }
    adversary.leave()
    await world.sleep(MINUTE_MS)
  }
})

/** The holders of the check code get the second sale, with the lower hash, seconds after the first one. */
const secondAtTheCode = soldTwice({
  id: 'second-sale-at-the-code-first',
  ids: IDS,
  allows: 'harmless',
  sell: async (sale) => {
    const { world, adversary, victim, ids, second, sender, publishFirst } = sale
    void publishFirst()
    await world.sleep(MINUTE_MS / 2)
    await sendTo(world.holdersOf(victim.codedKey), second, sender, 'coded')
    await untilFinal(sale)
    adversary.joinNear(victim.recordKey, ids, showing(second, world.hash))
  }
})

/** The holders of the check code that are not also holders of the name hear the seller alone for half a day. */
const betweenThePlaces = soldTwice({
  id: 'sold-twice-between-the-places',
  ids: IDS,
  allows: 'harmless',
  sell: async (sale) => {
    const { world, adversary, victim, ids, second, sender, publishFirst, looks } = sale
    const ofName = new Set(world.holdersOf(victim.recordKey))
    const cut = new Set([sender, ...world.holdersOf(victim.codedKey).filter((node) => !ofName.has(node))])
    world.faults.cut((node) => (cut.has(node) ? 1 : 0))
    void publishFirst()
    await sendTo([...cut], second, sender, 'coded')
    await looks.until(world.timeline.nowMs + DAY_MS / 2)
    world.faults.cut(undefined)
    for (const node of world.topology.all()) node.view.refresh()
    await untilFinal(sale)
    adversary.joinNear(victim.recordKey, ids, showing(second, world.hash))
  }
})

const YOUNG_NODES = 14
const GROWTH_DAYS = 3

/** A network of fourteen nodes, in which a sale is final, grows within three days. Each newcomer gets the second sale. */
const inAYoungNetwork = soldTwice({
  id: 'sold-twice-in-a-young-network',
  ids: IDS,
  allows: 'harmless',
  days: 10,
  sell: async (sale) => {
    const { world, victim, before, second, publishFirst } = sale
    const nodes = [...world.topology.near(victim.recordKey)]
    const gone = [...world.topology.all()].filter((node) => !nodes.slice(0, YOUNG_NODES).includes(node))
    for (const node of gone) world.remove(node)
    await publishFirst()
    await untilFinal(sale)
    joinBoth(sale)
    for (const kind of ['reveal', 'coded'] as const) sendToNewcomers(victim, [before, second], sale, kind)
    for (let joined = 0; joined < gone.length; joined++) {
      world.addNode()
      await world.sleep((GROWTH_DAYS * DAY_MS) / gone.length)
    }
  }
})

const ASLEEP_DAYS = 3

/** One in four of the holders sleeps through the sale, and gets the second one as it wakes. */
const toSleepers = soldTwice({
  id: 'sold-twice-to-sleepers',
  ids: IDS,
  allows: 'harmless',
  days: 10,
  sell: async (sale) => {
    const { world, second, publishFirst } = sale
    const sleepers = bothPlaces(sale).filter((_, index) => index % 4 === 3)
    for (const node of sleepers) node.isAwake = false
    await publishFirst()
    await world.sleep(ASLEEP_DAYS * DAY_MS)
    joinBoth(sale)
    for (const node of sleepers) node.restart()
    await sendToBoth(sleepers, [second], sale)
    await sale.looks.look()
  }
})

const CROWD = 100

/** A crowd of ids shows the first sale until holders drop the payload. The crowd goes, and the seller sends the second. */
const toStubs = soldTwice({
  id: 'sold-twice-to-stubs',
  attacks: ['displaced holders'],
  ids: CROWD,
  allows: 'harmless',
  days: 8,
  sell: async (sale) => {
    const { world, adversary, victim, ids, first, before, second, publishFirst } = sale
    await publishFirst()
    const holders = bothPlaces(sale)
    adversary.joinNear(victim.recordKey, ids, showing(first, world.hash))
    await world.sleep(DAY_MS + HOUR_MS)
    adversary.leave()
    await sendToBoth(holders, [before, second], sale)
  }
})

/** The beacon stops ten seconds after the first sale, for half a day. The second one comes meanwhile, and again later. */
const whileTheBeaconStands = soldTwice({
  id: 'sold-twice-while-the-beacon-stands',
  ids: 0,
  // As in the contest, which time does not end then. No look shows either as final.
  allows: 'taken',
  sell: async ({ world, publishFirst, publishSecond, looks }) => {
    await publishFirst()
    await world.sleep(10_000)
    world.beacon.stop()
    await looks.until(world.timeline.nowMs + 6 * HOUR_MS)
    await publishSecond()
    await looks.until(world.timeline.nowMs + 6 * HOUR_MS)
    world.beacon.resume()
    await world.sleep(MINUTE_MS)
    await publishSecond()
  }
})

export const resaleMoves: readonly Move[] = [
  toNewcomers('second-sale-to-newcomers'),
  toNewcomers('words-thief-to-newcomers', byTheWordsAlone),
  toNewcomers('longer-second-sale', byALongerChain),
  toNewcomers('renewed-second-sale', byARenewedRecord),
  olderRecordAtTheCode,
  turnedWhenFinal,
  secondAtTheCode,
  betweenThePlaces,
  inAYoungNetwork,
  toSleepers,
  toStubs,
  whileTheBeaconStands
]
