/** Which tasks work, which wait, and which is next. Reads the tasks as they are at each call. */
import type { Task } from './task.ts'
import { hasEnded, isQueued, needsSlot } from './state/state.ts'

export function freeSlots(tasks: Iterable<Task>, maxTasks: number): number {
  return maxTasks - [...tasks].filter(isAtWork).length
}

/** Includes paused ones. */
export function countWaitingRegistrations(tasks: Iterable<Task>): number {
  return [...tasks].filter(
    ({ state, run }) => state.kind === 'register' && !hasEnded(state) && run === undefined && needsSlot(state)
  ).length
}

/** Place of a task among those that wait for a slot, from 1; null when it does not wait. */
export function queuePosition(task: Task, tasks: Iterable<Task>, nowMs: number): number | null {
  if (!isQueued(task.state)) return null
  return 1 + [...tasks].filter((other) => isQueued(other.state) && compareTurns(other, task, nowMs) < 0).length
}

/** Those that wait for a slot, each with its place from 1: {@link queuePosition} of all in one pass. */
export function queuePlaces(tasks: Iterable<Task>, nowMs: number): [Task, number][] {
  const waiting = [...tasks]
    .filter(({ state }) => isQueued(state))
    .sort((left, right) => compareTurns(left, right, nowMs))
  return waiting.map((task, index) => [task, index + 1])
}

export interface Turns {
  readonly begin: (task: Task) => void
  /** Whether it is blocked for now: it takes no slot, and gives up the one it has. */
  readonly isHeldUp?: (task: Task) => boolean
  readonly giveUp: (task: Task) => void
}

/**
 * Gives slots to the nearest deadlines, oldest first; publishing a finished proof needs none. A working task gives up
 * its slot only to one with an earlier deadline, which begins at the next call.
 */
export function takeTurns(
  tasks: Iterable<Task>,
  maxTasks: number,
  nowMs: number,
  { begin, giveUp, isHeldUp = () => false }: Turns
): void {
  const all = [...tasks]
  const ready = all.filter(({ state }) => !state.paused && !hasEnded(state))
  for (const task of ready) if (task.run === undefined && !needsSlot(task.state)) begin(task)
  const inTurn = ready
    .filter((task) => needsSlot(task.state) && !isHeldUp(task))
    .sort(
      (left, right) =>
        compareDeadlines(left, right, nowMs) ||
        Number(isAtWork(right)) - Number(isAtWork(left)) ||
        compareTurns(left, right, nowMs)
    )
  all.filter((task) => isAtWork(task) && isHeldUp(task)).forEach(giveUp)
  const next = inTurn.slice(0, maxTasks).filter((task) => !isAtWork(task))
  for (const task of next) if (freeSlots(all, maxTasks) > 0) begin(task)
  if (next.length > 0 && freeSlots(all, maxTasks) <= 0) inTurn.slice(maxTasks).filter(isAtWork).forEach(giveUp)
}

function isAtWork({ run, state }: Task): boolean {
  return run !== undefined && needsSlot(state)
}

function compareTurns(left: Task, right: Task, nowMs: number): number {
  return compareDeadlines(left, right, nowMs) || left.state.order - right.state.order
}

function compareDeadlines(left: Task, right: Task, nowMs: number): number {
  const [one, other] = [deadlineMs(left, nowMs), deadlineMs(right, nowMs)]
  return one === other ? 0 : one - other
}

function deadlineMs({ state, deadlinesMs }: Task, nowMs: number): number {
  const witnessedMs = state.plan?.deadlineMs ?? null
  return nextDeadlineMs(witnessedMs === null ? deadlinesMs : [witnessedMs], nowMs)
}

/** The first that has not passed; Infinity when waiting loses nothing. */
export function nextDeadlineMs(deadlinesMs: readonly number[], nowMs: number): number {
  let next = Infinity
  for (const deadlineMs of deadlinesMs) if (deadlineMs > nowMs) next = Math.min(next, deadlineMs)
  return next
}
