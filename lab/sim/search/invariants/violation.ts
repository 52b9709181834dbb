import { DAY_MS, type World } from '../../world/world.ts'

/** A promise of docs/protocol/rules.md, 18 that a run broke. */
export interface Violation {
  readonly rule: InvariantId
  readonly detail: string
  /** Days since the run began. */
  readonly day: number
}

export type InvariantId =
  | 'P1'
  | 'P2'
  | 'P3'
  | 'P4'
  | 'P6'
  | 'P11'
  | 'P12'
  | 'P13'
  | 'P14'
  | 'P15'
  | 'P16'
  | 'P17'
  | 'P18'
  | 'P19'
  | 'P20'
  | 'P24'
  | 'P25'

/** Bounds of P14 to P17, as docs/protocol/rules.md, 18 states them, and of P6 in a network, in days. */
export const BOUNDS = { twoOwners: 3, refusedPut: 0.25, disagreement: 2, olderLog: 1 } as const

/** Watches a run for promises that it breaks. */
export abstract class Invariants {
  readonly violations: Violation[] = []
  protected readonly world: World
  readonly #beganMs: number

  constructor(world: World) {
    this.world = world
    this.#beganMs = world.timeline.nowMs
  }

  protected found(rule: InvariantId, detail: string): void {
    this.violations.push({ rule, detail, day: (this.world.timeline.nowMs - this.#beganMs) / DAY_MS })
  }

  /** As `found`, unless the same was found before. */
  protected foundOnce(rule: InvariantId, detail: string): void {
    if (!this.violations.some((each) => each.rule === rule && each.detail === detail)) this.found(rule, detail)
  }
}
