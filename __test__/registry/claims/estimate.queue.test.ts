import { describe, expect, it } from 'vitest'
import { queueSeconds } from '../../../src/registry/claims/estimate.ts'
import type { TaskView } from '../../../src/views/task.ts'
import { taskView } from '../../views/task.ts'

/** A task that takes `seconds` once it has a slot. */
const task = (seconds: number, change: Partial<TaskView> = {}): TaskView => taskView({ iterations: seconds, ...change })
const queued = { phase: 'queued' } as const
const wait = (tasks: readonly TaskView[], slots: number): number =>
  queueSeconds(tasks, slots, ({ iterations }) => iterations)

describe('the wait for a slot', () => {
  it.each<[string, TaskView[], number, number]>([
    ['nobody is at work', [], 1, 0],
    ['a slot is free', [task(100)], 2, 0],
    ['every slot is taken: until the first is free', [task(100), task(30)], 2, 30],
    ['others wait before it: until they have had their turn', [task(100), task(50, queued)], 1, 150],
    [
      'others wait for several slots: each takes the first that is free',
      [task(100), task(30), task(40, queued), task(10, queued)],
      2,
      80
    ],
    [
      'a task is paused: it holds no slot',
      [task(100, { paused: true }), task(50, { paused: true, phase: 'queued' })],
      1,
      0
    ],
    ['a proof only waits to be published', [task(100, { phase: 'reveal' })], 1, 0],
    ['tasks have ended', [task(100, { status: 'failed' }), task(100, { status: 'completed', phase: 'done' })], 1, 0],
    ['more are at work than slots, which were lowered meanwhile: until the first is free', [task(100), task(30)], 1, 30]
  ])('when %s', (_situation, tasks, slots, seconds) => {
    expect(wait(tasks, slots)).toBe(seconds)
  })
})
