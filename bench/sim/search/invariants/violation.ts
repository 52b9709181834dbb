/** A promise of docs/protocol/rules.md, 18 that a run broke. */
export interface Violation {
  readonly rule: InvariantId
  readonly detail: string
  /** Days since the run began. */
  readonly day: number
}

export type InvariantId =
  'P1' | 'P2' | 'P3' | 'P4' | 'P6' | 'P11' | 'P12' | 'P13' | 'P14' | 'P15' | 'P16' | 'P17' | 'P18' | 'P19' | 'P20'

/** Bounds of P14 to P17, as docs/protocol/rules.md, 18 states them, and of P6 in a network, in days. */
export const BOUNDS = { twoOwners: 3, refusedPut: 0.25, disagreement: 2, olderLog: 1 } as const
