import { CommanderError } from 'commander'
import { ServiceError } from '../../errors.ts'
import { ERROR_TABLE, type ErrorCode } from '../../error-table.ts'
import { ProblemError, UnreachableError } from '../../api/client/client.ts'
import { BackupError, type BackupErrorCode } from '../../backup/container.ts'
import { StoreError } from '../../store/types.ts'
import { PartError, ProtocolError } from '../../protocol/errors.ts'
import { NativeError } from '../../native/types.ts'
import { asServiceError } from '../../service-errors.ts'
import { PathError } from '../../util/user-paths.ts'
import { UnprovedError } from '../../api/client/proven-fetch.ts'
import {
  type CliErrorCode,
  cureOf,
  EXIT,
  type ExitCode,
  exitCodeOfStatus,
  Failure,
  messageOf,
  usageFailure
} from './failure.ts'

const TOKEN_CURE =
  'Give the token of this daemon with --token, CHRONYM_TOKEN or --data-dir. A token file goes only ' +
  'to the daemon of its directory. `chronym doctor` says what it finds.'

function problemFailure(problem: ProblemError): Failure {
  // Another name is no cure for one that is ours; the detail has the command that is.
  const isOurs = problem.problem['owned'] === true || problem.problem['taken_up'] === true
  return new Failure(problem.code, problem.detail, {
    // A reserved name is 403, but no token or owner would help.
    exitCode: problem.code === 'SVC-NAM-002' ? EXIT.refused : exitCodeOfStatus(problem.status),
    status: problem.status,
    errors: problem.errors,
    requestId: problem.requestId,
    cure: isOurs ? undefined : problem.code === 'SVC-AUT-001' ? TOKEN_CURE : cureOf(problem.code),
    cause: problem
  })
}

/** What the protocol's rules refuse on this side. A wrong encoding here comes from the user. */
function protocolFailure(error: ProtocolError): Failure {
  const known = asServiceError(error)
  const { code, errors } = known instanceof ServiceError ? known : new ServiceError('SVC-REQ-001', error.detail)
  return new Failure(code, error.detail, { exitCode: EXIT.refused, errors, cure: ERROR_TABLE[code].cure, cause: error })
}

/** Refusals of an intact data directory: another seed, a running daemon. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['SVC-KEY-002', 'SVC-KEY-005'])

/** Errors of code shared with the daemon. A wrong configuration counts as a wrong option. */
function localFailure(error: ServiceError): Failure {
  const { status, cure } = ERROR_TABLE[error.code]
  const exitCode =
    error.code === 'SVC-CFG-001'
      ? EXIT.usage
      : REFUSALS.has(error.code)
        ? EXIT.refused
        : exitCodeOfStatus(status ?? 500)
  return new Failure(error.code, error.message, { exitCode, errors: error.errors, cure, cause: error })
}

const BACKUP_FAILURES: Readonly<Record<BackupErrorCode, readonly [CliErrorCode, ExitCode]>> = {
  damaged: ['CLI-BAK-001', EXIT.usage],
  network: ['CLI-BAK-002', EXIT.refused],
  occupied: ['CLI-BAK-003', EXIT.refused],
  source: ['CLI-BAK-004', EXIT.refused],
  recipient: ['CLI-USE-001', EXIT.usage]
}

function backupFailure(error: BackupError): Failure {
  const [code, exitCode] = BACKUP_FAILURES[error.code]
  return new Failure(code, error.message, { exitCode, cure: error.cure, cause: error })
}

function nativeFailure(error: NativeError): Failure {
  // The message of a missing addon names its own cure.
  if (error.code === 'ADDON_UNAVAILABLE' || error.code === 'ADDON_MISSING')
    return new Failure('CLI-NAT-001', error.message, { exitCode: EXIT.fault, cause: error })
  if (error.code === 'INVALID_ARGUMENT')
    return new Failure('CLI-USE-001', error.message, { exitCode: EXIT.usage, cause: error })
  return new Failure('CLI-NAT-002', `the kernel failed (${error.code}): ${error.message}`, {
    exitCode: EXIT.fault,
    cure: 'Try again. If it happens twice, check the memory of this machine and report the error.',
    cause: error
  })
}

function systemCode(error: unknown): string | undefined {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const { code } = each as NodeJS.ErrnoException
    if (code !== undefined) return code
  }
  return undefined
}

const FULL = 'Free some space on that disk, then run the command again. Files that were there are as they were.'
const DENIED = 'Run the command as the user that the file or directory belongs to, or name another one.'
const SYSTEM_CURES: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: FULL,
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: 'That file system is read-only: name a place on another one.',
  EMFILE: 'Too many files are open: raise the limit (`ulimit -n`), then run the command again.'
}

/** What the system refuses has the name of the call; undefined for anything else. */
function systemFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', syscall } = error as NodeJS.ErrnoException
  if (syscall === undefined) return undefined
  const cure = SYSTEM_CURES[code] ?? 'Check the file or directory that the message names, and its disk.'
  return new Failure('CLI-SYS-001', error.message, { exitCode: EXIT.fault, cure, cause: error })
}

function unreachable(error: UnreachableError): Failure {
  const code = error instanceof UnprovedError ? undefined : systemCode(error)
  return new Failure(
    error instanceof UnprovedError ? 'CLI-NET-003' : 'CLI-NET-001',
    `${error.message}${code === undefined ? '' : ` (${code})`}`,
    {
      exitCode: EXIT.unreachable,
      cure: error.cure ?? 'Name its address with --api, or look for the cause: `chronym doctor`.',
      cause: error
    }
  )
}

/** Turns any thrown value into a failure with an exit code. `misused`: the command that commander refused. */
export function toFailure(error: unknown, misused = ''): Failure {
  if (error instanceof Failure) return error
  if (error instanceof CommanderError) {
    const cure = `Run \`${['chronym help', misused].join(' ').trim()}\`.`
    return usageFailure(
      error.message.replace(/^error: /u, '').replaceAll('\n', ' '),
      error.code === 'commander.unknownOption'
        ? `${cure} A word that begins with a hyphen but is not an option goes after \`--\`.`
        : cure
    )
  }
  if (error instanceof PathError) return usageFailure(error.message)
  if (error instanceof ProblemError) return problemFailure(error)
  if (error instanceof UnreachableError) return unreachable(error)
  if (error instanceof ProtocolError) return protocolFailure(error)
  if (error instanceof NativeError) return nativeFailure(error)
  if (error instanceof BackupError) return backupFailure(error)
  // Its message names its own cure.
  if (error instanceof StoreError && error.code !== 'newer')
    return new Failure('CLI-BAK-004', error.message, { exitCode: EXIT.refused, cause: error })
  const known = error instanceof PartError ? asServiceError(error) : error
  if (known instanceof ServiceError) return localFailure(known)
  // Ctrl-C aborts the signal, and what waits for it rejects with its reason.
  if (error instanceof Error && error.name === 'AbortError')
    return new Failure('CLI-INT-001', 'interrupted', { exitCode: EXIT.interrupted, cause: error })
  const refused = systemFailure(error)
  if (refused !== undefined) return refused
  return new Failure('CLI-INT-002', messageOf(error), {
    exitCode: EXIT.fault,
    cure: 'This is a bug: please report it with the command.',
    cause: error
  })
}
