/**
 * A daemon for many names: one slot, a queue, names of others. Each look at its tasks ends the one that works, but for
 * the first look of each command.
 */
import { Hono, type Context } from 'hono'
import { ERROR_TABLE, type ErrorCode } from '../../../src/error-table.ts'
import type { Estimate, TaskView } from '../../../src/views/task.ts'
import { estimateView } from '../../views/task.ts'
import { TASK } from '../fake-daemon.ts'

export const MACHINE = {
  config: { vdf: { max_tasks: 1, threads: 1, queue: 100 } }
}

/** Half an hour at 400,000 a second, with five minutes of proving and one of waiting for the pulse. */
const ESTIMATE = estimateView({ iterations_per_second: 400_000, seconds: 1860, proving_seconds: 300 })

export class RegistrarDaemon {
  machine = MACHINE
  estimate: Partial<Estimate> = {}
  owned = new Set<string>()
  /** A key of the seed has them, which the daemon forgot. */
  forgotten = new Set<string>()
  taken = new Set<string>()
  /** Their tasks fail. */
  unlucky = new Set<string>()
  tasks: TaskView[] = []
  /** What the next requests for a registration get. */
  refusals: [ErrorCode, string][] = []
  /** Somebody else has this one begun before the next request. */
  begunMeanwhile: string | undefined
  /** This many requests find no daemon. */
  absent = 0
  readonly asked: string[] = []
  readonly app = new Hono()
  #isFirstLook = false

  constructor() {
    this.app.use(async (c, next) => {
      this.asked.push(`${c.req.method} ${c.req.path}`)
      if (this.absent === 0) return next()
      this.absent--
      return c.text('a proxy without its server', 502)
    })
    this.app.get('/api/dns', (c) => c.json({ zone: 'chronym.' }))
    this.app.get('/api/config', (c) => {
      this.#isFirstLook = true
      return c.json(this.machine.config)
    })
    this.app.post('/api/vdf/estimate', async (c) => this.#estimated(c, (await c.req.json<{ name: string }>()).name))
    this.app.post('/api/vdf/register', async (c) => this.#registered(c, (await c.req.json<{ name: string }>()).name))
    this.app.get('/api/vdf/tasks', (c) => {
      const shown = structuredClone(this.tasks)
      if (!this.#isFirstLook) this.#advance()
      this.#isFirstLook = false
      return c.json(shown)
    })
  }

  registrations(): string[] {
    return this.tasks.map(({ name }) => name)
  }

  #estimated(c: Context, name: string): Response {
    if (name === 'www.chronym') return problem(c, 'SVC-NAM-002', 'the label www is reserved')
    return c.json({ ...ESTIMATE, ...this.estimate, ...(this.owned.has(name) && { kind: 'renew' }) })
  }

  #registered(c: Context, name: string): Response {
    const refusal = this.refusals.shift()
    if (refusal !== undefined) return problem(c, ...refusal)
    if (this.taken.has(name)) return problem(c, 'SVC-REG-001', `${name} is registered by another key`)
    if (this.owned.has(name)) return problem(c, 'SVC-REG-001', `This daemon owns ${name} already`)
    if (this.forgotten.delete(name)) {
      this.owned.add(name)
      return problem(c, 'SVC-REG-001', 'taken up', { taken_up: true })
    }
    if (this.begunMeanwhile === name) this.tasks.push({ ...TASK, task_id: 'of another', name })
    const under = this.tasks.find((task) => task.name === name && task.status === 'running')
    if (under !== undefined) return problem(c, 'SVC-REG-002', 'a task runs', { task_id: under.task_id })
    const running = this.tasks.filter(({ status }) => status === 'running')
    if (running.length > this.machine.config.vdf.queue) return problem(c, 'SVC-TSK-002', 'full')
    const task: TaskView = {
      ...TASK,
      task_id: `task-${name}`,
      name,
      phase: running.length === 0 ? 'evaluate' : 'queued',
      queue_position: running.length === 0 ? null : running.length
    }
    this.tasks.push(task)
    return c.json({ task_id: task.task_id, message: 'started' }, 202)
  }

  #advance(): void {
    const working = this.tasks.find(({ phase, status }) => phase === 'evaluate' && status === 'running')
    if (working === undefined) return
    if (this.unlucky.has(working.name))
      Object.assign(working, { status: 'failed', error: { code: 'SVC-REG-001', message: 'somebody was faster' } })
    else {
      Object.assign(working, { status: 'completed', phase: 'done', progress: working.iterations })
      this.owned.add(working.name)
    }
    const next = this.tasks.find(({ phase, status }) => phase === 'queued' && status === 'running')
    if (next !== undefined) Object.assign(next, { phase: 'evaluate', queue_position: null })
  }
}

function problem(c: Context, code: ErrorCode, detail: string, more: object = {}): Response {
  const { status, title } = ERROR_TABLE[code]
  const body = { type: `/errors/${code}`, title, status, detail, code, request_id: 'r7', ...more }
  return c.newResponse(JSON.stringify(body), (status ?? 500) as 500, { 'Content-Type': 'application/problem+json' })
}
