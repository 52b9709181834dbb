import type { EvaluationProgress } from '../../native/types.ts'
import type { TaskFailure, TaskState } from './state.ts'
import type { TaskView } from '../../views/task.ts'

/** Measurements of a task at work; not durable. */
export interface TaskActivity {
  readonly evaluation: EvaluationProgress
  /** Over minutes, see pace.ts; undefined until progress was seen. */
  readonly squaringsPerSecond: number | undefined
  /** Share of the proving phase done in a second, as above. */
  readonly provedPerSecond: number | undefined
}

/** What is known of a task beside its state; not durable. */
export interface TaskCircumstances {
  readonly activity: TaskActivity | undefined
  readonly stalled: TaskFailure | null
  readonly queuePosition: number | null
}

export function taskView(state: TaskState, { activity, stalled, queuePosition }: TaskCircumstances): TaskView {
  const rate =
    activity === undefined || activity.evaluation.squaringsPerSecond <= 0
      ? null
      : activity.evaluation.squaringsPerSecond
  return {
    task_id: state.id,
    name: state.name,
    kind: state.kind,
    status: state.status,
    phase: state.phase,
    paused: state.paused,
    queue_position: queuePosition,
    stalled,
    iterations: state.iterations,
    progress: state.progress,
    phase_progress: state.phaseProgress,
    iterations_per_second: rate === null ? null : Math.round(rate),
    eta_seconds: etaSeconds(state, activity),
    deadline: isoTime(state.plan?.deadlineMs ?? null),
    created_at: new Date(state.createdMs).toISOString(),
    updated_at: new Date(state.updatedMs).toISOString(),
    resumed: state.resumed,
    error: state.error === null ? null : { code: state.error.code, message: state.error.message }
  }
}

/** Until the proof is there: null where nothing is computed (queued, paused, committing) or no rate is known yet. */
function etaSeconds(state: TaskState, activity: TaskActivity | undefined): number | null {
  if (state.status === 'completed') return 0
  if (activity === undefined || state.plan === null || state.paused) return null
  const { evaluation, squaringsPerSecond, provedPerSecond } = activity
  if (state.phase === 'prove' && provedPerSecond !== undefined)
    return Math.ceil((1 - state.phaseProgress) / provedPerSecond)
  const rate = squaringsPerSecond ?? evaluation.squaringsPerSecond
  return rate > 0 && (state.phase === 'evaluate' || state.phase === 'prove')
    ? Math.ceil(evaluation.remaining / rate)
    : null
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
