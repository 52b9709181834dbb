/**
 * One task as a pure state machine: `transition(state, input, nowMs)`. No I/O, no clock.
 * A task is in one of three conditions. It waits for a slot (phase `queued`). Or it works in the phase that {@link
 * nextPhase} reads from what it holds; a paused one keeps showing that phase. Or it has ended (phase `done`, or status
 * `failed`).
 * Inputs to an ended task change nothing, so a result that arrives after a cancel has no effect.
 */
import type { ErrorCode } from '../../error-table.ts'
import type { MovedTo } from '../../evaluations/places.ts'
import type { PlannedClaim } from '../tasks.ts'
import type { TaskKind, TaskPhase, TaskStatus } from '../../views/task.ts'

export interface TaskFailure {
  readonly code: ErrorCode
  readonly message: string
}

export interface TaskState {
  readonly id: string
  readonly name: string
  readonly kind: TaskKind
  /** Place in the queue; unlike `createdMs` it never goes back. */
  readonly order: number
  readonly status: TaskStatus
  readonly phase: TaskPhase
  readonly paused: boolean
  readonly movedTo: MovedTo
  readonly iterations: number
  /** The highest number of squarings shown since the daemon's start. */
  readonly progress: number
  readonly phaseProgress: number
  readonly createdMs: number
  readonly updatedMs: number
  readonly resumed: number
  /** What the commitment is made of; `committed` once the network has it. */
  readonly draft: Uint8Array | null
  readonly committed: boolean
  readonly plan: PlannedClaim | null
  readonly proof: Uint8Array | null
  /** The signed reveal, saved here before it is sent. */
  readonly reveal: Uint8Array | null
  readonly error: TaskFailure | null
}

export type TaskInput =
  /** A slot is free, or the phase needs none. */
  | { readonly type: 'started' }
  /** The work ended without a result, or a pause ended: back to the queue. */
  | { readonly type: 'interrupted' }
  /** The daemon started and found the task in its journal. */
  | { readonly type: 'restarted' }
  | { readonly type: 'drafted'; readonly draft: Uint8Array }
  | { readonly type: 'committed'; readonly draft: Uint8Array }
  | { readonly type: 'planned'; readonly plan: PlannedClaim }
  | {
      readonly type: 'advanced'
      readonly phase: 'evaluate' | 'prove'
      readonly squarings: number
      readonly phaseProgress: number
    }
  | { readonly type: 'proved'; readonly proof: Uint8Array }
  | { readonly type: 'signed'; readonly reveal: Uint8Array }
  | { readonly type: 'published' }
  | { readonly type: 'failed'; readonly error: TaskFailure }
  | { readonly type: 'cancelled' }
  | { readonly type: 'paused' }
  | { readonly type: 'unpaused' }
  | { readonly type: 'moved'; readonly to: 'local' | 'farm' }

export const CANCELLED: TaskFailure = {
  code: 'SVC-TSK-003',
  message: 'The task was cancelled; nothing was published after that.'
}

/** Peers may hold the claim that it sent. */
const CANCELLED_LATE: TaskFailure = {
  code: CANCELLED.code,
  message:
    'The task was cancelled after its Reveal was signed, so peers may hold the name: it is listed as released. ' +
    '`chronym release --undo NAME` keeps it.'
}

/** An input that the present phase cannot meet: a mistake of the program, never of a user. */
export class ImpossibleTransition extends Error {
  override readonly name = 'ImpossibleTransition'
}

interface NewTask {
  readonly id: string
  readonly name: string
  readonly kind: TaskKind
  readonly order: number
  readonly iterations: number
}

/** What an earlier task for the same claim left: a proof that only waits to be published. */
interface FinishedProof {
  readonly draft: Uint8Array
  readonly plan: PlannedClaim
  readonly proof: Uint8Array
}

export function newTask(task: NewTask, nowMs: number): TaskState {
  return {
    ...task,
    status: 'running',
    phase: 'queued',
    paused: false,
    movedTo: null,
    progress: 0,
    phaseProgress: 0,
    createdMs: nowMs,
    updatedMs: nowMs,
    resumed: 0,
    draft: null,
    committed: false,
    plan: null,
    proof: null,
    reveal: null,
    error: null
  }
}

export function newTaskWithProof(task: NewTask, finished: FinishedProof, nowMs: number): TaskState {
  const { draft, plan, proof } = finished
  return {
    ...newTask(task, nowMs),
    iterations: plan.evaluation.iterations,
    progress: plan.evaluation.iterations,
    draft,
    committed: true,
    plan,
    proof
  }
}

export function hasEnded(state: TaskState): boolean {
  return state.status !== 'running'
}

/** The phase in which work on this task resumes, read from what it holds. */
export function nextPhase(state: TaskState): 'commit' | 'pulse' | 'evaluate' | 'reveal' {
  if (state.proof !== null) return 'reveal'
  if (state.plan !== null) return 'evaluate'
  return state.committed ? 'pulse' : 'commit'
}

export function isQueued(state: TaskState): boolean {
  return !hasEnded(state) && !state.paused && state.phase === 'queued' && needsSlot(state)
}

/** Whether its work takes one of the `vdf.max_tasks` slots: publishing a finished proof takes none. */
export function needsSlot(state: TaskState): boolean {
  return state.proof === null
}

/** The state after `input`; the same object when nothing changed. */
export function transition(state: TaskState, input: TaskInput, nowMs: number): TaskState {
  if (hasEnded(state)) return state
  const next = step(state, input)
  return next === state ? state : { ...next, updatedMs: Math.max(nowMs, state.updatedMs) }
}

function step(state: TaskState, input: TaskInput): TaskState {
  switch (input.type) {
    case 'started':
      if (state.paused) throw impossible(state, input)
      return state.phase === 'queued' ? { ...state, phase: nextPhase(state), phaseProgress: 0 } : state
    case 'interrupted':
      return state.phase === 'queued' || state.paused ? state : { ...state, phase: 'queued', phaseProgress: 0 }
    case 'restarted':
      return {
        ...state,
        phase: state.paused ? state.phase : 'queued',
        phaseProgress: state.paused ? state.phaseProgress : 0,
        resumed: state.resumed + (state.draft === null ? 0 : 1)
      }
    case 'drafted':
      expect(state, input, ['commit'])
      return { ...state, draft: input.draft }
    case 'committed':
      expect(state, input, ['commit'])
      return { ...state, draft: input.draft, committed: true, phase: 'pulse' }
    case 'planned':
      expect(state, input, ['pulse'])
      return { ...state, plan: input.plan, iterations: input.plan.evaluation.iterations, phase: 'evaluate' }
    case 'advanced':
      expect(state, input, ['evaluate', 'prove'])
      return advance(state, input.phase, input.squarings, input.phaseProgress)
    case 'proved':
      expect(state, input, ['evaluate', 'prove'])
      return { ...state, proof: input.proof, progress: state.iterations, phase: 'reveal', phaseProgress: 0 }
    case 'signed':
      expect(state, input, ['reveal'])
      return { ...state, reveal: input.reveal }
    case 'published':
      expect(state, input, ['reveal'])
      return { ...state, status: 'completed', phase: 'done', phaseProgress: 1, paused: false }
    case 'failed':
      return { ...state, status: 'failed', paused: false, error: input.error }
    case 'cancelled':
      return {
        ...state,
        status: 'failed',
        paused: false,
        error: state.kind === 'register' && state.reveal !== null ? CANCELLED_LATE : CANCELLED
      }
    case 'paused':
      return state.paused ? state : { ...state, paused: true }
    case 'unpaused':
      return state.paused ? { ...state, paused: false } : state
    case 'moved':
      return state.movedTo === input.to ? state : { ...state, movedTo: input.to }
  }
}

/** Progress never decreases while the daemon runs: squarings that are repeated are not shown again. */
function advance(state: TaskState, phase: 'evaluate' | 'prove', squarings: number, share: number): TaskState {
  const progress = Math.max(state.progress, Math.min(squarings, state.iterations))
  // While squaring, the share follows the squarings shown: it must not decrease while those are unchanged.
  const phaseProgress =
    phase === 'evaluate'
      ? progress / state.iterations
      : phase === state.phase
        ? Math.max(state.phaseProgress, share)
        : share
  if (phase === state.phase && progress === state.progress && phaseProgress === state.phaseProgress) return state
  return { ...state, phase, progress, phaseProgress }
}

function expect(state: TaskState, input: TaskInput, phases: readonly TaskPhase[]): void {
  if (!phases.includes(state.phase)) throw impossible(state, input)
}

function impossible(state: TaskState, input: TaskInput): ImpossibleTransition {
  return new ImpossibleTransition(
    `task ${state.id}: '${input.type}' in phase '${state.phase}'${state.paused ? ' while paused' : ''}`
  )
}
