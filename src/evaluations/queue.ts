/** Which evaluations have a slot, which wait, and which is next. Pure: what they are for is their owner's affair. */

export interface Turn {
  /** When waiting begins to cost something, in milliseconds since the epoch: the nearest goes first. */
  readonly deadlineMs: number
  /** Breaks ties: the lowest of equal deadlines goes first. */
  readonly order: number
}

/** In the order of their turns. */
export function byTurn<T extends Turn>(waiting: readonly T[]): T[] {
  return waiting.toSorted((left, right) => compareDeadlines(left, right) || left.order - right.order)
}

interface Slots<T> {
  readonly count: number
  /** How many are taken now, including those that are about to be given up. */
  readonly taken: () => number
  readonly isAtWork: (one: T) => boolean
  readonly begin: (one: T) => void
  readonly giveUp: (one: T) => void
}

/**
 * Gives slots to the nearest deadlines, oldest first. One at work gives up its slot only to an earlier deadline,
 * which begins at the next call.
 * @param ready those at work, and those that wait for a slot and may begin
 */
export function takeTurns<T extends Turn>(
  ready: readonly T[],
  { count, taken, isAtWork, begin, giveUp }: Slots<T>
): void {
  const inTurn = byTurn(ready).sort(
    (left, right) => compareDeadlines(left, right) || Number(isAtWork(right)) - Number(isAtWork(left))
  )
  const next = inTurn.slice(0, count).filter((one) => !isAtWork(one))
  for (const one of next) if (taken() < count) begin(one)
  if (next.length > 0 && taken() >= count) inTurn.slice(count).filter(isAtWork).forEach(giveUp)
}

function compareDeadlines(left: Turn, right: Turn): number {
  return left.deadlineMs === right.deadlineMs ? 0 : left.deadlineMs - right.deadlineMs
}

/** The first that has not passed; Infinity when waiting loses nothing. */
export function nextDeadlineMs(deadlinesMs: readonly number[], nowMs: number): number {
  return Math.min(Infinity, ...deadlinesMs.filter((deadlineMs) => deadlineMs > nowMs))
}
