import type { TaskView } from '../../views/task.ts'

const WORKING: ReadonlySet<TaskView['phase']> = new Set(['commit', 'pulse', 'evaluate', 'prove'])

/**
 * Seconds until a task gets a slot: running tasks continue, waiting ones take their turns before it. Pure.
 * @param tasks those before it
 * @param secondsLeft of a task at work or waiting, once it has a slot
 */
export function queueSeconds(
  tasks: readonly TaskView[],
  slots: number,
  secondsLeft: (task: TaskView) => number
): number {
  const running = tasks.filter(({ status, paused }) => status === 'running' && !paused)
  const freeAt = running.filter(({ phase }) => WORKING.has(phase)).map(secondsLeft)
  while (freeAt.length < slots) freeAt.push(0)
  const soonest = (): number => freeAt.indexOf(Math.min(...freeAt))
  const inTurn = running
    .filter(({ phase }) => phase === 'queued')
    .sort((left, right) => (left.queue_position ?? 0) - (right.queue_position ?? 0))
  for (const task of inTurn) {
    const slot = soonest()
    freeAt[slot] = freeAt[slot]! + secondsLeft(task)
  }
  return Math.min(...freeAt)
}
