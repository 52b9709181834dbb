import { ServiceError } from '../../errors.ts'
import type { TaskManager } from '../tasks.ts'
import { openName, type RegistryContext } from '../context.ts'
import { leaseOf, roundTime } from '../lease-times.ts'
import type { OwnedName } from '../stored/owned-names.ts'
import { requireOwned } from '../zones/zones.ts'

/**
 * Lets a name lapse: no automatic renewal; its zone stays published until its lease ends.
 * SVC-NAM-*, SVC-OWN-001, SVC-RES-003 when it has lapsed already, SVC-REG-002 while a task of it runs, SVC-STO-001.
 */
export function release(context: RegistryContext, tasks: TaskManager, text: string): void {
  const name = openName(context, text)
  requireAlive(context, name)
  const running = tasks.list().find((task) => task.name === name && task.status === 'running')
  if (running !== undefined) {
    throw new ServiceError(
      'SVC-REG-002',
      `The renewal of ${name} is under way (${running.task_id}): cancel it first, or keep the name.`,
      { extensions: { task_id: running.task_id } }
    )
  }
  context.owned.setReleased(name, true)
  context.log.info({ name }, 'this name is released: nothing renews it by itself')
}

/**
 * Takes a released name back: automatic renewal resumes, and so does sending its record again, which a cancelled
 * registration had ended. As {@link release}, but whatever task runs.
 */
export function takeBack(context: RegistryContext, text: string): void {
  const name = openName(context, text)
  const { reveal } = requireAlive(context, name)
  if (context.owned.get(name)?.released === true) context.network.withdrawReveal(name, reveal)
  context.owned.setReleased(name, false)
}

function requireAlive(context: RegistryContext, name: ReturnType<typeof openName>): OwnedName {
  const record = requireOwned(context, name)
  const { state, graceEndRound } = leaseOf(context, record.reveal.drand_pulse)
  if (state === 'dead')
    throw new ServiceError(
      'SVC-RES-003',
      `The lease of ${name} and its grace ended at ${roundTime(context, graceEndRound)}: it has lapsed.`
    )
  return record
}
