/** A suite's word on one thing that it tried. */
export interface Outcome {
  readonly title: string
  readonly passed: boolean
  /** The program's words, where it did not pass. */
  readonly detail: string
}

export function outcome(title: string, passed: boolean, detail: string): Outcome {
  return { title, passed, detail: passed ? '' : detail.trim().slice(-2_000) }
}
