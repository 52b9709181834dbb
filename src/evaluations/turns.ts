/** When an evaluation has its turn. What it is for is its owner's affair. */
export interface Turn {
  /** When waiting begins to cost something, in milliseconds since the epoch: the nearest goes first. */
  readonly deadlineMs: number
  /** Breaks ties: the lowest of equal deadlines goes first. */
  readonly order: number
}

/** In the order of their turns. Of equal deadlines those at work come first: they give way to earlier ones alone. */
export function byTurn<T extends Turn>(waiting: readonly T[], isAtWork: (one: T) => boolean = () => false): T[] {
  return waiting.toSorted(
    (left, right) =>
      compareDeadlines(left, right) || Number(isAtWork(right)) - Number(isAtWork(left)) || left.order - right.order
  )
}

function compareDeadlines(left: Turn, right: Turn): number {
  return left.deadlineMs === right.deadlineMs ? 0 : left.deadlineMs - right.deadlineMs
}

/** The first that has not passed; Infinity when waiting loses nothing. */
export function nextDeadlineMs(deadlinesMs: readonly number[], nowMs: number): number {
  return Math.min(Infinity, ...deadlinesMs.filter((deadlineMs) => deadlineMs > nowMs))
}
