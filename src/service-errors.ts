/**
 * The one translation of lower errors to the codes of the error table. Errors of the command line alone (backups, files
 * of the data directory) have codes of their own in src/cli/to-failure.ts.
 */
import type { BeaconError } from './beacon/types.ts'
import { ServiceError } from './errors.ts'
import type { ErrorCode } from './error-table.ts'
import type { NativeError } from './native/types.ts'
import type { DialError, ListenError, OfflineError } from './network/types.ts'
import type { AskError } from './network/wire/exchange.ts'
import { PartError, ProtocolError } from './protocol/errors.ts'
import { ZoneError } from './protocol/zone/zone.ts'
import type { StoreError } from './store/types.ts'

type LowerError =
  ProtocolError | NativeError | StoreError | BeaconError | OfflineError | ListenError | DialError | AskError

interface Translation {
  readonly code: ErrorCode
  /** What the user reads; the error's own words when left out. */
  readonly detail?: string
  readonly retryAfter?: number
  /** Of the request, where only one can be at fault. */
  readonly field?: string
}

/** Every lower part, with every code of its errors. */
type Translations = {
  readonly [Part in LowerError['part']]: Readonly<Record<Extract<LowerError, { part: Part }>['code'], Translation>>
}

/** A fault of the program: no use case expects it, and its words are for the log. */
const FAULT: Translation = { code: 'SVC-INT-001' }
const OFFLINE: Translation = { code: 'SVC-RES-001', retryAfter: 10 }
const NO_BEACON: Translation = { code: 'SVC-BCN-001', retryAfter: 10 }

/** Paths and codes of the database are for the log. */
function storeFails(what: string): Translation {
  return { code: 'SVC-STO-001', detail: `${what}. Nothing that was stored is lost.` }
}

export const TRANSLATIONS: Translations = {
  protocol: {
    // Code that reads what others sent judges it there; only records of our own fail here.
    rule: FAULT,
    encoding: FAULT,
    profile: FAULT,
    key: FAULT,
    identity: { code: 'SVC-KID-001' },
    zone: { code: 'SVC-ZON-002' },
    'name-invalid': { code: 'SVC-NAM-001' },
    'name-reserved': { code: 'SVC-NAM-002' },
    'name-not-open': { code: 'SVC-NAM-002' }
  },
  native: {
    ADDON_MISSING: { code: 'SVC-VDF-001' },
    ADDON_UNAVAILABLE: FAULT,
    INVALID_ARGUMENT: FAULT,
    INVALID_CHECKPOINT: FAULT,
    KERNEL_FAULT: FAULT,
    CHECKPOINT_REFUSED: FAULT,
    POOL_BUSY: FAULT,
    POOL_CLOSED: FAULT,
    WORKER_FAILED: FAULT,
    LISTEN_FAILED: { code: 'SVC-CFG-001' },
    SERVER_CLOSED: FAULT,
    NOTIFY_FAILED: FAULT
  },
  store: {
    full: storeFails('The disk of the data directory is full'),
    failing: storeFails('The store of the daemon cannot write'),
    corrupt: storeFails('The store of the daemon is damaged'),
    newer: { code: 'SVC-STO-002' },
    locked: storeFails('The store of the daemon is in use by another process')
  },
  beacon: {
    BEACON_UNAVAILABLE: NO_BEACON,
    BEACON_INVALID_PULSE: NO_BEACON,
    BEACON_WRONG_CHAIN: NO_BEACON,
    BEACON_INVALID_ROUND: NO_BEACON
  },
  network: {
    offline: OFFLINE,
    'no-answer': OFFLINE,
    listen: { code: 'SVC-CFG-001' },
    address: { code: 'SVC-REQ-001', field: 'address' },
    unreached: { code: 'SVC-NET-001' }
  }
}

/** errno of a file of the data directory that could not be written. */
const DISK_ERRORS: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])

/**
 * What was thrown below, in the codes of the table; a fault of the program (SVC-INT-001) as it is. `at`: the field of
 * the request that is at fault.
 */
export function asServiceError(error: unknown, at?: string): unknown {
  const { code, detail, retryAfter, field = at } = translationOf(error)
  if (code === 'SVC-INT-001') return error
  const words = error instanceof ProtocolError ? error.detail : (error as Error).message
  return new ServiceError(code, detail ?? words, {
    cause: error,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(field !== undefined && { errors: [{ path: field, message: detail ?? words }] }),
    ...(error instanceof ZoneError && { errors: error.problems.map(({ path, message }) => ({ path, message })) })
  })
}

function isOfPart(error: unknown): error is PartError {
  return error instanceof PartError
}

function translationOf(error: unknown): Translation {
  if (isOfPart(error)) {
    const table: Readonly<Partial<Record<string, Readonly<Partial<Record<string, Translation>>>>>> = TRANSLATIONS
    return table[error.part]?.[error.code] ?? FAULT
  }
  const isOfDisk = error instanceof Error && 'code' in error && DISK_ERRORS.has(String(error.code))
  return isOfDisk ? storeFails('The data directory cannot be written') : FAULT
}

export async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asServiceError(error)
  }
}

/** As {@link translated}, for synchronous work. */
export function translatedSync<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asServiceError(error)
  }
}
