/** What the rules' own functions say of costs: of names, stamps, records and proofs. */
import { nextChangeMs, spendChange, type ChangeBudget } from '../../../../src/protocol/admission/change-rate.ts'
import { isWitnessed } from '../../../../src/protocol/admission/witness.ts'
import { proofShape } from '../../../../src/protocol/claim/proof-shape.ts'
import { encodeReveal, type Reveal } from '../../../../src/protocol/claim/reveal.ts'
import { iterationsFor, parseName, renewalIterations } from '../../../../src/protocol/name/names.ts'
import type { NetworkProfile } from '../../../../src/protocol/profile/profile.ts'
import { parseZone, serializeZone, ZoneError } from '../../../../src/protocol/zone/zone.ts'
import { DEFAULT_COMMITMENT_LIMITS } from '../../../../src/network/holder/commitments/commitments.ts'
import { DEFAULT_HOLDER_LIMITS } from '../../../../src/network/holder/limits.ts'
import { FAST_CHIP } from '../../adversary.ts'
import { makeReveal } from '../../claims.ts'
import { fastKeyPair } from '../../engine/keys.ts'
import { COST_MS } from '../../network/ledger.ts'
import type { TableRun } from '../kinds.ts'

type Figures = Pick<TableRun, 'columns' | 'row'>

/** Squarings a second: a phone awake for eight hours a day, and one core of a server (docs/threat-model.md). */
const PHONE = 20_000
const PHONE_HOURS = 8
const CORE = 333_000

/** Hashes a second of one core (docs/threat-model.md). A phone's is a guess: a tenth. */
const CORE_HASHES = 4e6
const PHONE_HASHES = 4e5

const LONG = 'twelve-octets-or-more.chronym'
const SHORT = 'abc.chronym'

const OWNER = fastKeyPair(new Uint8Array(32).fill(1))
const SALT = new Uint8Array(32).fill(2)

const hours = (squarings: number, perSecond = CORE): number => squarings / perSecond / 3600

const text = (value: number, digits = 1): string =>
  value >= 100 ? value.toFixed(0) : value.toFixed(value >= 0.1 || value === 0 ? digits : digits + 2)

export const difficulty: Figures = {
  columns: [
    'days of a phone for a long name (20,000 a second, 8 h a day)',
    'core-hours of 1,000 long names squatted for a year',
    'the least seconds that a long name takes (715,000 a second)',
    'core-years for all names of three letters and digits'
  ],
  row: (profile) => {
    const long = parseName(LONG, profile)
    const first = iterationsFor(long, profile)
    const year = first + renewalIterations(long, profile)
    const short = (36 ** 3 * hours(iterationsFor(parseName(SHORT, profile), profile))) / 24 / 365
    return [text(hours(first, PHONE) / PHONE_HOURS), text(1000 * hours(year)), text(first / FAST_CHIP), text(short)]
  }
}

/** Squarings a second by which a VDF that begins with the owner's reveal still ends within the contest. */
export const contestSpeed: Figures = {
  columns: ['squarings a second that steal a long name begun at its reveal', 'times the fastest known chip'],
  row: (profile) => {
    const speed = iterationsFor(parseName(LONG, profile), profile) / (profile.contest * profile.beacon.period)
    return [`${Math.round(speed)}`, text(speed / FAST_CHIP)]
  }
}

/** Rounds from s to the earliest p that a holder witnesses. */
export function leastWitnessed(profile: NetworkProfile): number {
  const firstRound = 30_000_000
  for (let ahead = 0; ahead <= profile.pulse_window; ahead++) {
    const claim = { firstRound, firstIterations: profile.difficulty.base }
    if (isWitnessed(claim, { seen: firstRound - ahead }, { now: firstRound + 600 }, profile)) return ahead
  }
  throw new Error('no pulse of this profile is witnessed')
}

/** A rival that knows a pulse already, at holders whom it has not reached yet and whose clocks are behind. */
export const knownPulse: Figures = {
  columns: [
    'seconds that most holders must be behind the beacon before a known pulse counts',
    'rounds by which a later commitment may have the earlier pulse',
    'seconds that an owner waits for p'
  ],
  row: (profile) => {
    const least = leastWitnessed(profile)
    const { min_commit: chosen, beacon } = profile
    return [`${least * beacon.period}`, `${chosen - least}`, `${chosen * beacon.period}`]
  }
}

/** One commitment for each name that somebody watches for, always young enough for a pulse. */
export const pulseWindow: Figures = {
  columns: [
    'cores that hold a commitment ready for each of 100,000 names',
    'minutes from a commitment to its last pulse'
  ],
  row: ({ pulse_window: window, stamp_bits: bits, beacon }) => {
    const seconds = window * beacon.period
    return [text((100_000 * 2 ** stampBitsOf(bits)) / CORE_HASHES / seconds), text(seconds / 60)]
  }
}

/** The simulator's profile has no stamps to search for; network `main` has these. */
const MAIN_STAMP_BITS = 22
const stampBitsOf = (bits: number): number => (bits === 0 ? MAIN_STAMP_BITS : bits)

export const stampBits: Figures = {
  columns: [
    'seconds of a stamp, one core',
    'seconds of a stamp, a phone',
    `core-hours that fill a holder's table of ${DEFAULT_COMMITMENT_LIMITS.total}`,
    `core-hours that fill its ${DEFAULT_HOLDER_LIMITS.stamped} places for documents`
  ],
  row: ({ stamp_bits: bits }) => {
    const seconds = 2 ** bits / CORE_HASHES
    return [
      text(seconds),
      text(2 ** bits / PHONE_HASHES),
      text((seconds * DEFAULT_COMMITMENT_LIMITS.total) / 3600),
      text((seconds * DEFAULT_HOLDER_LIMITS.stamped) / 3600)
    ]
  }
}

export const chainMax: Figures = {
  columns: ['years that a name lasts, renewed at the end of each lease', 'bytes of the record', 'ms to verify it'],
  row: (profile) => {
    const reveal = longestChain(profile)
    const years = ((profile.chain_max + 1) * profile.lease * profile.beacon.period) / 86_400 / 365
    const ms = (profile.chain_max + 1) * (COST_MS.proof + COST_MS.pulse) + COST_MS.signature
    return [text(years, 0), `${encodeReveal(reveal).length}`, text(ms, 0)]
  }
}

/** A name of three octets, whose proofs have two segments: the largest record. */
function longestChain(profile: NetworkProfile): Reveal {
  const begin = 30_000_000
  let reveal = makeReveal({ name: SHORT, owner: OWNER, salt: SALT, round: begin }, profile)
  for (let link = 1; link <= profile.chain_max; link++)
    reveal = makeReveal(
      { name: SHORT, owner: OWNER, salt: SALT, round: begin + link * profile.lease, former: reveal },
      profile
    )
  return reveal
}

export const limits: Figures = {
  columns: [
    'records of type A in a zone',
    `long names that fill a holder of ${DEFAULT_HOLDER_LIMITS.bytes / 2 ** 30} GiB`,
    'core-hours that they cost',
    'KiB that all holders keep for each core-minute'
  ],
  row: (profile) => {
    const name = parseName(LONG, profile)
    const reveal = makeReveal({ name, owner: OWNER, salt: SALT, round: 30_000_000 }, profile)
    const bytes = encodeReveal(reveal).length - reveal.payload.length + profile.limits.payload_bytes
    const names = Math.ceil(DEFAULT_HOLDER_LIMITS.bytes / bytes)
    const work = hours(iterationsFor(name, profile))
    return [
      `${mostAddresses(profile)}`,
      `${names}`,
      text(names * work, 0),
      text((bytes * profile.k) / 1024 / (work * 60))
    ]
  }
}

/** By trying: both the number of records and the bytes of the payload bound it. */
function mostAddresses(profile: NetworkProfile): number {
  const isWithin = (count: number): boolean => {
    const records = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `host-${index}`,
        [{ type: 'A' as const, value: `203.0.${index >> 8}.${index & 255}`, ttl: 300 }]
      ])
    )
    try {
      serializeZone(parseZone({ records }, profile), 1, profile)
      return true
    } catch (error) {
      if (error instanceof ZoneError) return false
      throw error
    }
  }
  let [within, beyond] = [0, profile.limits.zone_records + 1]
  while (beyond - within > 1) {
    const middle = (within + beyond) >> 1
    if (isWithin(middle)) within = middle
    else beyond = middle
  }
  return within
}

/** An owner who corrects a zone ten times within a minute, and somebody who changes it all the time. */
export const changes: Figures = {
  columns: [
    'seconds until the last of ten corrections within a minute is stored',
    'changes a day that a holder writes at most',
    'MiB a day that they are, of the largest payload'
  ],
  row: (profile) => {
    const aDay = changesWithin(86_400_000, profile)
    return [text(secondsOfTen(profile), 0), `${aDay}`, text((aDay * profile.limits.payload_bytes) / 2 ** 20)]
  }
}

/** Seconds after the tenth that it waits. The latest counts, so the rest need no turn of their own. */
function secondsOfTen(profile: NetworkProfile): number {
  let budget: ChangeBudget | undefined
  for (let nth = 0; nth < 10; nth++) budget = spendChange(budget, nth * 6_000, profile) ?? budget
  const lastMs = 9 * 6_000
  return budget?.atMs === lastMs ? 0 : (nextChangeMs(budget, lastMs, profile) - lastMs) / 1000
}

function changesWithin(milliseconds: number, profile: NetworkProfile): number {
  let budget: ChangeBudget | undefined
  let count = 0
  for (let atMs = 0; atMs < milliseconds; atMs = Math.max(atMs + 1, nextChangeMs(budget, atMs, profile))) {
    if (count > 1_000_000) return Infinity
    const spent = spendChange(budget, atMs, profile)
    if (spent === undefined) continue
    budget = spent
    count++
  }
  return count
}

/** What a beacon of that period means, with the profile's numbers of rounds. */
export const beacon: Figures = {
  columns: [
    'seconds that an owner waits for p',
    'seconds within which two commitments may share a round',
    'seconds of a contest',
    'CPU seconds a day to verify each pulse'
  ],
  row: (profile) => {
    const { period } = profile.beacon
    return [
      text(profile.min_commit * period, 0),
      `${period}`,
      text(profile.contest * period, 0),
      text(((86_400 / period) * COST_MS.pulse) / 1000)
    ]
  }
}

export const segments: Figures = {
  columns: ['bytes of a proof of a long name', 'of a name of three octets', 'a long name has', 'ms to verify it'],
  row: (profile) => {
    const long = proofShape(iterationsFor(parseName(LONG, profile), profile), profile)
    const short = proofShape(iterationsFor(parseName(SHORT, profile), profile), profile)
    return [
      `${long.length}`,
      `${short.length}`,
      long.depth === 0 ? 'one segment' : 'two segments',
      long.depth === 0 ? '1.2' : '2.2'
    ]
  }
}
