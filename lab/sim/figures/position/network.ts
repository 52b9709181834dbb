/** Honest nodes at positions by address, day by day, and those that are nearest to a key. */
import { sha256, utf8 } from '../../../../src/protocol/encoding/bytes.ts'
import { distance } from '../../../../src/protocol/neighbourhood/key-space.ts'
import { type Origin, hasDiverse } from '../../../../src/protocol/neighbourhood/diversity.ts'
import type { Random } from '../../world/random.ts'
import { Addresses } from '../../network/addresses.ts'
import { SIM_PROFILE } from '../../world/world.ts'

export interface Near extends Origin {
  /** From the key, as a share of the key space. */
  readonly away: number
}

/** The day of each month on which a prefix moves. */
export function movingDay(prefix: string): number {
  return sha256(utf8(`day ${prefix}`))[0]! % MONTH_DAYS
}

/** The last day on which a prefix moved. */
function movedOn(prefix: string, day: number): number {
  return day - ((day + MONTH_DAYS - movingDay(prefix)) % MONTH_DAYS)
}

/**
 * H(domain(place) ‖ prefix ‖ slot ‖ pulse of the prefix's month) of both slots. The month's first day is in
 * place of its pulse.
 */
export function positionsOf(prefix: string, day: number): Uint8Array[] {
  const pulse = movedOn(prefix, day)
  return Array.from({ length: SLOTS }, (_, slot) => sha256(utf8(`place ${prefix} ${slot} ${pulse}`)))
}

export class PositionNetwork {
  /** Prefix -> its honest nodes with a position. */
  readonly honest = new Map<string, number>()
  /** Honest nodes of prefixes whose slots are taken. */
  withoutPlace = 0
  readonly #random: Random
  /** Of honest nodes, with the day of the month on which each prefix moves. */
  readonly #positions = new Map<string, { readonly movingDay: number; at: readonly Uint8Array[] }>()
  #day = NaN

  constructor(nodes: number, random: Random) {
    this.#random = random
    const addresses = new Addresses(random)
    for (let index = 0; index < nodes; index++) this.join(addresses.honest())
  }

  /** A prefix of no honest node, anywhere. */
  unusedPrefix(): string {
    for (;;) {
      const prefix = `${1 + this.#random.below(223)}.${this.#random.below(256)}.${this.#random.below(256)}.0/24`
      if (!this.honest.has(prefix)) return prefix
    }
  }

  /** Three times as many honest nodes as are asked that may count on that day, or all, nearest to a key first. */
  near(key: Uint8Array, day: number): Near[] {
    this.#moveTo(day)
    const wanted = 3 * SIM_PROFILE.k
    for (let reach = (2 * wanted) / this.#positions.size; ; reach *= 2) {
      const near = [...this.#positions].flatMap(([prefix, { at }]) =>
        nearOf(key, prefix, at).filter(({ away }) => away < reach)
      )
      if (reach >= 1 || hasDiverse(near, wanted, SIM_PROFILE)) return near.sort((left, right) => left.away - right.away)
    }
  }

  #moveTo(day: number): void {
    const isNext = day === this.#day + 1
    for (const [prefix, count] of this.honest) {
      const known = this.#positions.get(prefix)
      if (known === undefined)
        this.#positions.set(prefix, { movingDay: movingDay(prefix), at: positionsOf(prefix, day).slice(0, count) })
      else if (day !== this.#day && (!isNext || known.movingDay === day % MONTH_DAYS))
        known.at = positionsOf(prefix, day).slice(0, count)
    }
    this.#day = day
  }

  /** An honest node more; without a position where both slots of its prefix are taken. */
  join(prefix: string): void {
    const held = this.honest.get(prefix) ?? 0
    if (held === SLOTS) this.withoutPlace++
    else this.honest.set(prefix, held + 1)
  }
}

/** @param first the slot of the first position */
export function nearOf(key: Uint8Array, prefix: string, positions: readonly Uint8Array[], first = 0): Near[] {
  return positions.map((position, index) => ({
    peer: `${prefix} ${first + index}`,
    prefix,
    away: distance(key, position)
  }))
}

/** Positions of one /24, or of one /32 of IPv6. */
const SLOTS = 2

/** Days until a prefix has other positions. Each prefix has a day of its own, so a thirtieth moves a day. */
export const MONTH_DAYS = 30

/** That at least `count` of the `of` peers nearest to a key are the attacker's, who has that share of all positions. */
export function atLeast(count: number, of: number, share: number): number {
  let sum = 0
  let ways = 1
  for (let each = 0; each <= of; each++) {
    if (each >= count) sum += ways * share ** each * (1 - share) ** (of - each)
    ways *= (of - each) / (each + 1)
  }
  return sum
}

/** Prefixes that have that share of all positions, beside `nodes` honest nodes with one each. */
export function prefixesOf(share: number, nodes: number): number {
  return ((share / (1 - share)) * nodes) / SLOTS
}

/**
 * Random prefixes tried, on average, until `goal` of the `of` nearest are the attacker's: a position must be nearer than
 * the honest one of rank `of - goal + 1`, at a distance whose inverse is `nodes / (of - goal)` on average. Infinite for
 * `goal = of`: see `medianTries`.
 */
export function meanTries(goal: number, of: number, nodes: number): number {
  return (goal * nodes) / (SLOTS * (of - goal))
}

/** Half of all attackers have tried no more: the share at which `atLeast` is a half. */
export function medianTries(goal: number, of: number, nodes: number): number {
  let [low, high] = [0, 1]
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2
    if (atLeast(goal, of, middle) < 0.5) low = middle
    else high = middle
  }
  return prefixesOf(low, nodes)
}

/** Of the nodes at a place, those that are still there after some days: none leaves its place, or each within a month. */
export function stayed(days: number, lifeDays: number, doMove: boolean): number {
  return Math.exp(-days / lifeDays) * (doMove ? Math.max(0, 1 - days / MONTH_DAYS) : 1)
}
