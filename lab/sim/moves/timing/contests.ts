/** Moves that turn on when a claim is committed or revealed, and on clocks and pulses. */
import type { Move } from '../move.ts'
import { commit } from '../../../../src/network/client/blinded.ts'
import { commitmentHash, encodeReceipt, signReceipt } from '../../../../src/protocol/claim/commitment.ts'
import { publish } from '../../../../src/network/client/publish.ts'
import { encodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { ALWAYS_AWAKE } from '../../people/owner.ts'
import { empty, FAST_CHIP, showing } from '../../people/adversary.ts'
import type { SimNode, Answerer } from '../../world/sim-node.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type World } from '../../world/world.ts'
import { blindedPrefixBits } from '../../../../src/protocol/neighbourhood/key-space.ts'
import type { KeyPair } from '../../../../src/protocol/crypto/ed25519.ts'

/** A claim finished long before the owner's, kept back past the reveal window, and shown in the owner's contest. */
const keptBackClaim: Move = {
  id: 'kept-back-claim',
  attacks: ['a finished claim that is kept back'],
  begins: 'start',
  leadDays: 15,
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim, thief }) {
    const rival = adversary.owner(victim.name)
    thief(rival.key.publicKey)
    await rival.work(await rival.committed())
    while (victim.revealedMs === undefined) await world.sleep(1_000)
    await rival.keep()
  }
}

/** A commitment to a pulse that was known already: the rival began its work before it committed. */
const knownPulse: Move = {
  id: 'known-pulse',
  attacks: ['a pulse that was known before the commitment', 'seeing C late', 'resetting the stamp'],
  begins: 'committed',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim, thief }) {
    const key = world.newKey()
    const salt = world.random('known pulse').bytes(32)
    const reveal = adversary.claim(victim.name, world.round() - 30, key, salt)
    thief(key.publicKey)
    const { client, store, clock } = adversary.client()
    const commitment = commitmentHash(victim.name, key.publicKey, salt, world.hash)
    await commit(client, victim.name, commitment, new Uint8Array(8))
    while (victim.revealedMs === undefined) await world.sleep(1_000)
    await publish(client, { store, clock }, { kind: 'reveal', id: victim.name, bytes: encodeReveal(reveal) })
  }
}

/** A rival commits when the owner does, and reveals after the contest. */
const lateClaim: Move = {
  id: 'late-claim',
  attacks: ['a better claim that restarts the window', 'equal ties'],
  begins: 'committed',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim, thief }) {
    const rival = adversary.owner(victim.name)
    thief(rival.key.publicKey)
    await rival.work(await rival.committed())
    while (victim.registeredMs === undefined) await world.sleep(60_000)
    await world.sleep(10 * 60_000)
    await rival.keep()
  }
}

/** A rival commits a minute after the owner, works on the fastest chip, and reveals first. */
const laterCommitment: Move = {
  id: 'later-commitment',
  attacks: ['a rival who takes an earlier pulse', 'the fastest known chip does 715,000 squarings a second'],
  rows: ['a rival who commits later and has the earlier pulse'],
  begins: 'committed',
  ids: 0,
  allows: 'taken',
  async run({ adversary, victim, thief }) {
    const rival = adversary.owner(victim.name, { ...ALWAYS_AWAKE, squaringsPerSecond: FAST_CHIP })
    thief(rival.key.publicKey)
    await rival.live()
  }
}

const SQUARINGS = 6e8
const WORK_DAYS = 8

/** A rival reads the name in a claim that took longer than its witnesses stayed, commits then, and is faster. */
const slowOwner: Move = {
  id: 'slow-owner',
  attacks: ['a rival who commits after a slow owner'],
  begins: 'committed',
  ids: 0,
  allows: 'harmless',
  habits: { ...ALWAYS_AWAKE, squaringsPerSecond: (SQUARINGS * 1000) / (WORK_DAYS * DAY_MS) },
  lifeDays: 3,
  days: WORK_DAYS + 2.5,
  isAlone: true,
  async run({ world, adversary, victim, thief, remark }) {
    askAsTheyCome(world, victim.recordKey)
    while (victim.revealedMs === undefined) await world.sleep(MINUTE_MS)
    await world.sleep(10 * MINUTE_MS)
    const holders = world.holdersOf(victim.recordKey)
    const witnessed = holders.filter(({ held }) =>
      ['fresh', 'settling'].includes(held.get(victim.name)?.state ?? 'none')
    )
    remark(`${witnessed.length} of ${holders.length} holders take the claim for witnessed as it is revealed`)
    const rival = adversary.owner(victim.name)
    thief(rival.key.publicKey)
    await rival.live()
  }
}

/** Mean days that nodes stay, and that the owner works. */
const SLOW_DAYS = 4
const SLOW_SQUARINGS = 1_700

/**
 * The owner works as long as nodes stay. In the contest a lower claim that nobody saw committed comes, and ids that show
 * it: once the owner reveals, or a day after it has committed.
 */
function unseenClaim(id: string, come: 'after the reveal' | 'before it'): Move {
  return {
    id,
    attacks: ['an unseen claim in a slow contest'],
    begins: 'committed',
    ids: 5,
    // Newcomers without an entry adopt what five show while nobody else holds anything.
    allows: come === 'before it' ? 'taken' : 'harmless',
    days: SLOW_DAYS + 4,
    lifeDays: SLOW_DAYS,
    habits: { ...ALWAYS_AWAKE, squaringsPerSecond: SLOW_SQUARINGS },
    async run({ world, adversary, victim, ids, thief, remark }) {
      askAsTheyCome(world, victim.recordKey)
      const { key, reveal } = adversary.steal(victim.name, thief, 100)
      const join = () => adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash))
      await world.sleep(DAY_MS)
      if (come === 'before it') join()
      while (victim.revealedMs === undefined) await world.sleep(10_000)
      const daemon = adversary.client()
      for (let again = 0; again < 3; again++) {
        await world.sleep(10_000)
        await adversary.publish(reveal, daemon)
      }
      if (come === 'after the reveal') join()
      await world.sleep(2 * DAY_MS)
      const holders = world.holdersOf(victim.recordKey)
      const holding = (pubkey: string): number =>
        holders.filter((node) => node.held.get(victim.name)?.owner === pubkey).length
      remark(`of ${holders.length} honest holders ${holding(toHex(key.publicKey))} have the unseen claim`)
    }
  }
}

/** The simulator's nodes ask their neighbours for commitments when names are handed over; here each newcomer does. */
function askAsTheyCome(world: World, key: Uint8Array): void {
  const near = (): SimNode[] => world.topology.near(key).slice(0, 40)
  const known = new Set(near())
  const look = (): void => {
    for (const node of near()) {
      if (known.has(node)) continue
      known.add(node)
      for (const minute of [1, 65, 130])
        void world.timeline.after(minute * MINUTE_MS, () => void (node.isAwake && node.replicate()))
    }
    void world.timeline.after(2 * MINUTE_MS, look)
  }
  look()
}

/** Rounds of a year of three-second rounds: what a clock that is set so says. */
const YEAR_ROUNDS = 10_512_000

const LOOK_MS = 500

/** Nodes give receipts that name a round as late as counts, one a year ahead, or one from before the commitment. */
const lyingReceipts: Move = {
  id: 'lying-receipts',
  attacks: ['one lying receipt'],
  begins: 'start',
  leadDays: 0.1,
  days: 1.5,
  ids: 3,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    const { min_commit, receipt_slack } = world.profile
    const offsets = [receipt_slack, YEAR_ROUNDS, -100]
    let asked = 0
    let firstRound: number | undefined
    const lieOf = (key: KeyPair): Answerer => {
      const off = offsets[adversary.nodes.length % offsets.length]!
      return (request, from) => {
        if (request.type !== 'commit' || from !== victim.node) return empty(request)
        asked++
        firstRound ??= world.round()
        return {
          type: 'received',
          receipt: encodeReceipt(signReceipt(request.commitment, world.round() + off, key, world.hash))
        }
      }
    }
    // A commitment goes to nodes that share these first bits, whatever the name is.
    const bits = blindedPrefixBits(world.topology.size)
    adversary.joinSigning(ids, lieOf, { key: victim.recordKey, bits })
    while (victim.state === 'committing') await world.sleep(LOOK_MS)
    const now = world.round()
    while (victim.firstRound === undefined) await world.sleep(LOOK_MS)
    if (firstRound === undefined) {
      breach('no liar was asked: the move tried nothing')
      return
    }
    const [delay, most] = [victim.firstRound - firstRound, now - firstRound + min_commit + receipt_slack]
    remark(`${asked} of ${ids} liars were asked; p is ${delay} rounds after the first of them was, ${most} are allowed`)
    if (delay > most) breach(`p is ${delay} rounds after the commitment, and at most ${most} are allowed`)
    if (delay < 1) breach('p is not after the commitment')
  }
}

/** The beacon stops in the contest, for a day and a half; a rival that committed too reveals hours later. */
const stoppedBeacon: Move = {
  id: 'stopped-beacon',
  attacks: ['a stopped beacon holds the contest open', 'old pulses that turn up while the beacon is down'],
  begins: 'committed',
  ids: 0,
  allows: 'harmless',
  // Without a fresh pulse no new name enters (P4).
  excuses: ['P16'],
  async run({ world, adversary, victim, thief }) {
    const rival = adversary.owner(victim.name)
    thief(rival.key.publicKey)
    await rival.work(await rival.committed())
    while (victim.revealedMs === undefined) await world.sleep(1_000)
    await world.sleep(10_000)
    world.beacon.stop()
    world.timeline.after(36 * HOUR_MS, () => world.beacon.resume())
    await world.sleep(3 * HOUR_MS)
    await rival.keep()
  }
}

/** Somebody sets the clocks of a third of the nodes a year ahead, and the beacon is down for two days. */
const clocksAYearAhead: Move = {
  id: 'clocks-a-year-ahead',
  attacks: ['clock a year ahead; beacon down'],
  begins: 'settled',
  ids: 0,
  allows: 'harmless',
  async run({ world }) {
    for (const node of world.topology.all()) if (world.chance.next() < 1 / 3) node.setClock(365 * DAY_MS)
    world.beacon.stop()
    await world.sleep(2 * DAY_MS)
    world.beacon.resume()
  }
}

export const contestMoves: readonly Move[] = [
  keptBackClaim,
  knownPulse,
  lateClaim,
  laterCommitment,
  slowOwner,
  unseenClaim('unseen-claim-in-a-slow-contest', 'after the reveal'),
  unseenClaim('unseen-claim-that-ids-await', 'before it'),
  lyingReceipts,
  stoppedBeacon,
  clocksAYearAhead
]
