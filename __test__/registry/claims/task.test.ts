import { encode } from 'cborg'
import { describe, expect, it } from 'vitest'
import { decodeEntry } from '../../../src/registry/claims/journal.ts'
import {
  hasEnded,
  ImpossibleTransition,
  needsSlot,
  newTask,
  newTaskWithProof,
  nextPhase,
  transition,
  type TaskInput,
  type TaskState
} from '../../../src/registry/claims/task.ts'
import type { PlannedClaim } from '../../../src/registry/tasks.ts'
import type { TaskPhase } from '../../../src/views/task.ts'

const bytes = Uint8Array.of(1)
const plan: PlannedClaim = {
  evaluation: { seed: bytes, discriminantBits: 256, iterations: 100, split: null },
  deadlineMs: null,
  context: bytes
}

const INPUTS: Record<string, TaskInput> = {
  started: { type: 'started' },
  interrupted: { type: 'interrupted' },
  restarted: { type: 'restarted' },
  drafted: { type: 'drafted', draft: bytes },
  committed: { type: 'committed', draft: bytes },
  planned: { type: 'planned', plan },
  evaluating: { type: 'advanced', phase: 'evaluate', squarings: 40, phaseProgress: 0.4 },
  proving: { type: 'advanced', phase: 'prove', squarings: 100, phaseProgress: 0.1 },
  proved: { type: 'proved', proof: bytes },
  signed: { type: 'signed', reveal: bytes },
  published: { type: 'published' },
  failed: { type: 'failed', error: { code: 'SVC-PUB-001', message: 'refused' } },
  cancelled: { type: 'cancelled' },
  paused: { type: 'paused' },
  unpaused: { type: 'unpaused' },
  moved: { type: 'moved', to: 'farm' }
}

const fresh = newTask({ id: 'id', name: 'alice.chronym', kind: 'register', order: 1, iterations: 100 }, 0)

/** The state after these inputs. */
function after(...inputs: string[]): TaskState {
  return inputs.reduce((state, input, index) => transition(state, INPUTS[input]!, index), fresh)
}

const PATH = ['started', 'committed', 'planned', 'proving', 'proved', 'published']
const STATES: Record<string, TaskState> = {
  queued: fresh,
  commit: after(...PATH.slice(0, 1)),
  pulse: after(...PATH.slice(0, 2)),
  evaluate: after(...PATH.slice(0, 3)),
  prove: after(...PATH.slice(0, 4)),
  reveal: after(...PATH.slice(0, 5)),
  done: after(...PATH),
  failed: after('started', 'failed')
}

const PHASES = ['queued', 'commit', 'pulse', 'evaluate', 'prove', 'reveal'] as const

/** The phase after an input in each of these; `!` where it is impossible; `=` where nothing changes. */
const TABLE: Record<string, readonly (TaskPhase | '!' | '=')[]> = {
  started: ['commit', '=', '=', '=', '=', '='],
  interrupted: ['=', 'queued', 'queued', 'queued', 'queued', 'queued'],
  restarted: ['queued', 'queued', 'queued', 'queued', 'queued', 'queued'],
  drafted: ['!', 'commit', '!', '!', '!', '!'],
  committed: ['!', 'pulse', '!', '!', '!', '!'],
  planned: ['!', '!', 'evaluate', '!', '!', '!'],
  evaluating: ['!', '!', '!', 'evaluate', 'evaluate', '!'],
  proving: ['!', '!', '!', 'prove', '=', '!'],
  proved: ['!', '!', '!', 'reveal', 'reveal', '!'],
  signed: ['!', '!', '!', '!', '!', 'reveal'],
  published: ['!', '!', '!', '!', '!', 'done'],
  failed: PHASES,
  cancelled: PHASES,
  paused: PHASES,
  unpaused: ['=', '=', '=', '=', '=', '='],
  moved: PHASES
}

describe('the state machine', () => {
  const rows = Object.entries(TABLE).flatMap(([input, columns]) =>
    columns.map((expected, index) => [input, PHASES[index]!, expected] as const)
  )

  it.each(rows)('%s in phase %s: %s', (input, phase, expected) => {
    const state = STATES[phase]!
    const apply = (): TaskState => transition(state, INPUTS[input]!, 99)
    if (expected === '!') expect(apply).toThrow(ImpossibleTransition)
    else if (expected === '=') expect(apply()).toBe(state)
    else expect(apply()).toMatchObject({ phase: expected, updatedMs: 99 })
  })

  it.each(Object.keys(INPUTS))('lets %s change nothing once a task has ended', (input) => {
    expect(transition(STATES['done']!, INPUTS[input]!, 99)).toBe(STATES['done'])
    expect(transition(STATES['failed']!, INPUTS[input]!, 99)).toBe(STATES['failed'])
  })

  it('goes on, after an interruption, in the phase that what it holds calls for', () => {
    for (const phase of ['commit', 'pulse', 'evaluate', 'reveal'] as const) {
      const interrupted = transition(STATES[phase]!, { type: 'interrupted' }, 99)
      expect(nextPhase(interrupted)).toBe(phase)
      expect(transition(interrupted, { type: 'started' }, 100).phase).toBe(phase)
    }
    expect(nextPhase(STATES['prove']!)).toBe('evaluate')
  })

  it('counts a restart as resumed only when work had begun', () => {
    expect(after('restarted').resumed).toBe(0)
    expect(after('started', 'drafted', 'restarted', 'started', 'restarted').resumed).toBe(2)
  })

  it('keeps a paused task in its phase, through interruption and restart, and never starts it', () => {
    const paused = after('started', 'committed', 'planned', 'paused', 'interrupted', 'restarted')
    expect(paused).toMatchObject({ phase: 'evaluate', paused: true })
    expect(() => transition(paused, { type: 'started' }, 99)).toThrow(ImpossibleTransition)
    expect(transition(transition(paused, { type: 'unpaused' }, 99), { type: 'interrupted' }, 99).phase).toBe('queued')
  })

  it('takes a proof that is finished while it is being paused', () => {
    expect(after('started', 'committed', 'planned', 'paused', 'proved')).toMatchObject({
      phase: 'reveal',
      paused: true,
      proof: bytes
    })
  })

  it('never lets progress decrease or pass the end', () => {
    const at = (squarings: number, state: TaskState): TaskState =>
      transition(state, { type: 'advanced', phase: 'evaluate', squarings, phaseProgress: squarings / 100 }, 1)
    const forty = at(40, STATES['evaluate']!)
    expect(at(30, forty)).toBe(forty)
    expect(at(500, forty).progress).toBe(100)
    expect(at(30, transition(transition(forty, { type: 'restarted' }, 2), { type: 'started' }, 3))).toMatchObject({
      progress: 40,
      phaseProgress: 0.4
    })
  })

  it('never lets the time of the last change go back with the clock', () => {
    const state = transition(fresh, { type: 'started' }, 1000)
    expect(transition(state, { type: 'committed', draft: bytes }, 10).updatedMs).toBe(1000)
  })

  it('is read as not moved from a journal of before that was possible', () => {
    const former = Object.fromEntries(Object.entries(fresh).filter(([member]) => member !== 'movedTo'))
    expect(decodeEntry(encode({ state: former, lastEventId: 1 }), 'id').state).toEqual(fresh)
  })

  it('needs a slot until the proof is finished', () => {
    expect(
      Object.entries(STATES)
        .filter(([, state]) => !hasEnded(state) && needsSlot(state))
        .map(([phase]) => phase)
    ).toEqual(['queued', 'commit', 'pulse', 'evaluate', 'prove'])
  })

  it('begins at the reveal with a proof that was finished earlier', () => {
    const state = newTaskWithProof(
      { id: 'id', name: 'a', kind: 'register', order: 1, iterations: 5 },
      { draft: bytes, plan, proof: bytes },
      0
    )
    expect(transition(state, { type: 'started' }, 1)).toMatchObject({ phase: 'reveal', progress: 100, iterations: 100 })
  })
})
