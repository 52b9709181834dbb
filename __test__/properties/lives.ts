/**
 * Lives of owners over years, without a network: rules are real, a rate of squarings models renewals, and spells model
 * when the machine is awake and online. P12 of docs/protocol/rules.md, 18, is tested by them.
 */
import { admit } from '../../src/protocol/admission/admission.ts'
import { newEntry, tickEntry, type Entry } from '../../src/protocol/admission/entry.ts'
import type { Claim } from '../../src/protocol/claim/claim.ts'
import {
  leaseState,
  renewalRound,
  revealWindow,
  advanceTime,
  TIME_ZERO,
  type ProtocolTime
} from '../../src/protocol/time.ts'
import { iterationsFor, parseName, renewalIterations } from '../../src/protocol/name/names.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { LEAST_SHARE } from '../../src/registry/upkeep/awake-time.ts'
import { MAIN } from '../protocol/fixtures.ts'

/** Rounds of network `main`. */
const DAY = 86_400 / MAIN.beacon.period
export const YEAR = 365 * DAY
export const BEGIN = 10 * YEAR
const FOUR_WEEKS = 28 * DAY

/** How long an owner is followed: half a dozen years. */
export const FOLLOWED = 6 * YEAR

const NAME = parseName('somebody-s-name.chronym', MAIN)

interface Life {
  readonly squaringsPerSecond: number
  /** Of a day with the machine in use, the share in which it is awake. */
  readonly awake: number
  /** Squarings that a first claim and a renewal of the name take. */
  readonly first: number
  readonly renewal: number
  /** The clock of the machine, in rounds off. */
  readonly clockOff: number
  /** The machine is off or offline, and when the beacon is down for everybody. */
  readonly absences: readonly Spell[]
  readonly outages: readonly Spell[]
}

interface Spell {
  readonly from: number
  readonly until: number
}

/**
 * From a phone that is awake two hours a day to a server; four absences a year, of a week on average and up to two
 * months. The same draws give the same person in every profile.
 */
function drawLife(random: () => number, profile: NetworkProfile): Life {
  const name = parseName(`${'n'.repeat(3 + Math.floor(random() * 14))}.chronym`, profile)
  return {
    squaringsPerSecond: 15_000 * 30 ** random(),
    awake: 0.08 * 12.5 ** random(),
    first: iterationsFor(name, profile),
    renewal: renewalIterations(name, profile),
    clockOff: Math.floor((random() * 2 - 1) * DAY * 3 * random()),
    absences: spells(random, 4, 7 * DAY, 60 * DAY),
    outages: spells(random, 0.5, DAY, 5 * DAY)
  }
}

/** A life of somebody who once claimed the name under that profile: with all its work, within the window of a reveal. */
export function drawOwnersLife(random: () => number, profile: NetworkProfile): Life {
  for (;;) {
    const life = drawLife(random, profile)
    if (roundsOf(life, life.first, profile) <= revealWindow(life.first, profile)) return life
  }
}

/** `perYear` spells of exponential length with that mean, cut at the longest. */
function spells(random: () => number, perYear: number, mean: number, longest: number): Spell[] {
  const found: Spell[] = []
  for (let at = BEGIN - (Math.log(1 - random()) * YEAR) / perYear; at < BEGIN + FOLLOWED + YEAR;) {
    const until = at + Math.min(longest, -Math.log(1 - random()) * mean)
    found.push({ from: at, until })
    at = until - (Math.log(1 - random()) * YEAR) / perYear
  }
  return found
}

/** Rounds that `squarings` take in a life without absences. */
function roundsOf(
  { squaringsPerSecond, awake }: Pick<Life, 'squaringsPerSecond' | 'awake'>,
  squarings: number,
  { beacon }: NetworkProfile
): number {
  return squarings / squaringsPerSecond / awake / beacon.period
}

/** The round at which `work` rounds have passed outside of the spells, at the earliest after `from`. */
function after(from: number, work: number, away: readonly Spell[]): number {
  let at = from
  let left = work
  for (const { from: begin, until } of away) {
    if (until <= at) continue
    if (begin > at) {
      if (begin - at > left) break
      left -= begin - at
    }
    at = until
  }
  return Math.ceil(at + left)
}

/** Time at a node with that clock: pulses come but for outages, and all of them when one ends. */
function timeAt(round: number, clockOff: number, outages: readonly Spell[], profile: NetworkProfile): ProtocolTime {
  const outage = outages.find(({ from, until }) => from <= round && round < until)
  const seen = { clock: Math.floor(round + clockOff), verified: Math.floor(outage?.from ?? round) }
  return advanceTime(TIME_ZERO, seen, profile)
}

/**
 * When the daemon renews. It knows its speed while awake, and how much it was awake in the last four weeks; it knows
 * nothing of the future.
 */
function dueRound(life: Life, newestRound: number, now: number, profile: NetworkProfile): number {
  for (let at = now; ;) {
    const from = at - FOUR_WEEKS
    const away = life.absences.reduce(
      (sum, absence) => sum + Math.max(0, Math.min(absence.until, at) - Math.max(absence.from, from)),
      0
    )
    const awake = Math.max(LEAST_SHARE, life.awake * (1 - away / FOUR_WEEKS))
    const due = renewalRound(newestRound, Math.ceil(roundsOf({ ...life, awake }, life.renewal, profile)), profile)
    if (due <= at) return at
    at = Math.min(due, at + 7 * DAY)
  }
}

/** Follows one owner; the reason when the name is lost. */
export function lossOf(life: Life, random: () => number, profile: NetworkProfile): string | undefined {
  const { absences, outages, clockOff } = life
  const nobody = { answers: [], known: 0 }
  let entry: Entry = newEntry(bareClaim('owner', BEGIN), 'settled', timeAt(BEGIN + DAY, 0, [], profile))
  let now = BEGIN + DAY
  while (now < BEGIN + FOLLOWED) {
    const due = dueRound(life, entry.claim.newestRound, now, profile)
    // By its own clock, when the machine is awake for the first time after that, and the beacon answers.
    const begun = after(after(Math.max(now, due - clockOff), random() * DAY, absences), 0, outages)
    const time = timeAt(begun, clockOff, outages, profile)
    const lease = leaseState(entry.claim.newestRound, time.lapse, profile)
    if (lease.state === 'dead') return `begun ${Math.round((begun - lease.graceEndRound) / DAY)} days after the grace`
    const p = Math.max(time.verified, entry.claim.newestRound + 1)
    const done = after(begun, roundsOf(life, life.renewal, profile), absences)
    // Somebody else asks for the name meanwhile, with all that a claim needs.
    const rivalRound = Math.floor(begun + random() * (done - begun))
    const rivalTime = timeAt(rivalRound + 50, 0, outages, profile)
    const ticked = tickEntry(entry, rivalTime, profile)
    if (ticked === undefined) return 'the lease and its grace ended before the renewal was done'
    const facts = { time: rivalTime, commitment: { seen: rivalRound - 20 }, neighbours: nobody }
    if (admit(ticked, bareClaim('rival', rivalRound), facts, profile).kind === 'store') return 'a rival got the name'
    // Sent once the beacon is fresh at the peers.
    let sent = done
    for (;;) {
      const peerTime = timeAt(sent, 0, outages, profile)
      const held = tickEntry(entry, peerTime, profile)
      if (held === undefined) {
        const graceEnd = entry.claim.newestRound + profile.lease + profile.grace
        return `sent ${Math.round((sent - graceEnd) / DAY)} days after the grace`
      }
      const renewed = bareClaim('owner', BEGIN, p)
      const decision = admit(held, renewed, { time: peerTime, commitment: {}, neighbours: nobody }, profile)
      if (decision.kind === 'store') {
        entry = decision.entry
        break
      }
      if (decision.kind !== 'wait') throw new Error(`a renewal in time was met with ${decision.kind}`)
      sent = after(sent + DAY / 24, 0, absences)
    }
    now = sent
  }
  return undefined
}

/** What the rules need of a claim, without its bytes: hashes only have to differ where the claims do. */
function bareClaim(owner: 'owner' | 'rival', firstRound: number, newestRound = firstRound): Claim {
  const bytes = (round: number): Uint8Array => {
    const hash = new Uint8Array(32).fill(owner.charCodeAt(0))
    new DataView(hash.buffer).setBigUint64(0, BigInt(round))
    return hash
  }
  const id = bytes(firstRound)
  return {
    name: NAME,
    pubkey: bytes(0),
    changes: [],
    id,
    commitment: id,
    firstRound,
    firstIterations: 1_000_000,
    tie: id,
    newestRound,
    serial: 1,
    payloadHash: id,
    recordHash: bytes(newestRound)
  }
}
