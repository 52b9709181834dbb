/** An attack: what it does, and which rows and names of the docs it tries. */
import type { Adversary } from '../people/adversary.ts'
import type { InvariantId } from '../search/invariants/violation.ts'
import type { Habits, Owner } from '../people/owner.ts'
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import type { World } from '../world/world.ts'
import type { Routing } from '../ports.ts'

/** What the rules promise under this move, by what resolvers see and holders hold. */
export type Harm = 'harmless' | 'unpinned' | 'censored' | 'taken'

export interface Stage {
  readonly world: World
  readonly adversary: Adversary
  /** The honest owner of the name that is attacked. */
  readonly victim: Owner
  /** Ids of the attacker, where a move has some. */
  readonly ids: number
  /** Called by a move that wants the name for a key of its own: what a thief's name resolves to. */
  readonly thief: (pubkey: Uint8Array) => void
  /** Called where a promise is broken that no look of a resolver shows: what, in words. */
  readonly breach: (detail: string) => void
  /** What the move saw beside names, in words; the last remark is printed. */
  readonly remark: (detail: string) => void
}

export interface Move {
  readonly id: string
  /** Names in brackets of docs/protocol. */
  readonly attacks: readonly string[]
  /** First cells of rows of the attack table of docs/threat-model.md. */
  readonly rows?: readonly string[]
  /**
   * When it begins: `start`, before the victim commits; `committed`, once it has its p; `settled`, four days after it
   * registered, when resolvers have firm pins.
   */
  readonly begins: 'start' | 'committed' | 'settled'
  /** Ids by default; 0 where it has none. */
  readonly ids: number
  /** The most harm that the rules allow it: nothing, other owners at resolvers without a pin, no answer, or the name. */
  readonly allows: Harm
  /** Invariants that say nothing under it, by their own words. */
  readonly excuses?: readonly InvariantId[]
  /** Days before the victim commits, where it begins at the start. */
  readonly leadDays?: number
  /** How the victim works, where not always awake at 333,000 squarings a second. */
  readonly habits?: Habits
  /** The victim's claim names a change key. */
  readonly hasChangeKey?: true
  /** Mean days that honest nodes stay, where the move lives by that. */
  readonly lifeDays?: number
  /** Days that the run takes at least: two from its beginning by default. */
  readonly days?: number
  /** The rules' numbers, where it lives by other ones than those of SIM_PROFILE. */
  readonly profile?: NetworkProfile
  /** The search leaves it out: it times a whole run, or measures what no resolver sees. */
  readonly isAlone?: boolean
  /** `real` where the move is about look-ups and tables; `modelled` by default. */
  readonly routing?: Routing
  run(stage: Stage): Promise<void> | void
}
