/** How evaluations share the machine: each squares on a thread of its own, and the rest is for proving. */

/**
 * Threads of each of `evaluations`, including its own; `total` in all, or one each where there are more evaluations
 * than that.
 */
export function shareThreads(total: number, evaluations: number): number[] {
  const spare = Math.max(0, total - evaluations)
  return Array.from(
    { length: evaluations },
    (_, index) => 1 + Math.floor(spare / evaluations) + (index < spare % evaluations ? 1 : 0)
  )
}
