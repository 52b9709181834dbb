import { fstatSync } from 'node:fs'

/**
 * Whether a program or a file takes stdout alone. A place that takes stderr too (`watch`, a log, `2>&1`) is read by
 * people, and /dev/null by nobody.
 */
export function isStdoutCaptured(): boolean {
  try {
    const [stdout, stderr] = [fstatSync(1), fstatSync(2)]
    const isSame = stdout.dev === stderr.dev && stdout.ino === stderr.ino
    return !isSame && (stdout.isFIFO() || stdout.isSocket() || stdout.isFile())
  } catch {
    // A closed stream has no reader.
    return false
  }
}
