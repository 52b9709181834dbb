/** Somebody who rents prefixes at random until enough of their positions are near one key, and keeps those alone. */
import { diverse } from '../../../../src/protocol/neighbourhood/diversity.ts'
import { SIM_PROFILE } from '../../world/world.ts'
import { type Near, type PositionNetwork, nearOf, positionsOf } from './network.ts'

/** Euros for an address of an hour, which a try takes, and of a day (docs/threat-model.md). */
export const EUROS = { hour: 0.01, day: 0.15 }

/**
 * What becomes of a prefix that has honest nodes: its attacker has the slots that they leave, or takes theirs too.
 * Which of two nodes at one position counts is not decided.
 */
export type Incumbents = 'keep' | 'yield'

export class Renter {
  tried = 0
  readonly #network: PositionNetwork
  readonly #key: Uint8Array
  readonly #next: () => string | undefined
  readonly #incumbents: Incumbents
  #held = new Set<string>()

  /** @param next the prefix of the next address that is rented; undefined where the provider has no other */
  constructor(
    network: PositionNetwork,
    key: Uint8Array,
    next: () => string | undefined,
    incumbents: Incumbents = 'keep'
  ) {
    this.#network = network
    this.#key = key
    this.#next = next
    this.#incumbents = incumbents
  }

  get prefixes(): number {
    return this.#held.size
  }

  /** Rents until `goal` of the k nearest diverse nodes are the attacker's on that day. False where it can't. */
  reach(goal: number, day: number, mostTries = Infinity): boolean {
    const honest = this.#network.near(this.#key, day)
    // A position serves if it is nearer than all honest ones but k - goal.
    const reach = diverse(honest, SIM_PROFILE)[SIM_PROFILE.k - goal]?.away ?? 1
    for (const prefix of this.#held) if (this.#positions(prefix, day, reach).length === 0) this.#held.delete(prefix)
    while (this.#count(honest, day, reach) < goal) {
      let won = false
      while (!won) {
        const prefix = this.tried < mostTries ? this.#next() : undefined
        if (prefix === undefined) return false
        this.tried++
        won = !this.#held.has(prefix) && this.#positions(prefix, day, reach).length > 0
        if (won) this.#held.add(prefix)
      }
    }
    return true
  }

  #positions(prefix: string, day: number, reach: number): Near[] {
    const taken = this.#incumbents === 'keep' ? (this.#network.honest.get(prefix) ?? 0) : 0
    const free = positionsOf(prefix, day).slice(taken)
    return nearOf(this.#key, prefix, free, taken).filter(({ away }) => away < reach)
  }

  /** Of the k nearest diverse nodes, the attacker's. */
  #count(honest: readonly Near[], day: number, reach: number): number {
    const own = [...this.#held].flatMap((prefix) => this.#positions(prefix, day, reach))
    const others = this.#incumbents === 'keep' ? honest : honest.filter(({ prefix }) => !this.#held.has(prefix))
    const all = [...own, ...others].sort((left, right) => left.away - right.away)
    const mine = new Set(own)
    return diverse(all, SIM_PROFILE)
      .slice(0, SIM_PROFILE.k)
      .filter((each) => mine.has(each)).length
  }
}
