/** What the daemon shows, and a person who answers. Types are those of the page. */
import type { OwnedNameView, TaskView } from '../../../src/web/assets/lib/api.ts'
import type { Ask, Question } from '../../../src/web/assets/parts/dialog.ts'
import { taskView } from '../../views/task.ts'

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

export const task = (change: Partial<TaskView> = {}): TaskView =>
  taskView({ place: 'local', updated_at: '2026-01-01T00:00:00.000Z', ...change })

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
  records: 1,
  renewal: { state: 'scheduled', due: '2026-11-29T12:00:00.000Z', task_id: null, left: 63, ...renewal },
  warnings: [],
  ...change
})
