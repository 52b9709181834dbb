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
  'pin_after',
  'provisional_settle',
  'pulse_fresh',
  'pulse_window',
  'receipt_slack',
  'renewal_divisor',
  'repair_quorum',
  'reveal_window',
  'settle',
  'split_divisor',
  'stamp_bits',
  'two_segment_from'
]

/** What names a network, and is no number of the rules. */
export const NAMING: readonly string[] = ['did_method', 'id', 'reserved', 'scope', 'tld', 'version']
