import type { EvaluationProgress } from '../native/types.ts'
import type { TaskState } from './state.ts'
import type { TaskView } from './types.ts'

/** Proving one segment, as a share of the squarings' time on one core (at most 10% from 10^7 squarings on). */
const PROVING_SHARE_ONE_SEGMENT = 0.1
/** With two segments the first is proved meanwhile; the proof follows within 1% of the squarings' time. */
const PROVING_SHARE_TWO_SEGMENTS = 0.01

/** What is measured of a task at work and not durable. */
export interface TaskActivity {
  readonly evaluation: EvaluationProgress
  /** When the proving phase began, or null before it. */
  readonly provingSinceMs: number | null
}

/** Seconds from now to the finished proof of `squarings` more squarings at `rate` a second. */
export function secondsToProof(squarings: number, iterations: number, rate: number, split: boolean): number {
  const share = split ? PROVING_SHARE_TWO_SEGMENTS : PROVING_SHARE_ONE_SEGMENT
  return (squarings + share * iterations) / rate
}

/** What the HTTP interface shows of a task. */
export function taskView(state: TaskState, activity: TaskActivity | undefined, nowMs: number): TaskView {
  const rate = activity === undefined || activity.evaluation.squaringsPerSecond <= 0 ? null : activity.evaluation.squaringsPerSecond
  return {
    task_id: state.id,
    name: state.name,
    kind: state.kind,
    status: state.status,
    phase: state.phase,
    paused: state.paused,
    iterations: state.iterations,
    progress: state.progress,
    phase_progress: state.phaseProgress,
    iterations_per_second: rate === null ? null : Math.round(rate),
    eta_seconds: etaSeconds(state, activity, rate, nowMs),
    deadline: isoTime(state.plan?.deadlineMs ?? null),
    created_at: new Date(state.createdMs).toISOString(),
    updated_at: new Date(state.updatedMs).toISOString(),
    resumed: state.resumed,
    error: state.error === null ? null : { code: state.error.code, message: state.error.message }
  }
}

function etaSeconds(state: TaskState, activity: TaskActivity | undefined, rate: number | null, nowMs: number): number | null {
  if (state.status === 'completed') return 0
  if (activity === undefined || state.plan === null) return null
  if (state.phase === 'evaluate' && rate !== null) {
    const remaining = state.iterations - activity.evaluation.squarings
    return Math.ceil(secondsToProof(remaining, state.iterations, rate, state.plan.split !== null))
  }
  if (state.phase === 'prove' && activity.provingSinceMs !== null && state.phaseProgress > 0) {
    const elapsedMs = Math.max(0, nowMs - activity.provingSinceMs)
    return Math.ceil((elapsedMs * (1 - state.phaseProgress)) / state.phaseProgress / 1000)
  }
  return null
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
