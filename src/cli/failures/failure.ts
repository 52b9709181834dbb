import { ERROR_TABLE, type ErrorCode } from '../../error-table.ts'

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

/** What can go wrong on this side of the HTTP interface; failures of the daemon carry its own SVC codes. */
export type CliErrorCode =
  /** The command line itself is wrong. */
  | 'CLI-USE-001'
  /** A file named on the command line can't be read or holds something else. */
  | 'CLI-INP-001'
  /** The daemon does not answer. */
  | 'CLI-NET-001'
  /** What answers is not a chronym daemon, or the answer broke off. */
  | 'CLI-NET-002'
  /** What answers does not prove to be the expected daemon. */
  | 'CLI-NET-003'
  /** No access token could be found. */
  | 'CLI-TOK-001'
  /** A backup file is damaged, or the key given does not open it. */
  | 'CLI-BAK-001'
  /** A backup or a data directory is of another network. */
  | 'CLI-BAK-002'
  /** The target exists already. */
  | 'CLI-BAK-003'
  /** A data directory that cannot be backed up as it is. */
  | 'CLI-BAK-004'
  /** A task ended as failed. */
  | 'CLI-TSK-001'
  /** The native addon is missing or does not load. */
  | 'CLI-NAT-001'
  /** The kernel failed while computing. */
  | 'CLI-NAT-002'
  /** How this machine resolves names is not ours to change: a file of somebody else, or no resolver that has routes. */
  | 'CLI-DNS-001'
  /** Only root may change how this machine resolves names. */
  | 'CLI-DNS-002'
  /** The daemon serves no DNS. */
  | 'CLI-DNS-003'
  /** A file could not be written, or a command of a resolver failed. */
  | 'CLI-DNS-004'
  /** The system refused: no space on a disk, no permission. */
  | 'CLI-SYS-001'
  /** Ctrl-C. */
  | 'CLI-INT-001'
  /** A condition that the command line does not know. */
  | 'CLI-INT-002'

interface FailureDetails {
  exitCode: ExitCode
  cure?: string | undefined
  status?: number | undefined
  requestId?: string | undefined
  errors?: readonly { readonly path: string; readonly message: string }[]
  cause?: unknown
}

/** A failure that the user is meant to see: printed on stderr, then the process ends with `exitCode`. */
export class Failure extends Error {
  override readonly name = 'Failure'
  /** One of {@link CliErrorCode}, or an SVC code of the daemon. */
  readonly code: string
  readonly exitCode: ExitCode
  readonly cure: string | undefined
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly errors: readonly { readonly path: string; readonly message: string }[]

  constructor(code: string, detail: string, details: FailureDetails) {
    super(detail, details.cause === undefined ? {} : { cause: details.cause })
    this.code = code
    this.exitCode = details.exitCode
    this.cure = details.cure
    this.status = details.status
    this.requestId = details.requestId
    this.errors = details.errors ?? []
  }
}

/** The command line is wrong: exit code 2. */
export function usageFailure(detail: string, cure?: string): Failure {
  return new Failure('CLI-USE-001', detail, { exitCode: EXIT.usage, cure })
}

/** A file that can't be used: exit code 2. */
export function inputFailure(detail: string, cure?: string, cause?: unknown): Failure {
  return new Failure('CLI-INP-001', detail, { exitCode: EXIT.usage, cure, cause })
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function cureOf(code: string): string | undefined {
  return Object.hasOwn(ERROR_TABLE, code) ? ERROR_TABLE[code as ErrorCode].cure : undefined
}

export function titleOf(code: string): string | undefined {
  return Object.hasOwn(ERROR_TABLE, code) ? ERROR_TABLE[code as ErrorCode].title : undefined
}
