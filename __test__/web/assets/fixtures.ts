/** What the daemon shows, and a person who answers. Types are those of the page. */
import type { Estimate, OwnedNameView, TaskView } from '../../../src/web/assets/lib/api.ts'
import type { Ask, Question } from '../../../src/web/assets/parts/dialog.ts'

/** A person who gives these answers in turn, and what was asked; a question too many is an error. */
export function person(...answers: boolean[]): { asked: Question[]; ask: Ask } {
  const asked: Question[] = []
  const ask: Ask = async (question) => {
    asked.push(question)
    if (asked.length > answers.length) throw new Error(`nobody expected: ${question.title}`)
    return answers[asked.length - 1]!
  }
  return { asked, ask }
}

export const task = (change: Partial<TaskView> = {}): TaskView => ({
  task_id: 't',
  name: 'alice.chronym',
  kind: 'register',
  status: 'running',
  phase: 'evaluate',
  paused: false,
  queue_position: null,
  moved_to: null,
  place: 'local',
  worker: null,
  stalled: null,
  iterations: 600_000_000,
  progress: 0,
  phase_progress: 0,
  iterations_per_second: null,
  eta_seconds: null,
  deadline: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  resumed: 0,
  error: null,
  ...change
})

export const owned = (
  change: Partial<OwnedNameView> = {},
  renewal: Partial<OwnedNameView['renewal']> = {}
): OwnedNameView => ({
  name: 'dave.chronym',
  state: 'live',
  check_code: '7kq2mx4q8r7kq2mx4q8r7kq2mx',
  coded_name: null,
  lease_end: '2026-11-30T12:00:00.000Z',
  serial: 2,
  published_serial: 2,
  renewal: { state: 'scheduled', due: '2026-11-29T12:00:00.000Z', task_id: null, left: 63, ...renewal },
  warnings: [],
  ...change
})

export const estimate = (change: Partial<Estimate> = {}): Estimate => ({
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
  holder: null,
  ...change
})
