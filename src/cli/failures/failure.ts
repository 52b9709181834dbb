import { ERROR_TABLE, type ErrorCode } from '../../error-table.ts'

/** The exit codes of `chronym`: one table, from which `chronym help exit-codes` is made. docs/reference/cli.md shows the same. */

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
  [EXIT.notFound, 'No such name, identity, task, zone, pin, token or field; or its registration has lapsed.'],
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

/** What can go wrong on this side of the HTTP interface, as docs/reference/cli.md explains it. The daemon's codes are SVC-. */
export type CliErrorCode =
  | 'CLI-USE-001'
  | 'CLI-INP-001'
  | 'CLI-NET-001'
  | 'CLI-NET-002'
  | 'CLI-NET-003'
  | 'CLI-TOK-001'
  | 'CLI-BAK-001'
  | 'CLI-BAK-002'
  | 'CLI-BAK-003'
  | 'CLI-BAK-004'
  | 'CLI-TSK-001'
  | 'CLI-NAT-001'
  | 'CLI-NAT-002'
  | 'CLI-DNS-001'
  | 'CLI-DNS-002'
  | 'CLI-DNS-003'
  | 'CLI-DNS-004'
  | 'CLI-SYS-001'
  | 'CLI-INT-001'
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
