/** Lines a minute: enough to see what goes wrong, too little to fill a disk. */
const LINES_A_MINUTE = 60
const MINUTE_MS = 60_000

/** Whether this line is written, and how many were left out since the last one that was. */
interface Sampled {
  readonly isWritten: boolean
  readonly leftOut: number
}

/** Passes the first lines of each minute and counts the rest: peers can make us write any number. */
export function createSampler(now: () => number): () => Sampled {
  let beganAt = -Infinity
  let written = 0
  let leftOut = 0
  return () => {
    const at = now()
    // A clock that was set back begins a new minute too.
    if (Math.abs(at - beganAt) >= MINUTE_MS) {
      beganAt = at
      written = 0
    }
    if (written === LINES_A_MINUTE) {
      leftOut++
      return { isWritten: false, leftOut }
    }
    written++
    const before = leftOut
    leftOut = 0
    return { isWritten: true, leftOut: before }
  }
}
