/** What a daemon shows of a task and of what a name costs, for tests that change a part of it. */
import type { Estimate, TaskView } from '../../src/views/task.ts'

/** A task that squares. */
export const taskView = (change: Partial<TaskView> = {}): TaskView => ({
  task_id: 't',
  name: 'alice.chronym',
  kind: 'register',
  status: 'running',
  phase: 'evaluate',
  paused: false,
  queue_position: null,
  stalled: null,
  iterations: 600_000_000,
  progress: 0,
  phase_progress: 0,
  moved_to: null,
  place: null,
  worker: null,
  iterations_per_second: null,
  eta_seconds: null,
  deadline: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:05.000Z',
  resumed: 0,
  error: null,
  ...change
})

export const estimateView = (change: Partial<Estimate> = {}): Estimate => ({
  kind: 'register',
  iterations: 600_000_000,
  iterations_per_second: 300_000,
  seconds: 1800,
  queued_seconds: 0,
  proving_seconds: 0,
  proof_kept: false,
  lease_start: '2026-01-01T00:00:00.000Z',
  lease_end: '2027-01-01T00:00:00.000Z',
  renewal_iterations: 150_000_000,
  renewals: 64,
  gain_seconds: null,
  left: null,
  ...change
})
