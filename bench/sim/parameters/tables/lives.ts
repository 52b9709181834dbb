/** What lives of owners say: of leases, of the time that a claim may take, and of documents without a name. */
import { sha256, utf8 } from '../../../../src/protocol/encoding/bytes.ts'
import { didOfGenesis } from '../../../../src/protocol/identity/did.ts'
import { isKept } from '../../../../src/protocol/identity/record.ts'
import { revealWindow } from '../../../../src/protocol/name/lease.ts'
import { iterationsFor, parseName, renewalIterations } from '../../../../src/protocol/name/names.ts'
import type { NetworkProfile } from '../../../../src/protocol/profile/profile.ts'
import { FAST_CHIP } from '../../adversary.ts'
import { Random } from '../../engine/random.ts'
import {
  after,
  BEGIN,
  claimsInTime,
  DAY,
  drawLife,
  drawOwnersLife,
  FOLLOWED,
  lossOf,
  YEAR,
  type Life
} from '../../people/lives.ts'
import type { TableOptions, TableRun } from '../kinds.ts'

/** Lives that a figure is of: a share of 0.1% is three of them. */
const LIVES = 3_000

/** Of owners without a name. */
const DOCUMENTS = 200

/** As the stores of docs/threat-model.md: squarings of one core a second. */
const CORE = 333_000

const LONG = 'twelve-octets-or-more.chronym'
const SHORT = 'abc.chronym'

export const LEASE_COLUMNS = [
  `names lost, of ${LIVES} owners in six years`,
  'days that a lost key blocks a name, at most',
  'core-hours a year that keep 1,000 long names'
]

/** Of leases and renewals: who loses a name, for how long a lost key has one, and what keeping costs. */
export function leaseRow(profile: NetworkProfile, { seed }: TableOptions): readonly string[] {
  const blocks = (profile.lease + profile.grace) / DAY
  const renewals = YEAR / profile.lease
  const hours = (1000 * renewals * renewalIterations(parseName(LONG, profile), profile)) / CORE / 3600
  return [`${lostNames(profile, seed)}`, blocks.toFixed(0), hours.toFixed(0)]
}

function lostNames(profile: NetworkProfile, seed: string): number {
  let lost = 0
  for (let index = 0; index < LIVES; index++) {
    const random = new Random(`${seed} life ${index}`).next
    if (lossOf(drawOwnersLife(random, profile), random, profile) !== undefined) lost++
  }
  return lost
}

export const renewal: Pick<TableRun, 'columns' | 'row'> = {
  columns: [...LEASE_COLUMNS, 'days that a phone renews a name of three octets (20,000 a second, 8 h a day)'],
  row: (profile, options) => {
    const squarings = renewalIterations(parseName(SHORT, profile), profile)
    return [...leaseRow(profile, options), (squarings / 20_000 / 3600 / 8).toFixed(0)]
  }
}

export const revealWindows: Pick<TableRun, 'columns' | 'row'> = {
  columns: [
    `people too slow for a long name, of ${LIVES}`,
    'of those of any length, too slow',
    'days that the fastest chip may keep a long name finished and unshown'
  ],
  row: (profile, { seed }) => {
    const people = Array.from({ length: LIVES }, (_, index) =>
      drawLife(new Random(`${seed} person ${index}`).next, profile)
    )
    const first = iterationsFor(parseName(LONG, profile), profile)
    const slow = (lives: readonly Life[]): number => lives.filter((life) => !claimsInTime(life, profile)).length
    const kept = (revealWindow(first, profile) - first / FAST_CHIP / profile.beacon.period) / DAY
    return [`${slow(people.map((life) => ({ ...life, first })))}`, `${slow(people)}`, kept.toFixed(1)]
  }
}

export const documents: Pick<TableRun, 'columns' | 'row'> = {
  columns: [
    'days a year that a document without a name is gone, mean',
    'the longest time, days',
    'stamps a year of an owner',
    'MiB-days at holders that a stamp buys, with the largest log'
  ],
  row: (profile, { seed }) => {
    const { document_refresh: refresh, limits, k } = profile
    const bought = (limits.kid_bytes / 2 ** 20) * k * (refresh / DAY)
    const gone = Array.from({ length: DOCUMENTS }, (_, index) =>
      daysGone(drawLife(new Random(`${seed} life ${index}`).next, profile), profile)
    ).flat()
    const mean = gone.reduce((sum, days) => sum + days, 0) / DOCUMENTS / (FOLLOWED / YEAR)
    return [mean.toFixed(2), Math.max(0, ...gone).toFixed(0), (YEAR / (refresh / 2)).toFixed(1), bought.toFixed(0)]
  }
}

/**
 * An owner stamps again when half of `document_refresh` is over and the machine is awake (rules.md, 12). Holders that
 * dropped the document take it again then.
 */
function daysGone({ absences }: Life, profile: NetworkProfile): number[] {
  const log = { did: didOfGenesis(sha256(utf8('somebody')), profile) }
  const gone: number[] = []
  for (let round = BEGIN; round < BEGIN + FOLLOWED;) {
    const next = after(round + profile.document_refresh / 2, 0, absences)
    const time = { verified: next, lapse: next, now: next, fresh: true }
    const stamp = { round: Math.floor(round), nonce: new Uint8Array(8) }
    if (!isKept({ log, stamp }, { time, isBoundToLiveName: false }, profile))
      gone.push((next - round - profile.document_refresh) / DAY)
    round = next
  }
  return gone
}
