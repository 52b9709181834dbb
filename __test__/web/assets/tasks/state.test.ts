import { describe, expect, it } from 'vitest'
import type { TaskView } from '../../../../src/web/assets/lib/api.ts'
import { task as shown } from '../fixtures.ts'
import { taskShare, taskState, taskSteps, titleOf } from '../../../../src/web/assets/tasks/state.ts'

describe('what a task is at', () => {
  const failed = (code: NonNullable<TaskView['error']>['code']): Partial<TaskView> => ({
    status: 'failed',
    error: { code, message: '' }
  })

  it.each<[string, Partial<TaskView>, ReturnType<typeof taskState>]>([
    ['a cancelled one is not a failure', failed('SVC-TSK-003'), { word: 'cancelled', tone: 'quiet' }],
    ['a failed one is red', failed('SVC-REG-001'), { word: 'failed', tone: 'bad' }],
    ['one that failed without a word too', { status: 'failed' }, { word: 'failed', tone: 'bad' }],
    ['a completed one', { status: 'completed' }, { word: 'completed', tone: 'good' }],
    ['one at work', {}, { word: 'evaluate', tone: '' }],
    ['one that waits', { phase: 'queued', queue_position: 2 }, { word: 'queued, place 2', tone: '' }],
    ['a paused one', { paused: true }, { word: 'paused', tone: '' }]
  ])('%s', (_case, change, state) => {
    expect(taskState(shown(change))).toEqual(state)
  })
})

describe('the progress of tasks', () => {
  const task = shown({ iterations: 200, progress: 50, phase_progress: 0.4 })

  it('is that of the squarings, then that of the proof', () => {
    expect(taskShare(task)).toBe(0.25)
    expect(taskShare({ ...task, phase: 'prove', progress: 200 })).toBe(0.4)
    expect(taskShare({ ...task, iterations: 0, progress: 0 })).toBe(0)
  })

  it('is in the title of the tab while one works', () => {
    expect(titleOf([{ ...task, status: 'completed' }])).toBe('')
    expect(titleOf([{ ...task, paused: true }])).toBe('')
    expect(titleOf([task])).toBe('25% alice.chronym')
    expect(titleOf([{ ...task, name: 'b.chronym', queue_position: 1 }, task])).toBe('25% alice.chronym +1')
  })

  it('has steps', () => {
    expect(taskSteps(task).map(({ state }) => state)).toEqual(['done', 'done', 'now', 'later', 'later'])
    expect(taskSteps({ ...task, phase: 'queued' }).every(({ state }) => state === 'later')).toBe(true)
    expect(taskSteps({ ...task, status: 'completed', phase: 'done' }).every(({ state }) => state === 'done')).toBe(true)
  })
})
