/** A seller who sells a name twice. */
import { marksOf } from '../../../../src/protocol/claim/changes.ts'
import { claimIdOf, decodeVdfProof, encodeReveal, type Reveal } from '../../../../src/protocol/claim/reveal.ts'
import type { KeyPair } from '../../../../src/protocol/crypto/ed25519.ts'
import { compareBytes } from '../../../../src/protocol/encoding/bytes.ts'
import { showing } from '../../people/adversary.ts'
import type { Owner } from '../../people/owner.ts'
import { withChange } from '../../../../__test__/protocol/changed-keys.ts'
import type { Answerer, SimNode } from '../../world/sim-node.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type World } from '../../world/world.ts'
import type { Harm, Move, Stage } from '../move.ts'
import { changeOf, holdersFor, type Keys, keysOf } from './changes.ts'
import { Looks } from './sale-looks.ts'

/** Nodes stay a week. */
const LIFE_DAYS = 7

function lastHash(reveal: Reveal, { hash }: World): Uint8Array {
  const proof = decodeVdfProof(reveal.vdf_proof)
  return marksOf(reveal.name, claimIdOf(reveal, proof, hash).id, proof.changes!, hash).at(-1)!.hash
}

/** A second sale whose hash is the lower one. */
function lowerSale(seller: Keys, first: Reveal, world: World): { key: KeyPair; reveal: Reveal } {
  for (;;) {
    const sale = changeOf(seller, false, world)
    if (compareBytes(lastHash(sale.reveal, world), lastHash(first, world)) < 0) return sale
  }
}

/** Sends a record to some nodes, and to no others. */
export async function sendTo(
  nodes: readonly SimNode[],
  reveal: Reveal,
  { view }: SimNode,
  kind: 'reveal' | 'coded' = 'reveal'
): Promise<void> {
  const put = { type: 'put', kind, record: encodeReveal(reveal) } as const
  await Promise.all(nodes.map(({ peer }) => view.ask(peer, put).catch(() => undefined)))
}

/** Sends records to each new holder within a minute, before its neighbours do: of the name, or of its check code. */
export function sendToNewcomers(
  victim: Owner,
  records: readonly Reveal[],
  { sender, world }: Pick<Sale, 'sender' | 'world'>,
  kind: 'reveal' | 'coded' = 'reveal'
): void {
  const key = kind === 'reveal' ? victim.recordKey : victim.codedKey
  const known = new Set(world.holdersOf(key))
  const greet = async (newcomers: readonly SimNode[]): Promise<void> => {
    for (const record of records) await sendTo(newcomers, record, sender, kind)
  }
  const look = (): void => {
    const newcomers = world.holdersOf(key).filter((node) => !known.has(node))
    for (const node of newcomers) known.add(node)
    void greet(newcomers)
    void world.timeline.after(MINUTE_MS, look)
  }
  look()
}

interface SaleParts {
  readonly id: string
  readonly attacks?: readonly string[]
  readonly ids?: number
  readonly allows: Harm
  readonly lifeDays?: number
  readonly days?: number
  /** The record that the seller shows later: by default another sale whose hash is the lower one. */
  readonly otherSale?: (seller: Keys, first: Reveal, world: World) => { readonly key: KeyPair; readonly reveal: Reveal }
  /** The two sales, from the moment that both are signed. */
  readonly sell: (sale: Sale) => Promise<void>
}

export interface Sale extends Stage {
  /** The record from before both sales. */
  readonly before: Reveal
  readonly first: Reveal
  readonly second: Reveal
  /** Sends the second sale. */
  readonly sender: SimNode
  /** The buyer publishes the first. */
  readonly publishFirst: () => Promise<void>
  readonly publishSecond: () => Promise<void>
  readonly looks: Looks
}

/**
 * The seller of a name signs a second change after the same one, with a lower hash. New resolvers must not see the
 * second buyer once the first change was final at most holders.
 */
export function soldTwice(parts: SaleParts): Move {
  const { id, attacks = [], ids = 0, allows, lifeDays, days = 7, otherSale = lowerSale, sell } = parts
  return {
    id,
    attacks: ['a name sold twice', ...attacks],
    begins: 'settled',
    days,
    ids,
    allows,
    // Where holders stay divided, the name stays contested. Of records that part none is the older one.
    excuses: ['P14', 'P20'],
    isAlone: true,
    hasChangeKey: true,
    ...(lifeDays !== undefined && { lifeDays }),
    async run(stage) {
      const { world, adversary, victim, thief, breach, remark } = stage
      const beganMs = world.timeline.nowMs
      const seller = keysOf(victim)
      const [to, next] = [world.newKey(), world.newKey()]
      const sold = { to, next, by: seller.changeKey, consent: seller.key }
      const first = withChange(seller.reveal, sold, world.profile)
      const { key, reveal: second } = otherSale(seller, first, world)
      thief(key.publicKey)
      const looks = new Looks(world, victim, [to.publicKey, key.publicKey])
      const sender = adversary.client()
      await sell({
        ...stage,
        before: seller.reveal,
        first,
        second,
        sender,
        looks,
        publishFirst: () => victim.changeKeys(sold),
        publishSecond: () => adversary.publish(second, sender)
      })
      await looks.until(beganMs + (days - 4) * DAY_MS - HOUR_MS)
      const [one, two] = [to, key].map(({ publicKey }) => holdersFor(victim, publicKey, world))
      const paid =
        looks.paidMs === undefined
          ? 'never seen as final'
          : `${looks.secondAfterPaid} once it was seen as final, by ${looks.mostVotes} peers at most`
      remark(
        `${looks.told()}, ${paid}; ${one!.having} and ${two!.having} of ${one!.of} honest holders have the first and the second`
      )
      if (looks.secondAfterFinal > 0)
        breach(`${looks.secondAfterFinal} looks show the second buyer after the first change was final at most holders`)
      if (looks.secondByCodeAfterFinal > 0)
        breach(`${looks.secondByCodeAfterFinal} looks by code show the second buyer after the first change was final`)
    }
  }
}

/** Both changes are sent to all holders, the second one a while later. */
function secondLater(id: string, laterMs: number, allows: Harm): Move {
  return soldTwice({
    id,
    allows,
    sell: async ({ world, publishFirst, publishSecond }) => {
      void publishFirst()
      await world.sleep(laterMs)
      void publishSecond()
    }
  })
}

const soldTwiceAtOnce = secondLater('sold-twice-at-once', 0, 'taken')
const soldTwiceInTheContest = secondLater('sold-twice-in-the-contest', MINUTE_MS, 'taken')

/** The contest is 90 s. */
const soldTwiceAfterTheContest = secondLater('sold-twice-after-the-contest', 100_000, 'harmless')

/** Every second honest holder has the second change before the buyer publishes the first to all. */
const soldTwiceToHalf = soldTwice({
  id: 'sold-twice-to-half',
  allows: 'taken',
  sell: async ({ world, victim, second, sender, publishFirst }) => {
    const half = world.holdersOf(victim.recordKey).filter((_, index) => index % 2 === 1)
    await sendTo(half, second, sender)
    void publishFirst()
  }
})

/** A part of the holders hears only the seller for half a day. */
function soldInAPartition(id: string, isCutOff: (index: number) => boolean, allows: Harm): Move {
  return soldTwice({
    id,
    allows,
    sell: async ({ world, victim, sender, publishFirst, publishSecond, looks }) => {
      const other = new Set<SimNode>([sender])
      for (const [index, node] of world.holdersOf(victim.recordKey).entries()) if (isCutOff(index)) other.add(node)
      world.faults.cut((node) => (other.has(node) ? 1 : 0))
      void publishFirst()
      void publishSecond()
      await looks.until(world.timeline.nowMs + DAY_MS / 2)
      world.faults.cut(undefined)
      for (const node of world.topology.all()) node.view.refresh()
    }
  })
}

const soldTwiceInAPartition = soldInAPartition('sold-twice-in-a-partition', (index) => index % 5 < 2, 'harmless')
const soldTwiceToHalves = soldInAPartition('sold-twice-to-halves', (index) => index % 2 === 1, 'censored')

/**
 * Ids among the holders show the first change until a resolver has seen it as final, then the second one. The seller
 * sends the second to each node that joins.
 */
const soldTwiceAmongLiars = soldTwice({
  id: 'sold-twice-among-liars',
  ids: 5,
  allows: 'harmless',
  lifeDays: LIFE_DAYS,
  days: 25,
  sell: async ({ world, adversary, victim, ids, first, second, sender, publishFirst, looks }) => {
    let shown: Answerer = showing(victim.reveal!, world.hash)
    adversary.joinNear(victim.recordKey, ids, (request, from) => shown(request, from))
    await world.sleep(HOUR_MS)
    await publishFirst()
    shown = showing(first, world.hash)
    while (looks.finalMs === undefined) {
      await world.sleep(MINUTE_MS)
      await looks.look()
    }
    shown = showing(second, world.hash)
    sendToNewcomers(victim, [second], { sender, world })
  }
})

/**
 * Half of the honest holders get the second change first. Ids among them tell each that they hold what it holds, show
 * the first change to resolvers until one has seen it as final, and then the second one.
 */
const soldTwiceAmongDividers = soldTwice({
  id: 'sold-twice-among-dividers',
  ids: 5,
  allows: 'taken',
  sell: async ({ world, adversary, victim, ids, first, second, sender, publishFirst, looks }) => {
    const half = world.holdersOf(victim.recordKey).filter((_, index) => index % 2 === 1)
    const [one, two] = [showing(first, world.hash), showing(second, world.hash)]
    const before = showing(victim.reveal!, world.hash)
    let isSigned = false
    adversary.joinNear(victim.recordKey, ids, (request, from) => {
      if (!isSigned) return before(request, from)
      if (looks.paidMs !== undefined) return two(request, from)
      return (half.includes(from) ? two : one)(request, from)
    })
    await world.sleep(HOUR_MS)
    isSigned = true
    await sendTo(half, second, sender)
    void publishFirst()
  }
})

/**
 * The seller sends the second change to each node that joins near the check code. Nobody votes there, so the buyer loses
 * the code of a name whose neighbourhood has another claim, once most of these nodes have it.
 */
const soldTwiceAtTheCode = soldTwice({
  id: 'sold-twice-at-the-code',
  allows: 'harmless',
  lifeDays: LIFE_DAYS,
  days: 25,
  sell: async ({ world, victim, second, sender, publishFirst, looks, breach }) => {
    void publishFirst()
    await world.sleep(HOUR_MS)
    sendToNewcomers(victim, [second], { sender, world }, 'coded')
    await looks.until(world.timeline.nowMs + 20 * DAY_MS)
    const at = world.holdersOf(victim.codedKey).map(({ holder }) => holder?.coded.entries.load(victim.codedKey)?.entry)
    const having = at.filter((entry) => entry !== undefined && compareBytes(entry.claim.pubkey, second.pubkey) === 0)
    if (having.length > 0) breach(`${having.length} of ${at.length} holders of the code have the second change`)
  }
})

export const saleMoves: readonly Move[] = [
  soldTwiceAtOnce,
  soldTwiceInTheContest,
  soldTwiceAfterTheContest,
  soldTwiceToHalf,
  soldTwiceInAPartition,
  soldTwiceToHalves,
  soldTwiceAmongLiars,
  soldTwiceAmongDividers,
  soldTwiceAtTheCode
]
