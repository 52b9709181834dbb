import { SeedHolder } from '../../../src/registry/seed-holder.ts'
import type { ClaimSteps } from '../../../src/registry/claims/run.ts'
import { settle } from '../../time/manual-clock.ts'
import type {
  Checkpoint,
  Evaluation,
  EvaluationHandle,
  EvaluationOutcome,
  EvaluationProgress,
  EvaluationTerms,
  NativePool
} from '../../../src/native/types.ts'
import { asideOf } from '../../../src/store/keys.ts'
import { StoreError, type Store, type StoreOperation } from '../../../src/store/types.ts'
import type { PlannedClaim, TaskRef, TaskManager } from '../../../src/registry/tasks.ts'
import type { TaskView } from '../../../src/views/task.ts'

/** A store in memory; `onWrite` sees every write before it happens, `onWritten` after it; both may throw. */
export class MemoryStore implements Store {
  readonly #values = new Map<string, Uint8Array>()
  onWrite: (operations: readonly StoreOperation[]) => void = () => undefined
  onWritten: () => void = () => undefined

  get(key: string): Uint8Array | undefined {
    return this.#values.get(key)
  }
  *list(prefix: string, after = ''): IterableIterator<[string, Uint8Array]> {
    for (const key of [...this.#values.keys()]
      .filter((candidate) => candidate.startsWith(prefix) && (after === '' || candidate > after))
      .sort())
      yield [key, this.#values.get(key)!]
  }
  *keys(prefix: string): IterableIterator<string> {
    for (const [key] of this.list(prefix)) yield key
  }
  bytes(): number {
    return [...this.list('')].reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  }
  count(prefix: string): number {
    return [...this.list(prefix)].length
  }
  put(key: string, value: Uint8Array): void {
    this.batch([{ put: key, value }])
  }
  delete(key: string): void {
    this.batch([{ delete: key }])
  }
  batch(operations: readonly StoreOperation[]): void {
    this.onWrite(operations)
    for (const operation of operations) {
      if ('put' in operation) this.#values.set(operation.put, operation.value)
      else this.#values.delete(operation.delete)
    }
    this.onWritten()
  }
  batchLater(operations: readonly StoreOperation[]): void {
    this.batch(operations)
  }
  settle(): void {}
  /** What was set aside, in order. */
  readonly unreadable: string[] = []
  setAside(key: string): void {
    this.unreadable.push(key)
    const value = this.get(key)
    if (value !== undefined) this.batch([{ put: asideOf(key), value }, { delete: key }])
  }
  close(): void {}
}

/** What proving takes, in squarings for each squaring. */
const PROVING_SHARE = 0.1

/** An evaluation whose course the test decides. */
export class FakeEvaluation implements EvaluationHandle {
  readonly request: Evaluation & EvaluationTerms
  readonly #onCheckpoint: (checkpoint: Checkpoint) => void
  readonly #settle: (outcome: EvaluationOutcome) => void
  readonly outcome: Promise<EvaluationOutcome>
  current: EvaluationProgress
  stops = 0
  #ended = false

  constructor(request: Evaluation & EvaluationTerms, onCheckpoint: (checkpoint: Checkpoint) => void) {
    this.request = request
    this.#onCheckpoint = onCheckpoint
    const squarings = request.resume === undefined ? 0 : Number(Buffer.from(request.resume.state).toString())
    this.current = { ...this.#squared(squarings), squaringsPerSecond: 0 }
    const { promise, resolve } = Promise.withResolvers<EvaluationOutcome>()
    this.outcome = promise
    this.#settle = resolve
  }
  #squared(squarings: number): Omit<EvaluationProgress, 'squaringsPerSecond'> {
    const { iterations } = this.request
    return {
      phase: 'squaring',
      squarings,
      phaseProgress: squarings / iterations,
      remaining: iterations - squarings + PROVING_SHARE * iterations
    }
  }
  progress(): EvaluationProgress {
    return this.current
  }
  reach(squarings: number): void {
    this.current = { ...this.#squared(squarings), squaringsPerSecond: 100 }
  }
  prove(phaseProgress: number): void {
    const { iterations } = this.request
    this.current = {
      ...this.current,
      phase: 'proving',
      squarings: iterations,
      phaseProgress,
      remaining: PROVING_SHARE * iterations * (1 - phaseProgress)
    }
  }
  /** State: the squarings as text. Intermediates: one record of 128 bytes for each ten squarings. */
  checkpoint(reached?: number): void {
    if (reached !== undefined) this.reach(reached)
    const { squarings } = this.current
    const before = Math.floor(Number(Buffer.from(this.request.resume?.state ?? '0').toString()) / 10) + this.#appended
    const appended = Buffer.alloc(128 * Math.max(0, Math.floor(squarings / 10) - before), 7)
    this.#appended += appended.length / 128
    this.#onCheckpoint({ state: Buffer.from(String(squarings)), appended, appendedFrom: before, squarings })
  }
  #appended = 0
  /** A checkpoint with a state of the test's own and no further intermediates. */
  save(state: Uint8Array): void {
    this.#onCheckpoint({ state, appended: new Uint8Array(0), appendedFrom: 0, squarings: this.current.squarings })
  }
  finish(
    outcome: EvaluationOutcome = {
      kind: 'proof',
      proof: Buffer.from(`proof of ${Buffer.from(this.request.seed).toString('hex')}`)
    }
  ): void {
    if (this.#ended) return
    this.#ended = true
    this.#settle(outcome)
  }
  stop(): void {
    this.stops++
    if (this.#ended) return
    this.checkpoint()
    this.finish({ kind: 'stopped' })
  }
}

export class FakePool implements Pick<NativePool, 'evaluate'> {
  readonly evaluations: FakeEvaluation[] = []
  /** Called with each new evaluation; finish it here for a pool that is done at once. */
  onEvaluate: (evaluation: FakeEvaluation) => void = () => undefined

  evaluate(asked: Evaluation, terms: EvaluationTerms, onCheckpoint: (checkpoint: Checkpoint) => void): FakeEvaluation {
    const evaluation = new FakeEvaluation({ ...asked, ...terms }, onCheckpoint)
    this.evaluations.push(evaluation)
    this.onEvaluate(evaluation)
    return evaluation
  }
}

export const ITERATIONS = 1000

/** Steps that write down every effect on the outside world in `sent`. */
export class FakeSteps implements ClaimSteps {
  readonly sent: string[] = []
  /** Tasks whose reveal the network would send again by itself. */
  readonly standing = new Set<string>()
  #drafts = 0
  /** Throws to make a step fail; called with its name as each begins. */
  before: (step: string, task: TaskRef, signal: AbortSignal) => void | Promise<void> = () => undefined
  proofUsable = true

  /** Makes one step fail from now on. */
  fail(failing: string, error: Error): void {
    this.before = (step) => {
      if (step === failing) throw error
    }
  }
  /** Holds one step back: says when it was entered, and lets it go. */
  holdBack(held: string): { entered: Promise<undefined>; release: () => void } {
    const entered = Promise.withResolvers<undefined>()
    const gate = Promise.withResolvers<undefined>()
    this.before = async (step) => {
      if (step !== held) return
      entered.resolve(undefined)
      await gate.promise
    }
    return { entered: entered.promise, release: () => gate.resolve(undefined) }
  }

  /** Of renewals, by name. */
  readonly deadlines = new Map<string, readonly number[]>()

  iterations(): number {
    return ITERATIONS
  }
  deadlinesMs(name: string): readonly number[] {
    return this.deadlines.get(name) ?? []
  }
  async commit(
    task: TaskRef,
    draft: Uint8Array | undefined,
    saveDraft: (draft: Uint8Array) => void,
    signal: AbortSignal
  ): Promise<Uint8Array> {
    await this.before('commit', task, signal)
    const made = draft ?? Buffer.from(`draft ${String(++this.#drafts)} of ${task.taskId}`)
    if (draft === undefined) saveDraft(made)
    signal.throwIfAborted()
    this.sent.push(`commit ${text(made)}`)
    await this.before('committed', task, signal)
    return made
  }
  async plan(task: TaskRef, draft: Uint8Array, signal: AbortSignal): Promise<PlannedClaim> {
    await this.before('plan', task, signal)
    return {
      evaluation: { seed: Buffer.alloc(32, draft[6]), discriminantBits: 256, iterations: ITERATIONS, split: null },
      deadlineMs: task.kind === 'renew' ? null : Date.UTC(2026, 0, 15),
      context: draft
    }
  }
  async remind(task: TaskRef, draft: Uint8Array, signal: AbortSignal): Promise<void> {
    await this.before('remind', task, signal)
    this.sent.push(`remind ${text(draft)}`)
  }
  /** Takes out of `standing` what would be sent again. */
  withdraw({ taskId }: TaskRef): void {
    this.standing.delete(taskId)
  }
  usable(): boolean {
    return this.proofUsable
  }
  requireUse(): Promise<void> {
    return Promise.resolve()
  }
  async reveal(
    task: TaskRef,
    plan: PlannedClaim,
    proof: Uint8Array,
    saved: Uint8Array | undefined,
    saveReveal: (reveal: Uint8Array) => void,
    signal: AbortSignal
  ): Promise<void> {
    await this.before('reveal', task, signal)
    const reveal = saved ?? Buffer.from(`reveal of ${text(plan.context)} with ${text(proof)}`)
    if (saved === undefined) saveReveal(reveal)
    signal.throwIfAborted()
    this.standing.add(task.taskId)
    this.sent.push(text(reveal))
    await this.before('revealed', task, signal)
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString()
}

/** Writes to a disk without room. */
export function full(): never {
  throw new StoreError('full', 'no space')
}

/** A seed that is at hand. */
export const UNLOCKED = new SeedHolder(new Uint8Array(32).fill(1))

export const silentLog = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  debug: () => undefined
}

/** Resolves with the first view of the task that `matches`; the event stream is what wakes it. */
export async function taskWhere(
  manager: TaskManager,
  taskId: string,
  matches: (view: TaskView) => boolean
): Promise<TaskView> {
  const { promise, resolve } = Promise.withResolvers<TaskView>()
  const unsubscribe = manager.subscribe(({ task }) => {
    if (task.task_id === taskId && matches(task)) resolve(task)
  })
  const now = manager.get(taskId)
  if (now !== undefined && matches(now)) resolve(now)
  try {
    return await promise
  } finally {
    unsubscribe()
  }
}

/** Resolves once `condition` holds, asking after each turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await settle()
}
