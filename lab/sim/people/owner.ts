/** Owners: they commit, wait for their VDF, publish, publish again each hour, and renew; by the daemon's own client. */
import { commit } from '../../../src/network/client/blinded.ts'
import { codedRecord, type OwnRecord, refresh } from '../../../src/network/client/own-records.ts'
import { publish } from '../../../src/network/client/publish.ts'
import type { PutOutcome } from '../../../src/network/types.ts'
import { checkCodeOf, codedId } from '../../../src/protocol/claim/check-code.ts'
import { nextHash } from '../../../src/protocol/claim/changes.ts'
import { claimRound, commitmentHash } from '../../../src/protocol/claim/commitment.ts'
import { recordKey } from '../../../src/protocol/neighbourhood/key-space.ts'
import { encodeReveal, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import type { KeyPair } from '../../../src/protocol/crypto/ed25519.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import { leaseState, renewalRound, roundTimeMs } from '../../../src/protocol/time.ts'
import { iterationsFor, parseName, renewalIterations } from '../../../src/protocol/name/names.ts'
import { type KeyChange, withChange } from '../../../__test__/protocol/changed-keys.ts'
import { makeReveal, withZone } from '../world/claims.ts'
import type { Random } from '../world/random.ts'
import type { SimNode } from '../world/sim-node.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type World } from '../world/world.ts'

/** A stamp of this network is a second of a core. */
const STAMP_MS = 1_000

/** Between two attempts to publish: they double from five minutes. */
const LONGEST_PAUSE_MS = 6 * HOUR_MS

export interface Habits {
  readonly squaringsPerSecond: number
  /** Hours of a day in which the machine is awake, and when they begin. */
  readonly hoursAwake: number
  readonly fromHour: number
  /** Milliseconds since the beginning of the run: off, and not reached. */
  readonly absences: readonly { readonly fromMs: number; readonly untilMs: number }[]
}

export const ALWAYS_AWAKE: Habits = { squaringsPerSecond: 333_000, hoursAwake: 24, fromHour: 0, absences: [] }

/** From phones and old laptops (20,000 squarings a second, eight hours a day) to servers (400,000). */
export function drawHabits(random: Random, days: number): Habits {
  const isServer = random.next() < 0.3
  return {
    squaringsPerSecond: 20_000 * 20 ** random.next(),
    hoursAwake: isServer ? 24 : 8,
    fromHour: random.below(16),
    absences: drawAbsences(random, days)
  }
}

/** In three of ten spells of 70 days one of a day to four weeks. */
function drawAbsences(random: Random, days: number): Habits['absences'] {
  const absences = []
  for (let spell = 0; spell < days; spell += 70) {
    if (random.next() >= 0.3) continue
    const fromMs = (spell + random.between(5, 40)) * DAY_MS
    absences.push({ fromMs, untilMs: fromMs + random.between(1, 28) * DAY_MS })
  }
  return absences
}

type OwnerState = 'committing' | 'working' | 'publishing' | 'registered'

export class Owner {
  readonly name: string
  key: KeyPair
  /** What changes the keys of its claim; a claim without one keeps its keys. */
  changeKey: KeyPair | undefined
  readonly node: SimNode
  readonly recordKey: Uint8Array
  readonly habits: Habits
  state: OwnerState = 'committing'
  reveal: Reveal | undefined
  /** When its work was done, and when more than half of the holders had shown its record. */
  revealedMs: number | undefined
  registeredMs: number | undefined
  /** When the record was first sent, and when it was last sent in vain: a machine that sleeps sends nothing. */
  sentMs: number | undefined
  refusedMs: number | undefined
  refusals: PutOutcome['refusals'] = []
  /** Commitments, each with a salt and a stamp of its own. */
  attempts = 0
  readonly #world: World
  readonly #random: Random
  #salt: Uint8Array
  /** v when C was first sent; peers keep the round in which they first saw it. */
  #sentRound: number | undefined
  #failures = 0
  readonly #beganMs: number
  #serial = 1

  constructor(world: World, name: string, habits = ALWAYS_AWAKE, node?: SimNode, key?: KeyPair, changeKey?: KeyPair) {
    this.#world = world
    this.name = name
    this.habits = habits
    this.#random = world.random(`owner ${name} ${toHex(world.chance.bytes(4))}`)
    this.key = key ?? world.newKey()
    this.changeKey = changeKey
    this.#salt = this.#random.bytes(32)
    this.node = node ?? world.addClient()
    this.recordKey = recordKey('reveal', name, world.hash)
    this.#beganMs = world.timeline.nowMs
  }

  get pubkey(): string {
    return toHex(this.key.publicKey)
  }

  get firstRound(): number | undefined {
    return this.reveal?.drand_pulse
  }

  /** Of its claim, once that is made: 26 characters. */
  get code(): string | undefined {
    return this.reveal && checkCodeOf(this.reveal, this.#world.profile)
  }

  /** Where its record belongs by its code. Throws an Error before the claim is made. */
  get codedKey(): Uint8Array {
    if (this.code === undefined) throw new Error(`${this.name} has no claim yet`)
    return recordKey('coded', codedId(this.name, this.code), this.#world.hash)
  }

  get commitment(): Uint8Array {
    const { hash } = this.#world
    const next = this.changeKey && nextHash(this.changeKey.publicKey, hash)
    return commitmentHash(this.name, this.key.publicKey, this.#salt, hash, next)
  }

  /** Until the name is published; then it is kept until the run ends. */
  async live(): Promise<void> {
    const round = await this.committed()
    await this.work(round)
    await this.keep()
  }

  /** Sends C until enough have seen it, and gives p. */
  async committed(): Promise<number> {
    await this.node.joined
    for (;;) {
      await this.#awake()
      const round = await this.#commitOnce()
      if (round !== undefined) return round
      await this.#world.sleep(MINUTE_MS)
    }
  }

  /** Evaluates the VDF of p, sending C again each hour. */
  async work(round: number): Promise<void> {
    this.state = 'working'
    const { timeline, profile } = this.#world
    await timeline.sleep(Math.max(0, roundTimeMs(round, profile.beacon) - timeline.nowMs))
    const squarings = iterationsFor(parseName(this.name, profile), profile)
    const done = this.#workedUntil(timeline.nowMs, (squarings / this.habits.squaringsPerSecond) * 1000)
    while (timeline.nowMs + HOUR_MS < done) {
      await timeline.sleep(HOUR_MS)
      if (this.#isAwake(timeline.nowMs)) await this.#send()
    }
    await timeline.sleep(Math.max(0, done - timeline.nowMs))
    const { name, key: owner, changeKey } = this
    this.reveal = makeReveal({ name, owner, salt: this.#salt, round, changeKey }, profile)
    this.revealedMs = timeline.nowMs
  }

  /** Publishes, and goes on each hour. */
  async keep(): Promise<void> {
    const seen = { reveal: '', coded: 'not yet' }
    for (;;) {
      await this.#awake()
      if (this.state !== 'registered') await this.#publish()
      else {
        await this.#renewIfDue()
        // Publishing again sends nothing where all holders were seen to hold the record and none has changed since.
        const record = this.#record()
        seen.reveal = await this.#refresh(record, this.recordKey, seen.reveal)
        seen.coded = await this.#refresh(codedRecord(record, this.#world.profile), this.codedKey, seen.coded)
      }
      await this.#world.sleep(this.#pauseMs())
    }
  }

  /** Publishes another zone of the same claim. */
  async changeZone(note: string): Promise<void> {
    this.reveal = withZone(this.reveal!, this.key, ++this.#serial, note, this.#world.profile)
    await this.#publish()
  }

  /** Changes the keys of its claim, publishes the record, and acts for the new owner from then on. */
  async changeKeys(change: KeyChange): Promise<void> {
    this.reveal = withChange(this.reveal!, change, this.#world.profile)
    ;[this.key, this.changeKey] = [change.to, change.next]
    await this.#publish()
  }

  async #refresh(record: OwnRecord, key: Uint8Array, seen: string): Promise<string> {
    const now = this.#world.changesAround(key)
    if (now !== seen) await refresh(this.node.client, record).catch(ignoreOffline)
    return now
  }

  #pauseMs(): number {
    return this.state === 'registered' ? HOUR_MS : Math.min(LONGEST_PAUSE_MS, 5 * MINUTE_MS * 2 ** this.#failures)
  }

  async #commitOnce(): Promise<number | undefined> {
    const { profile } = this.#world
    const { now, verified } = this.node.clock.time()
    if (this.#sentRound === undefined || !isWithinWindow(now, this.#sentRound, profile)) {
      this.attempts++
      this.#salt = this.#random.bytes(32)
      this.#sentRound = verified
      this.#world.ledger.work(this.node.isAttacker, STAMP_MS)
    }
    const sentRound = this.#sentRound
    const { receipts, of } = await this.#send()
    const seen = receipts.map(({ seenRound }) => seenRound)
    return claimRound(seen, of, { sentRound, now: this.node.clock.time().now }, profile).round
  }

  #send(): ReturnType<typeof commit> {
    return commit(this.node.client, this.name, this.commitment, new Uint8Array(8))
  }

  async #publish(): Promise<void> {
    this.state = 'publishing'
    this.sentMs ??= this.#world.timeline.nowMs
    const { storedBy, of, refusals } = await publish(
      this.node.client,
      { store: this.node.store, clock: this.node.clock },
      this.#record()
    )
    this.refusals = refusals
    if (storedBy * 2 <= of) {
      this.#failures++
      this.refusedMs = this.#world.timeline.nowMs
      return
    }
    this.#failures = 0
    this.state = 'registered'
    this.registeredMs ??= this.#world.timeline.nowMs
  }

  async #renewIfDue(): Promise<void> {
    const { profile } = this.#world
    const reveal = this.reveal!
    const { lapse, verified } = this.node.clock.time()
    const squarings = renewalIterations(parseName(this.name, profile), profile)
    const share = this.habits.hoursAwake / 24
    const seconds = squarings / this.habits.squaringsPerSecond
    const due = renewalRound(reveal.drand_pulse, Math.ceil(seconds / share / profile.beacon.period), profile)
    if (lapse < due || leaseState(reveal.drand_pulse, lapse, profile).state === 'dead') return
    const { timeline } = this.#world
    await timeline.sleep(this.#workedUntil(timeline.nowMs, seconds * 1000) - timeline.nowMs)
    this.reveal = makeReveal(
      {
        name: this.name,
        owner: this.key,
        salt: this.#world.random(`salt ${this.name} ${verified}`).bytes(32),
        round: verified,
        former: reveal,
        serial: ++this.#serial
      },
      profile
    )
    await this.#publish()
  }

  #record(): OwnRecord {
    return { kind: 'reveal', id: this.name, bytes: encodeReveal(this.reveal!) }
  }

  #isAwake(atMs: number): boolean {
    const { hoursAwake, fromHour, absences } = this.habits
    const hour = (atMs / HOUR_MS) % 24
    const sinceMs = atMs - this.#beganMs
    if (absences.some(({ fromMs, untilMs }) => fromMs <= sinceMs && sinceMs < untilMs)) return false
    return (hour - fromHour + 24) % 24 < hoursAwake
  }

  async #awake(): Promise<void> {
    while (!this.#isAwake(this.#world.timeline.nowMs)) await this.#world.sleep(HOUR_MS / 4)
  }

  /** When that much work of a processor that is awake is done. */
  #workedUntil(fromMs: number, workMs: number): number {
    let at = fromMs
    for (let left = workMs; left > 0;) {
      const step = Math.min(left, MINUTE_MS * 5)
      if (this.#isAwake(at)) left -= step
      at += step
    }
    return at
  }
}

/** Whether the pulse of C can still follow its first sight (src/registry/claims/commit.ts). */
function isWithinWindow(now: number, sentRound: number, profile: NetworkProfile): boolean {
  return now + profile.min_commit + profile.receipt_slack < sentRound + profile.pulse_window
}

/** Without peers an hour is lost, as for the daemon. */
function ignoreOffline(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'OfflineError') throw error
}
