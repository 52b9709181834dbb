/** Parameters of the profile: the moves that show what a value does, and values around the chosen one. */

export interface ParameterRun {
  /** Moves by name; `none` is a network in peace. */
  readonly moves: readonly string[]
  readonly values: readonly number[]
}

export const RUNS: Readonly<Record<string, ParameterRun>> = {
  k: { moves: ['none', 'eclipse-settled'], values: [10, 20, 30] },
  witness_quorum: { moves: ['five-lying-neighbours'], values: [4, 5, 6] },
  answers_per_prefix: { moves: ['one-address-around-a-key', 'eclipse-settled'], values: [1, 2, 4] },
  answers_per_wide_prefix: { moves: ['eclipse-settled'], values: [2, 4, 8] },
  contest: { moves: ['late-claim'], values: [5, 30, 199] },
  settle: { moves: ['claim-sent-ahead'], values: [1_200, 14_400, 28_800, 57_600] },
  provisional_settle: { moves: ['claim-sent-ahead'], values: [14_400, 28_800, 201_600] },
  repair_quorum: { moves: ['five-lying-neighbours', 'claim-sent-ahead'], values: [4, 8, 12, 16] },
  pin_after: { moves: ['eclipse-an-hour-a-day', 'eclipse-settled'], values: [600, 14_400, 28_800, 57_600] },
  min_commit: { moves: ['known-pulse', 'later-commitment'], values: [5, 20, 100] }
}

/** Parameters of the rules that no run of the simulator has chosen yet: conventions, until one does. */
export const WITHOUT_A_RUN: readonly string[] = [
  'beacon',
  'changes',
  'chain_max',
  'commit_keep',
  'difficulty',
  'discriminant_bits',
  'document_refresh',
  'grace',
  'lease',
  'limits',
  'pulse_fresh',
  'pulse_window',
  'receipt_slack',
  'renewal_divisor',
  'reveal_window',
  'split_divisor',
  'stamp_bits',
  'two_segment_from'
]

/** What names a network, and is no number of the rules. */
export const NAMING: readonly string[] = ['did_method', 'id', 'reserved', 'scope', 'tld', 'version']
