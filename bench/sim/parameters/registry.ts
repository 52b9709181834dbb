/**
 * Parameters of the profile, with what shows what a value does: moves, tables of the rules' own figures and of small
 * networks, and benches. docs/simulator/parameters.md says what each says.
 */
import { SIM_PROFILE } from '../world.ts'
import type { ParameterRun, Value } from './kinds.ts'
import * as benches from './tables/benches.ts'
import * as costs from './tables/costs.ts'
import * as lives from './tables/lives.ts'
import * as networks from './tables/networks.ts'

const DAY = 86_400 / SIM_PROFILE.beacon.period

const moves = (names: readonly string[], values: readonly number[]): ParameterRun => ({
  kind: 'moves',
  moves: names,
  values
})

const lease = { columns: lives.LEASE_COLUMNS, row: lives.leaseRow }

const { beacon, difficulty, limits } = SIM_PROFILE

const windowOf = (days: number, work_factor: number): Value => ({
  floor: days * DAY,
  work_factor,
  squarings_per_second: 333_000
})

export const RUNS: Readonly<Record<string, readonly ParameterRun[]>> = {
  k: [moves(['none', 'eclipse-settled'], [10, 20, 30])],
  repair_quorum: [moves(['five-lying-neighbours', 'claim-sent-ahead'], [4, 8, 12, 16])],
  answers_per_wide_prefix: [moves(['eclipse-settled'], [2, 4, 8])],
  settle: [moves(['claim-sent-ahead'], [1_200, 14_400, 28_800, 57_600])],
  provisional_settle: [moves(['claim-sent-ahead'], [14_400, 28_800, 201_600])],
  pin_after: [moves(['eclipse-an-hour-a-day', 'eclipse-settled'], [600, 14_400, 28_800, 57_600])],
  witness_quorum: [moves(['five-lying-neighbours'], [1, 5, 11, 16])],
  answers_per_prefix: [
    moves(['one-address-around-a-key', 'eclipse-settled'], [1, 2, 4]),
    { kind: 'table', values: [1, 2, 4], ...networks.sharedPrefixes }
  ],
  contest: [
    { kind: 'table', values: [1, 5, 30, 100, 199], ...networks.races },
    { kind: 'table', values: [5, 30, 100, 199], ...costs.contestSpeed }
  ],
  min_commit: [
    { kind: 'table', values: [1, 5, 20, 100], ...costs.knownPulse },
    { kind: 'table', values: [1, 5, 20, 100], ...networks.badLines }
  ],
  receipt_slack: [{ kind: 'table', values: [0, 1, 2, 5, 20], ...networks.behind }],
  commit_keep: [{ kind: 'table', values: [1, 7, 14, 30].map((days) => days * DAY), ...networks.away }],
  lease: [{ kind: 'table', values: [30, 90, 365, 1095].map((days) => days * DAY), ...lease }],
  grace: [{ kind: 'table', values: [0, 7, 30, 90].map((days) => days * DAY), ...lease }],
  renewal_divisor: [{ kind: 'table', values: [1, 2, 4, 16], ...lives.renewal }],
  reveal_window: [
    {
      kind: 'table',
      values: [windowOf(1, 8), windowOf(7, 8), windowOf(14, 1), windowOf(14, 8), windowOf(14, 32), windowOf(60, 8)],
      ...lives.revealWindows
    }
  ],
  document_refresh: [{ kind: 'table', values: [7, 14, 30, 60, 180].map((days) => days * DAY), ...lives.documents }],
  difficulty: [
    {
      kind: 'table',
      values: [1 / 4, 1, 4].map((factor) => ({ ...difficulty, base: difficulty.base * factor })),
      ...costs.difficulty
    }
  ],
  pulse_window: [
    { kind: 'table', values: [25, 100, 400, 28_800], ...costs.pulseWindow },
    { kind: 'table', values: [25, 50, 100, 400, 28_800], ...networks.badLines }
  ],
  stamp_bits: [{ kind: 'table', values: [16, 20, 22, 24, 28], ...costs.stampBits }],
  chain_max: [{ kind: 'table', values: [8, 32, 64], ...costs.chainMax }],
  limits: [
    {
      kind: 'table',
      values: [4_096, 16_384, 65_536].map((payload_bytes) => ({ ...limits, payload_bytes })),
      ...costs.limits
    }
  ],
  changes: [
    {
      kind: 'table',
      values: [
        { interval: 1, burst: 5 },
        { interval: 30, burst: 1 },
        { interval: 30, burst: 5 },
        { interval: 600, burst: 5 }
      ],
      ...costs.changes
    }
  ],
  beacon: [{ kind: 'table', values: [1, 3, 15].map((period) => ({ ...beacon, period })), ...costs.beacon }],
  two_segment_from: [{ kind: 'table', values: [2 ** 22, 2 ** 32, 2 ** 40], ...costs.segments }, benches.twoSegments],
  split_divisor: [benches.split],
  discriminant_bits: [benches.discriminant],
  pulse_fresh: [{ kind: 'table', values: [20, 1_200, 28_800, 864_000], ...networks.outages }]
}

/** What cannot be run, each with its reason. */
export const WITHOUT_A_RUN: Readonly<Record<string, string>> = {}

/** What names a network, and is no number of the rules. */
export const NAMING: readonly string[] = ['did_method', 'id', 'reserved', 'scope', 'tld', 'version']
