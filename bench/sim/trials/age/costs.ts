/** What time chains cost honest people and attackers, from figures that the project measured. */
import { proofShape } from '../../../../src/protocol/claim/proof-shape.ts'
import { iterationsFor, parseName, renewalIterations } from '../../../../src/protocol/name/names.ts'
import { FAST_CHIP } from '../../adversary.ts'
import { SIM_PROFILE } from '../../world.ts'

const SECONDS_A_DAY = 86_400

/** The speed that the rules reckon with (`reveal_window.squarings_per_second`). */
export const SERVER = SIM_PROFILE.reveal_window.squarings_per_second

/** A tenth of a day is left for proving, restarts and catching up. */
export const SHARE_OF_A_DAY = 0.9

export const TICK_SQUARINGS = Math.floor(SERVER * SECONDS_A_DAY * SHARE_OF_A_DAY)

/** Ticks of past days that the fastest known chip makes in a day. */
export const FAST_TICKS = (FAST_CHIP * SECONDS_A_DAY) / TICK_SQUARINGS

/** The smallest rented server, as for addresses in docs/threat-model.md: an assumption. */
export const EUROS_A_CORE_DAY = 0.15

/** Milliseconds of a core, docs/performance.md and docs/verification.md. */
const FROM_SEED_MS = 3.4
const SECOND_SEGMENT_MS = 2.202 - 1.193
const PULSE_MS = 1.57

const PULSE_BYTES = 48
const HASH_BYTES = 32
const NUMBER_BYTES = 8
const SIGNATURE_BYTES = 64

const PROOF_BYTES = proofShape(TICK_SQUARINGS, SIM_PROFILE).length

export interface Costs {
  readonly tickSquarings: number
  readonly tickBytes: number
  readonly proofKBOfAYear: number
  readonly kBOfAYear: number
  readonly tickMs: number
  readonly secondsOfAYear: number
  readonly fastTicksADay: number
  readonly operatorEurosAYear: number
}

export function honestCosts(): Costs {
  const tickBytes = PROOF_BYTES + PULSE_BYTES + HASH_BYTES + NUMBER_BYTES
  const tickMs = FROM_SEED_MS + SECOND_SEGMENT_MS + PULSE_MS
  return {
    tickSquarings: TICK_SQUARINGS,
    tickBytes,
    proofKBOfAYear: (365 * PROOF_BYTES) / 1000,
    kBOfAYear: (365 * tickBytes) / 1000,
    tickMs,
    secondsOfAYear: (365 * tickMs) / 1000,
    fastTicksADay: FAST_TICKS,
    operatorEurosAYear: 365 * EUROS_A_CORE_DAY
  }
}

/** Bytes beside a record for one link in one chain: chain, day, index, C and y of the leaf are known; y of old links too. */
export function evidenceBytes(claims: number): number {
  return HASH_BYTES + 2 * NUMBER_BYTES + HASH_BYTES * Math.ceil(Math.log2(Math.max(1, claims)))
}

/** Bytes that the newest tick of a named chain adds. */
export const HEAD_BYTES = SIGNATURE_BYTES

export interface AttackCosts {
  /** Days of one core at the server's speed, in real time; one that starts later needs `fastDays` of the fastest chip. */
  readonly chainDays: number
  readonly fastDays: number
  readonly chainEuros: number
  readonly chainSquarings: number
  /** For each name: a first link, and a renewal for each further year. */
  readonly nameSquarings: number
}

/** A secret chain of that many days, which any number of names share. */
export function attackCosts(chainDays: number, name = 'the-name-that-they-want.chronym'): AttackCosts {
  const parsed = parseName(name, SIM_PROFILE)
  const renewals = Math.floor(chainDays / 365)
  return {
    chainDays,
    fastDays: chainDays / FAST_TICKS,
    chainEuros: chainDays * EUROS_A_CORE_DAY,
    chainSquarings: chainDays * TICK_SQUARINGS,
    nameSquarings: iterationsFor(parsed, SIM_PROFILE) + renewals * renewalIterations(parsed, SIM_PROFILE)
  }
}
