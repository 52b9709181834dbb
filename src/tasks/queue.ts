/** Who is at work, who waits, and who is next. Reads the tasks as they are at each call. */
import type { Task } from './ledger.ts'
import { hasEnded, needsSlot } from './state.ts'

/** Slots that nobody has. */
export function freeSlots(tasks: Iterable<Task>, maxTasks: number): number {
  const taken = [...tasks].filter((task) => task.run !== undefined && needsSlot(task.state)).length
  return maxTasks - taken
}

/** How many wait for a slot, the paused among them. */
export function countWaiting(tasks: Iterable<Task>): number {
  return [...tasks].filter((task) => !hasEnded(task.state) && task.run === undefined && needsSlot(task.state)).length
}

/** Calls `begin` for each task that may start, oldest first, while there are slots; publishing a finished proof needs none. */
export function startNext(ordered: readonly Task[], maxTasks: number, begin: (task: Task) => void): void {
  for (const task of ordered) {
    if (task.run !== undefined || task.state.paused || hasEnded(task.state)) continue
    if (!needsSlot(task.state) || freeSlots(ordered, maxTasks) > 0) begin(task)
  }
}
