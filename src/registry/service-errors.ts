import { BeaconError } from '../beacon/types.ts'
import { ServiceError } from '../errors.ts'
import { OfflineError } from '../network/types.ts'
import { NameError } from '../protocol/errors.ts'
import { ZoneError } from '../protocol/zone/zone.ts'
import { StoreError } from '../store/types.ts'

/** Seconds after which asking an absent network again makes sense. */
const OFFLINE_RETRY_SECONDS = 10

/** What the layers below throw, in the codes of the table; anything else as it is. */
export function asServiceError(error: unknown): unknown {
  if (error instanceof OfflineError) {
    return new ServiceError('SVC-RES-001', error.message, { cause: error, retryAfter: OFFLINE_RETRY_SECONDS })
  }
  if (error instanceof BeaconError) {
    return new ServiceError('SVC-BCN-001', error.message, { cause: error, retryAfter: OFFLINE_RETRY_SECONDS })
  }
  if (error instanceof StoreError) {
    return new ServiceError('SVC-STO-001', 'The store cannot be written or read; nothing that was stored is lost.', {
      cause: error
    })
  }
  if (error instanceof NameError) {
    return new ServiceError(error.kind === 'invalid' ? 'SVC-NAM-001' : 'SVC-NAM-002', error.detail, { cause: error })
  }
  if (error instanceof ZoneError) {
    const errors = error.problems.map(({ path, message }) => ({ path, message }))
    return new ServiceError('SVC-ZON-002', error.detail, { cause: error, errors })
  }
  return error
}

/** Runs a use case; what the layers below throw comes out in the codes of the table. */
export async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asServiceError(error)
  }
}

/** As {@link translated}, for what needs no waiting. */
export function translatedSync<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asServiceError(error)
  }
}
