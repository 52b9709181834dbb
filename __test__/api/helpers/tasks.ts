/** Tasks in memory, moved by the test instead of a VDF. */
import { ServiceError } from '../../../src/errors.ts'
import type { TaskEvent, TaskManager } from '../../../src/registry/tasks.ts'
import type { TaskKind, TaskPlace, TaskView } from '../../../src/views/task.ts'
import { taskView } from '../../views/task.ts'

interface Entry {
  view: TaskView
  events: TaskEvent[]
}

const TIME = '2026-11-21T12:00:00.000Z'

export class MemoryTasks implements TaskManager {
  readonly #entries = new Map<string, Entry>()
  readonly #listeners = new Set<(event: TaskEvent) => void>()
  /** Readers of event streams that are open. */
  openStreams = 0
  failure: Error | undefined

  async start(): Promise<void> {}
  async stop(): Promise<void> {}

  create({ name, kind }: { name: string; kind: TaskKind }): TaskView {
    const standing = this.list().find((task) => task.name === name && task.status === 'running')
    if (standing !== undefined)
      throw new ServiceError('SVC-REG-002', `A task for ${name} is running.`, {
        extensions: { task_id: standing.task_id }
      })
    const view = taskView({
      task_id: `task-${this.#entries.size + 1}`,
      name,
      kind,
      phase: 'queued',
      queue_position: 1,
      iterations: 1_000_000,
      created_at: TIME,
      updated_at: TIME
    })
    this.#entries.set(view.task_id, { view, events: [] })
    return view
  }

  /** Changes a task and reports it. */
  change(taskId: string, type: TaskEvent['type'], change: Partial<TaskView>): void {
    const entry = this.#entries.get(taskId)!
    entry.view = { ...entry.view, ...change }
    const event = { id: entry.events.length + 1, type, task: entry.view }
    entry.events.push(event)
    for (const listener of this.#listeners) listener(event)
  }

  finishedProof(): undefined {}

  get(taskId: string): TaskView | undefined {
    if (this.failure !== undefined) throw this.failure
    return this.#entries.get(taskId)?.view
  }

  list(): TaskView[] {
    if (this.failure !== undefined) throw this.failure
    return [...this.#entries.values()].map(({ view }) => view)
  }

  async remove(taskId: string, { onlyRunning = false }: { onlyRunning?: boolean } = {}): Promise<boolean> {
    if (this.failure !== undefined) throw this.failure
    const entry = this.#entries.get(taskId)
    if (entry === undefined) return false
    if (entry.view.status !== 'running' && onlyRunning)
      throw new ServiceError('SVC-TSK-004', `The task has ended (${taskId}).`)
    if (entry.view.status !== 'running') return this.#entries.delete(taskId)
    this.change(taskId, 'failed', { status: 'failed', error: { code: 'SVC-TSK-003', message: 'Cancelled' } })
    return true
  }

  pause(taskId: string): TaskView | undefined {
    return this.#set(taskId, { paused: true })
  }

  resume(taskId: string): TaskView | undefined {
    return this.#set(taskId, { paused: false })
  }

  move(taskId: string, place: TaskPlace): TaskView | undefined {
    return this.#set(taskId, { moved_to: place })
  }

  #set(taskId: string, change: Partial<TaskView>): TaskView | undefined {
    if (this.failure !== undefined) throw this.failure
    const entry = this.#entries.get(taskId)
    if (entry !== undefined && entry.view.status !== 'running')
      throw new ServiceError('SVC-TSK-004', `The task has ended (${taskId}).`)
    if (entry !== undefined) entry.view = { ...entry.view, ...change }
    return entry?.view
  }

  events(taskId: string, lastEventId: number | undefined, signal: AbortSignal): AsyncIterable<TaskEvent> | undefined {
    const entry = this.#entries.get(taskId)
    return entry === undefined ? undefined : this.#stream(entry, lastEventId ?? 0, signal)
  }

  async *#stream(entry: Entry, lastEventId: number, signal: AbortSignal): AsyncGenerator<TaskEvent, void> {
    let seen = lastEventId
    this.openStreams++
    try {
      while (!signal.aborted) {
        const event = entry.events.find(({ id }) => id > seen)
        if (event !== undefined) {
          seen = event.id
          yield event
        } else if (entry.view.status !== 'running') return
        else await this.#news(signal)
      }
    } finally {
      this.openStreams--
    }
  }

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const unsubscribe = this.subscribe(() => done())
      const done = () => {
        unsubscribe()
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done)
    })
  }

  unreadable(): number {
    return 0
  }

  subscribe(listener: (event: TaskEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
