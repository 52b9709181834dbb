import { ServiceError } from '../../errors.ts'
import { StoreError } from '../../store/types.ts'

/** Runs what a user asked for: failures of the store become SVC-STO-001. */
export function stored<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw new ServiceError('SVC-STO-001', 'The task journal cannot be written; nothing was changed.', { cause: error })
  }
}
