/** The labels of an axis. Pure. */

/** Steps of an axis that counts: there is no half a peer. */
export const WHOLE_STEPS = Array.from({ length: 10 }, (_each, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power)
).flat()

/** A label for each tick; null where it would repeat one: ticks may be closer than what their labels tell apart. */
export function tickLabels(ticks: readonly number[], format: (tick: number) => string): (string | null)[] {
  const labels = ticks.map(format)
  return labels.map((label, index) => (labels.indexOf(label) === index ? label : null))
}
