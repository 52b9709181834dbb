import { ServiceError } from '../../errors.ts'
import { CANCELLED, type TaskState } from './state.ts'

/** Throws SVC-TSK-004 for a task that has ended. */
export function requireRunning({ id, name, kind, status, error }: TaskState): void {
  if (status === 'running') return
  const how = status === 'completed' ? 'is completed' : error?.code === CANCELLED.code ? 'was cancelled' : 'has failed'
  throw new ServiceError(
    'SVC-TSK-004',
    `The ${kind === 'register' ? 'registration' : 'renewal'} of ${name} ${how} (${id}); nothing of it runs any more.`
  )
}
