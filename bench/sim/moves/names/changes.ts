/** Moves on changes of keys: a seller who sells a name twice, a thief of the change words, and liars who date a change. */
import { changesHeld } from '../../../../src/protocol/admission/key-changes.ts'
import { marksOf } from '../../../../src/protocol/claim/changes.ts'
import { claimIdOf, decodeVdfProof, encodeReveal, type Reveal } from '../../../../src/protocol/claim/reveal.ts'
import type { KeyPair } from '../../../../src/protocol/crypto/ed25519.ts'
import type { NetworkProfile } from '../../../../src/protocol/profile/profile.ts'
import { compareBytes, toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { showing } from '../../people/adversary.ts'
import type { Owner } from '../../people/owner.ts'
import { Resolver } from '../../people/resolver.ts'
import { withChange } from '../../world/claims.ts'
import type { Answerer, SimNode } from '../../world/sim-node.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SIM_PROFILE, type World } from '../../world/world.ts'
import type { Harm, Move, Stage } from '../move.ts'

/** Nodes stay a week. */
const LIFE_DAYS = 7

/** What the seller keeps of a name that is sold, or the thief of the change words has of one that is not. */
interface Keys {
  readonly reveal: Reveal
  readonly key: KeyPair
  readonly changeKey: KeyPair
}

function keysOf({ reveal, key, changeKey }: Owner): Keys {
  return { reveal: reveal!, key, changeKey: changeKey! }
}

/** A change of those keys to new ones of the attacker's, with both signatures or with the change key's alone. */
function changeOf({ reveal, key, changeKey }: Keys, isAlone: boolean, world: World): { key: KeyPair; reveal: Reveal } {
  const [to, next] = [world.newKey(), world.newKey()]
  const change = { to, next, by: changeKey, ...(!isAlone && { consent: key }) }
  return { key: to, reveal: withChange(reveal, change, world.profile) }
}

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

/** Honest holders whose record is that key's, and those of them for which all its changes are final. */
function holdersFor(victim: Owner, pubkey: Uint8Array, world: World): { having: number; final: number; of: number } {
  const holders = world.holdersOf(victim.recordKey)
  const entries = holders.flatMap(({ holder, clock }) => {
    const entry = holder?.entries.load(victim.recordKey)?.entry
    return entry !== undefined && compareBytes(entry.claim.pubkey, pubkey) === 0 ? [{ entry, clock }] : []
  })
  const final = entries.filter(
    ({ entry, clock }) => (changesHeld(entry, world.profile)?.final ?? 0) < clock.time().verified
  )
  return { having: entries.length, final: final.length, of: holders.length }
}

/** Sends a record to some nodes, and to no others. */
async function sendTo(
  nodes: readonly SimNode[],
  reveal: Reveal,
  { view }: SimNode,
  kind: 'reveal' | 'coded' = 'reveal'
): Promise<void> {
  const put = { type: 'put', kind, record: encodeReveal(reveal) } as const
  await Promise.all(nodes.map(({ peer }) => view.ask(peer, put).catch(() => undefined)))
}

/** Sends a record to each new holder within a minute, before its neighbours do: of the name, or of its check code. */
function sendToNewcomers(
  victim: Owner,
  reveal: Reveal,
  { sender, world }: Pick<Sale, 'sender' | 'world'>,
  kind: 'reveal' | 'coded' = 'reveal'
): void {
  const key = kind === 'reveal' ? victim.recordKey : victim.codedKey
  const known = new Set(world.holdersOf(key))
  const look = (): void => {
    const newcomers = world.holdersOf(key).filter((node) => !known.has(node))
    for (const node of newcomers) known.add(node)
    void sendTo(newcomers, reveal, sender, kind)
    void world.timeline.after(MINUTE_MS, look)
  }
  look()
}

/** What new resolvers see, look by look. */
class Looks {
  first = 0
  second = 0
  contested = 0
  missing = 0
  /** When a look showed the first change, final and not thin, and the most peers that called it so to one look. */
  paidMs: number | undefined
  mostVotes = 0
  /** When more than half of the places were honest holders for which the first change was final. */
  finalMs: number | undefined
  secondAfterPaid = 0
  secondAfterFinal = 0
  readonly #world: World
  readonly #victim: Owner
  readonly #keys: readonly [Uint8Array, Uint8Array]

  constructor(world: World, victim: Owner, keys: readonly [Uint8Array, Uint8Array]) {
    this.#world = world
    this.#victim = victim
    this.#keys = keys
  }

  async look(): Promise<void> {
    const [world, victim, [first, second]] = [this.#world, this.#victim, this.#keys]
    const isFinal = holdersFor(victim, first, world).final * 2 > world.profile.k
    const resolver = new Resolver(world)
    const seen = await resolver.resolve(victim.name)
    world.remove(resolver.node)
    const now = world.timeline.nowMs
    if (isFinal) this.finalMs ??= now
    if (seen.kind === 'contested') this.contested++
    else if (seen.owner === toHex(first)) {
      this.first++
      if (seen.isFinal !== true || seen.thin === true) return
      this.paidMs ??= now
      const votes = seen.answers.filter(
        ({ held }) => held?.final === true && compareBytes(held.claim.pubkey, first) === 0
      )
      this.mostVotes = Math.max(this.mostVotes, votes.length)
    } else if (seen.owner === toHex(second)) {
      this.second++
      if (this.paidMs !== undefined) this.secondAfterPaid++
      if (this.finalMs !== undefined) this.secondAfterFinal++
    } else this.missing++
  }

  /** Every minute for a quarter of an hour, every half hour for a day, then every six hours. */
  async until(endMs: number): Promise<void> {
    const beganMs = this.#world.timeline.nowMs
    while (this.#world.timeline.nowMs < endMs) {
      await this.look()
      const pastMs = this.#world.timeline.nowMs - beganMs
      const pauseMs = pastMs < 15 * MINUTE_MS ? MINUTE_MS : pastMs < DAY_MS ? HOUR_MS / 2 : 6 * HOUR_MS
      await this.#world.sleep(Math.min(pauseMs, endMs - this.#world.timeline.nowMs))
    }
  }

  told(): string {
    const { first, second, contested, missing } = this
    return `looks show the first ${first}, the second ${second}, contested ${contested}, none ${missing}`
  }
}

interface SaleParts {
  readonly id: string
  readonly attacks?: readonly string[]
  readonly ids?: number
  readonly allows: Harm
  readonly lifeDays?: number
  readonly days?: number
  /** The two sales, from the moment that both are signed. */
  readonly sell: (sale: Sale) => Promise<void>
}

interface Sale extends Stage {
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
function soldTwice({ id, attacks = [], ids = 0, allows, lifeDays, days = 7, sell }: SaleParts): Move {
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
      const { key, reveal: second } = lowerSale(seller, first, world)
      thief(key.publicKey)
      const looks = new Looks(world, victim, [to.publicKey, key.publicKey])
      const sender = adversary.client()
      await sell({
        ...stage,
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
    sendToNewcomers(victim, second, { sender, world })
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
    sendToNewcomers(victim, second, { sender, world }, 'coded')
    await looks.until(world.timeline.nowMs + 20 * DAY_MS)
    const at = world.holdersOf(victim.codedKey).map(({ holder }) => holder?.coded.entries.load(victim.codedKey)?.entry)
    const having = at.filter((entry) => entry !== undefined && compareBytes(entry.claim.pubkey, second.pubkey) === 0)
    if (having.length > 0) breach(`${having.length} of ${at.length} holders of the code have the second change`)
  }
})

interface TheftParts {
  readonly id: string
  readonly attacks: readonly string[]
  readonly ids?: number
  /** When the owner changes the keys with both signatures, as a part of the time to the end; undefined: never. */
  readonly ownerAfter?: number
  /** Where ids among the holders say since when the thief's change is final. */
  readonly saidFinal?: number
  /** The rules' numbers; by default those of `main`, where a change with the change key alone is final after 60 days. */
  readonly profile?: NetworkProfile
}

/** Of the time to the end a node stays for that part: a week of 60 days. */
const LIFE = 7 / 60

/**
 * Somebody has a name's change words and not its signing key. A change by the owner, who has both, takes the name back
 * while the thief's is not final. Without it that becomes final, though nodes come and go.
 */
function stolenWords(parts: TheftParts): Move {
  const { id, attacks, ids = 0, ownerAfter, saidFinal, profile = SIM_PROFILE } = parts
  const daysToFinal = (2 * profile.grace * profile.beacon.period * 1000) / DAY_MS
  const days = 4 + Math.ceil(daysToFinal * (ownerAfter ?? 1)) + 3
  return {
    id,
    attacks,
    begins: 'settled',
    days,
    ids,
    // The zone of a key that is not final yet is served, and marked.
    allows: 'taken',
    excuses: ['P14', 'P20'],
    lifeDays: daysToFinal * LIFE,
    isAlone: true,
    hasChangeKey: true,
    ...(parts.profile && { profile }),
    async run({ world, adversary, victim, ids: liars, thief, breach, remark }) {
      const beganMs = world.timeline.nowMs
      const keys = keysOf(victim)
      const { key, reveal } = changeOf(keys, true, world)
      thief(key.publicKey)
      if (saidFinal !== undefined)
        adversary.joinNear(victim.recordKey, liars, showing(reveal, world.hash, undefined, saidFinal))
      const sender = adversary.client()
      await adversary.publish(reveal, sender)
      const taken = { to: world.newKey(), next: world.newKey(), by: keys.changeKey, consent: keys.key }
      let finalDay: number | undefined
      let isOpposed = ownerAfter === undefined
      const endMs = beganMs + (days - 4) * DAY_MS - HOUR_MS
      while (world.timeline.nowMs < endMs) {
        await world.sleep(Math.min(LOOK_MS, endMs - world.timeline.nowMs))
        const day = (world.timeline.nowMs - beganMs) / DAY_MS
        const { having, final } = holdersFor(victim, key.publicKey, world)
        if (final * 2 > world.profile.k) finalDay ??= day
        // The thief publishes again, as owners do.
        if (having > 0) void adversary.publish(reveal, sender)
        if (isOpposed || day < daysToFinal * ownerAfter!) continue
        isOpposed = true
        void victim.changeKeys(taken)
      }
      const resolver = new Resolver(world)
      const { kind, owner, isFinal } = await resolver.resolve(victim.name)
      const names = { [toHex(key.publicKey)]: 'the thief', [victim.pubkey]: 'the owner' }
      const who = kind === 'owner' ? (names[owner!] ?? 'another') : kind
      const [thiefs, owners] = [key, victim.key].map(({ publicKey }) => holdersFor(victim, publicKey, world).having)
      const when = finalDay === undefined ? 'never' : `after ${finalDay.toFixed(1)} days`
      remark(
        `the thief's change is final at most holders ${when}; at the end a resolver sees ${who}` +
          `${isFinal === true ? '' : ', pending'}; ${thiefs} honest holders have the thief's change, ${owners} the owner's`
      )
      const isInTime = finalDay !== undefined && finalDay >= daysToFinal && finalDay <= daysToFinal + 1
      if (ownerAfter === undefined && !isInTime) breach(`a change that nobody opposes is final ${when}`)
      if (ownerAfter !== undefined && (who !== 'the owner' || finalDay !== undefined))
        breach(`the thief's change is final ${when}, and ${who} is shown`)
    }
  }
}

const LOOK_MS = 6 * HOUR_MS

export const changeMoves: readonly Move[] = [
  soldTwiceAtOnce,
  soldTwiceInTheContest,
  soldTwiceAfterTheContest,
  soldTwiceToHalf,
  soldTwiceInAPartition,
  soldTwiceToHalves,
  soldTwiceAmongLiars,
  soldTwiceAmongDividers,
  soldTwiceAtTheCode,
  stolenWords({ id: 'words-stolen-for-a-day', attacks: ['a thief of the change words'], ownerAfter: 1 / 60 }),
  stolenWords({ id: 'words-stolen-for-59-days', attacks: ['a thief of the change words'], ownerAfter: 59 / 60 }),
  stolenWords({ id: 'words-stolen-unopposed', attacks: ['a change that grows no older'] }),
  stolenWords({
    id: 'change-dated-back',
    attacks: ['liars who date a change', 'a thief of the change words'],
    ids: 5,
    saidFinal: 0,
    ownerAfter: 50 / 60
  }),
  stolenWords({
    id: 'change-dated-ahead',
    attacks: ['liars who date a change', 'a change that grows no older'],
    ids: 5,
    saidFinal: Number.MAX_SAFE_INTEGER
  })
]
