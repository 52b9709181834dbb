/** What a suite says of one thing that it tried. */
export interface Outcome {
  readonly title: string
  readonly passed: boolean
  /** What the program said, where it did not pass. */
  readonly detail: string
}

export function outcome(title: string, passed: boolean, detail: string): Outcome {
  return { title, passed, detail: passed ? '' : detail.trim().slice(-2_000) }
}
