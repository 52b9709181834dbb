/** The exit codes of `chronym`: one table, from which `chronym help exit-codes` is made. docs/cli.md shows the same. */

export const EXIT = {
  ok: 0,
  negative: 1,
  usage: 2,
  unreachable: 3,
  notFound: 4,
  forbidden: 5,
  refused: 6,
  unavailable: 7,
  fault: 8,
  empty: 9,
  interrupted: 130
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export const EXIT_CODE_MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [EXIT.ok, 'Done; to a question, the answer is yes.'],
  [EXIT.negative, 'The answer is no (a proof is not valid, a check failed) or the task failed.'],
  [
    EXIT.usage,
    'The command line is wrong: an unknown or missing option, a value of the wrong kind, an unreadable file.'
  ],
  [
    EXIT.unreachable,
    'The daemon does not answer, none runs on that data directory, or what answers does not prove to be it.'
  ],
  [EXIT.notFound, 'No such name, identity, task, zone, pin or token; or its registration has lapsed.'],
  [EXIT.forbidden, 'The token is missing, wrong or lacks the scope; or this daemon does not own the name.'],
  [EXIT.refused, 'The daemon refused the request: invalid content, taken name, conflict.'],
  [
    EXIT.unavailable,
    'Not now: network offline, beacon down, too few peers, rate limit, full queue. Trying again later makes sense.'
  ],
  [EXIT.fault, 'Something is broken here: internal error, disk full, addon missing.'],
  [EXIT.empty, 'Done, but the backup holds a seed alone: no name, identity or draft. Is it the right data directory?'],
  [EXIT.interrupted, 'Interrupted by Ctrl-C.']
]

/** The exit code for an HTTP status of the daemon's error answers. */
export function exitCodeOfStatus(status: number): ExitCode {
  if (status === 404 || status === 410) return EXIT.notFound
  if (status === 401 || status === 403) return EXIT.forbidden
  if (status === 429 || status === 502 || status === 503 || status === 504) return EXIT.unavailable
  if (status >= 500) return EXIT.fault
  return EXIT.refused
}
