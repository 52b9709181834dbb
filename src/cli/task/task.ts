/** Follows a task to its end: a progress bar for people, JSON lines for programs. */
import { setTimeout as delay } from 'node:timers/promises'
import { cureOf, EXIT, Failure, type ExitCode } from '../failures/failure.ts'
import type { Context } from '../context.ts'
import { UnreachableError, type StreamOptions, type TaskEventMessage, type Client } from '../../api/client/client.ts'
import type { TaskView } from '../../views/task.ts'
import { count as formatCount } from '../../util/words.ts'
import { formatDuration, printable } from '../terminal/format.ts'
import { etaSeconds, RateMeter, type ProgressView } from '../terminal/progress.ts'
import { spellName, TypedNameError } from '../../util/typed-name.ts'
import type { Style } from '../terminal/output.ts'

interface TaskSource {
  task(taskId: string): Promise<TaskView>
  taskEvents(taskId: string, options?: StreamOptions): AsyncIterable<TaskEventMessage>
}

const RECONNECT_INTERVAL_MS = 1_000

/** What happens in each phase, for a first-time user. */
const PHASES: Readonly<Record<TaskView['phase'], string>> = {
  queued: 'waiting for a free slot',
  commit: 'committing: peers store a sealed hash of the name and our key',
  pulse: 'waiting for the beacon pulse that seeds the computation',
  evaluate: 'squaring: the time that the name costs',
  prove: 'proving: making the computation quick to check',
  reveal: 'revealing: signing the claim and publishing it',
  done: 'done'
}

/** The progress line of a task. Pure. */
export function progressOf(task: TaskView, measuredPerSecond: number | undefined): ProgressView {
  if (task.phase === 'prove')
    return { label: 'proving ', done: Math.floor(task.phase_progress * 1000), total: 1000, note: 'of the proof' }
  const perSecond = task.iterations_per_second ?? measuredPerSecond
  const view: ProgressView = {
    label: 'squaring',
    done: task.progress,
    total: task.iterations,
    perSecond,
    etaSeconds: task.eta_seconds ?? etaSeconds(task.progress, task.iterations, perSecond)
  }
  return task.paused ? { ...view, note: 'paused' } : view
}

function endOf(task: TaskView): 'completed' | 'failed' | undefined {
  return task.status === 'running' ? undefined : task.status
}

class Watcher {
  readonly #context: Context
  readonly #painter
  readonly #rate = new RateMeter()
  #phase: TaskView['phase'] | undefined
  #place: number | null = null
  #lost = false
  #stalled: string | undefined

  constructor(context: Context) {
    this.#context = context
    this.#painter = context.output.painter()
  }

  /** Shows one event; the last one of a task returns how it ended. */
  see(event: TaskEventMessage): 'completed' | 'failed' | undefined {
    const { output } = this.#context
    this.#lost = false
    if (output.json) output.jsonLine({ event: event.type, ...event.task })
    else this.#show(event.task)
    return endOf(event.task)
  }

  /** Says once that the events have stopped: a bar that does not move looks like a slow task. */
  lost(): void {
    if (this.#lost) return
    this.#lost = true
    this.#phase = undefined
    this.#painter.clear()
    this.#context.output.note(
      '• the daemon does not answer; trying again. Nothing is lost: the task resumes when the daemon restarts'
    )
  }

  #show(task: TaskView): void {
    const { phase, queue_position: place } = task
    if (phase !== this.#phase || (place !== null && place !== this.#place)) {
      this.#phase = phase
      this.#painter.clear()
      if (phase !== 'done') this.#context.output.note(`• ${PHASES[phase]}${place === null ? '' : `: place ${place}`}`)
    }
    this.#place = place
    const stalled = task.stalled?.message
    if (stalled !== this.#stalled) {
      this.#stalled = stalled
      this.#painter.clear()
      this.#context.output.note(stalled === undefined ? '• the task resumes' : `• waiting: ${printable(stalled)}`)
    }
    this.#rate.push(Date.now(), task.progress)
    if (stalled === undefined && this.#context.output.live && (task.phase === 'evaluate' || task.phase === 'prove'))
      this.#painter.show(progressOf(task, this.#rate.perSecond))
  }

  close(): void {
    this.#painter.clear()
  }
}

/**
 * Events until the task ends. The client reconnects broken streams; this also reopens one that a stopping daemon ended
 * in order.
 */
async function* events(
  source: TaskSource,
  taskId: string,
  signal: AbortSignal,
  whenLost: () => void
): AsyncGenerator<TaskEventMessage> {
  for (;;) {
    yield* source.taskEvents(taskId, { signal, onLost: whenLost })
    await delay(RECONNECT_INTERVAL_MS, undefined, { signal })
    const task = await source.task(taskId)
    if (task.status !== 'running') yield { id: 0, type: task.status, task }
  }
}

/** Undefined at Ctrl-C. */
async function follow(context: Context, source: TaskSource, taskId: string): Promise<TaskView | undefined> {
  const watcher = new Watcher(context)
  const { signal } = context
  try {
    for await (const event of events(source, taskId, signal, () => watcher.lost()))
      if (watcher.see(event) !== undefined) return event.task
    throw new Failure('CLI-NET-002', `the events of task ${taskId} ended without its end`, { exitCode: EXIT.fault })
  } catch (error) {
    if (error instanceof UnreachableError) {
      throw new Failure('CLI-NET-001', error.message, {
        exitCode: EXIT.unreachable,
        cure: `Start the daemon again, which resumes the task. Then: chronym status --watch ${taskId}.`,
        cause: error
      })
    }
    if (!signal.aborted) throw error
    return undefined
  } finally {
    watcher.close()
  }
}

/**
 * Waits for a task and says how it ended: exit code 0 when completed, a failure otherwise. Ctrl-C ends the waiting
 * alone: no error, and 130, so that no script takes it for the end of the task.
 */
export async function watchTask(context: Context, source: TaskSource, taskId: string): Promise<ExitCode> {
  context.output.hintAtJson()
  const task = await follow(context, source, taskId)
  if (task === undefined) {
    const id = printable(taskId)
    context.output.note(
      '• the task continues in the daemon\n' +
        `  watch it: chronym status --watch ${id}\n  cancel it: chronym cancel ${id}`
    )
    return EXIT.interrupted
  }
  if (task.status === 'failed') {
    const code = task.error?.code ?? 'CLI-TSK-001'
    const how = isCancelled(task) ? 'was cancelled' : `failed: ${task.error?.message ?? 'no reason given'}`
    throw new Failure(code, `${task.kind} of ${task.name} ${how}`, { exitCode: EXIT.negative, cure: cureOf(code) })
  }
  const took = (Date.parse(task.updated_at) - Date.parse(task.created_at)) / 1000
  if (!context.output.json) {
    context.output.line(
      `${printable(task.name)} is ${task.kind === 'register' ? 'registered' : 'renewed'}: ` +
        `${formatCount(task.iterations)} squarings, ${formatDuration(took)} in all.`
    )
  }
  return EXIT.ok
}

/** So much of a task's id tells it from the others. */
export const SHORT_ID = 8

/** The specification's `failed` holds both; a person wants to tell them apart. */
export function isCancelled({ status, error }: Pick<TaskView, 'status' | 'error'>): boolean {
  return status === 'failed' && error?.code === 'SVC-TSK-003'
}

/** How a task ended: "is completed", "was cancelled", "has failed". */
export function taskOutcome(task: Pick<TaskView, 'status' | 'error'>): string {
  if (task.status === 'completed') return 'is completed'
  return isCancelled(task) ? 'was cancelled' : 'has failed'
}

/** One word for a table, with its colour. */
export function taskWord(task: TaskView): { word: string; style: Style | undefined } {
  if (isCancelled(task)) return { word: 'cancelled', style: 'yellow' }
  if (task.status === 'failed') return { word: 'failed', style: 'red' }
  if (task.status === 'completed') return { word: 'completed', style: 'green' }
  if (task.paused) return { word: 'paused', style: 'cyan' }
  if (task.stalled !== null) return { word: `${task.phase}, waits (${task.stalled.code})`, style: 'cyan' }
  return {
    word: task.queue_position === null ? task.phase : `${task.phase} (${task.queue_position})`,
    style: undefined
  }
}

/** A whole id. */
const TASK_ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/u

/**
 * The id of the task meant by `text`: an id, its beginning as a table shows it, or a name in any spelling. For a
 * name it is the running task, else the newest.
 */
export async function taskIdOf(client: Pick<Client, 'tasks'>, text: string): Promise<string> {
  if (TASK_ID.test(text)) return text
  const tasks = await client.tasks()
  const [begun, other] = tasks.filter(({ task_id: id }) => id === text || id.slice(0, SHORT_ID) === text)
  if (begun !== undefined && other === undefined) return begun.task_id
  const wanted = spelt(text)
  const named = tasks.filter(({ name }) => name === wanted || name.slice(0, name.indexOf('.')) === wanted)
  const task = named.findLast(({ status }) => status === 'running') ?? named.at(-1)
  if (task !== undefined) return task.task_id
  // Ids hold no dot, names one at least. The daemon explains an unknown or ambiguous id.
  if (!text.includes('.')) return text
  throw new Failure('SVC-TSK-001', `There is no task for ${text}.`, {
    exitCode: EXIT.notFound,
    cure: 'List the tasks: chronym tasks.'
  })
}

function spelt(text: string): string {
  try {
    return spellName(text).name
  } catch (error) {
    if (!(error instanceof TypedNameError)) throw error
    return text
  }
}
