import type { WritableEventLog } from '../api/event-log.ts'
import { taskEventDetail } from '../registry/claims/ledger.ts'
import type { DaemonCore, UseCases } from './create-use-cases.ts'
import type { Lifecycle } from './lifecycle.ts'

const PULSE_EVENT_INTERVAL_MS = 60_000

/** Subscribes to each part; `life` ends it. */
export function forwardEvents(
  events: WritableEventLog,
  { network, beacon, clock, log }: DaemonCore,
  { tasks, registry }: Pick<UseCases, 'tasks' | 'registry'>,
  life: Lifecycle
): void {
  life.onStop(
    'events',
    network.subscribe(({ type, detail }) => events.append(type, detail))
  )
  life.onStop(
    'events',
    registry.subscribe(({ type, detail }) => events.append(type, detail))
  )
  let saidAtMs = -Infinity
  life.onStop(
    'events',
    beacon.on('pulse', ({ round }) => {
      // A pulse a second would push everything else out of the log.
      if (clock.now() - saidAtMs < PULSE_EVENT_INTERVAL_MS) return
      saidAtMs = clock.now()
      events.append('beacon:pulse', { round })
    })
  )
  life.onStop(
    'events',
    tasks.subscribe(({ type, task }) => {
      if (type === 'progress') return
      events.append(`task:${type}`, taskEventDetail(task))
      // A failure is logged with its cause where it happens.
      if (type !== 'failed') log.info({ name: task.name, task: task.task_id }, `${task.kind}: ${task.phase}`)
    })
  )
}
