/** What arithmetic says of positions by address, where every place is as likely as any other. */

/** Positions of one /24, or of one /32 of IPv6. */
export const SLOTS = 2

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
