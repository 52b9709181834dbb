import { describe, expect, it } from 'vitest'

const asset = (file: string) => import(new URL(`../../../../src/web/assets/${file}`, import.meta.url).href)
const { eventWord, taskState } = (await asset('tasks/state.js')) as {
  eventWord: (event: object) => string
  taskState: (task: object) => { word: string; tone: string }
}

describe('an event in the list', () => {
  it.each([
    ['task:failed', { error: 'SVC-TSK-003' }, 'task:cancelled'],
    ['task:failed', { error: 'SVC-REG-001' }, 'task:failed'],
    ['task:failed', {}, 'task:failed'],
    ['peer:connect', {}, 'peer:connect']
  ])('%s with %o is %s', (type, detail, word) => {
    expect(eventWord({ type, detail })).toBe(word)
  })
})

describe('what a task is at', () => {
  const task = { status: 'running', phase: 'evaluate', paused: false, queue_position: null, error: null }

  it.each([
    [
      'a cancelled one is no failure',
      { status: 'failed', error: { code: 'SVC-TSK-003' } },
      { word: 'cancelled', tone: 'quiet' }
    ],
    ['a failed one is red', { status: 'failed', error: { code: 'SVC-REG-001' } }, { word: 'failed', tone: 'bad' }],
    ['one that failed without a word too', { status: 'failed' }, { word: 'failed', tone: 'bad' }],
    ['a completed one', { status: 'completed' }, { word: 'completed', tone: 'good' }],
    ['one at work', {}, { word: 'evaluate', tone: '' }],
    ['one that waits', { phase: 'queued', queue_position: 2 }, { word: 'queued, place 2', tone: '' }],
    ['a paused one', { paused: true }, { word: 'paused', tone: '' }]
  ])('%s', (_case, change, state) => {
    expect(taskState({ ...task, ...change })).toEqual(state)
  })
})
