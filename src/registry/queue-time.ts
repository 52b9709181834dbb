import type { TaskView } from '../tasks/types.ts'

/** Phases in which a task holds one of the slots. */
const WORKING: ReadonlySet<TaskView['phase']> = new Set(['commit', 'pulse', 'evaluate', 'prove'])

/**
 * Seconds until a task that is made now gets a slot: those at work go on as they do, those that wait take their turns before it. Pure.
 *
 * @param tasks all tasks, in the order in which they take their turns
 * @param secondsLeft of a task at work or waiting, once it has a slot
 */
export function queueSeconds(tasks: readonly TaskView[], slots: number, secondsLeft: (task: TaskView) => number): number {
  const running = tasks.filter(({ status, paused }) => status === 'running' && !paused)
  const freeAt = running.filter(({ phase }) => WORKING.has(phase)).map(secondsLeft)
  while (freeAt.length < slots) freeAt.push(0)
  const soonest = (): number => freeAt.indexOf(Math.min(...freeAt))
  for (const task of running.filter(({ phase }) => phase === 'queued')) {
    const slot = soonest()
    freeAt[slot] = freeAt[slot]! + secondsLeft(task)
  }
  return Math.min(...freeAt)
}
