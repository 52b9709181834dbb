import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { confirm } from '../confirm.ts'
import { connect } from '../connect.ts'
import { action, type Context, type Run } from '../context.ts'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client, EstimateBody, TaskBody } from '../../api/client.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { taskIdOf } from '../task-argument.ts'
import { formatCount, formatDuration, formatRate, formatTable, printable } from '../terminal/format.ts'
import { watchTask } from '../watch.ts'
import { readZone } from '../zone-input.ts'

interface StartOptions {
  wait: boolean
  yes?: boolean
  zone?: string
}

/** Longer computations are started after a question. */
const ASK_FROM_SECONDS = 60 * 60
const WATCH_INTERVAL_MS = 1000

/** What a name costs, in words: "1,000,000 squarings, about 3.4 s at 320.1 K/s". */
export function costText({ iterations, iterations_per_second: rate, seconds, queued_seconds: queued, proving_seconds: proving, proof_kept: isKept }: EstimateBody): string {
  if (isKept) return 'a finished proof is kept here, only publishing is left'
  const parts = [`${formatCount(iterations)} squarings, about ${formatDuration(seconds)} at ${formatRate(rate)}`]
  if (queued > 0) parts.push(`of which ${formatDuration(queued)} waiting for the tasks before it`)
  if (proving >= 60) parts.push(`${queued > 0 ? '' : 'of which '}${formatDuration(proving)} proving`)
  return parts.join(', ')
}

/** Says what is coming, and asks where it takes long and a person can answer. A program that reads JSON asked for the work, and gets it. */
async function agreed(context: Context, client: Client, kind: TaskBody['kind'], name: string, options: StartOptions): Promise<boolean> {
  if (context.output.json && !context.output.live) return true
  const estimate = await client.estimate(name)
  // The daemon's own refusal says more.
  if (estimate.kind !== kind) return true
  const { seconds, lease_start: start, lease_end: end } = estimate
  context.output.note(`${printable(name)}: ${costText(estimate)}; lease from ${start} to ${end}`)
  if (seconds <= ASK_FROM_SECONDS || options.yes === true) return true
  return confirm(context, 'The daemon computes that long, across restarts; you need not wait. Start?')
}

async function start(context: Context, kind: TaskBody['kind'], name: string, options: StartOptions): Promise<ExitCode> {
  const client = connect(context)
  const zone = options.zone === undefined ? undefined : await readZone(options.zone, context.stdin)
  if (!(await agreed(context, client, kind, name, options))) throw new Failure('CLI-INT-001', 'not started', { exitCode: EXIT.interrupted })
  const settings = { ...(zone === undefined ? {} : { zone }), idempotencyKey: randomUUID() }
  const started = await (kind === 'register' ? client.register(name, settings) : client.renew(name, settings))
  if (!options.wait) {
    context.output.answer(started, () => printable(started.task_id))
    return EXIT.ok
  }
  if (context.output.json) context.output.jsonLine({ event: 'started', ...started })
  else context.output.note(`task ${printable(started.task_id)}`)
  return watchTask(context, client, started.task_id)
}

function taskState(task: TaskBody): string {
  if (task.status !== 'running') return task.status
  if (task.paused) return 'paused'
  if (task.stalled !== null) return `${task.phase}, waits (${task.stalled.code})`
  return task.queue_position === null ? task.phase : `${task.phase} (${task.queue_position})`
}

function taskRow(task: TaskBody): string[] {
  const share = task.iterations > 0 ? `${((100 * task.progress) / task.iterations).toFixed(1)}%` : ''
  const eta = task.status === 'running' && task.eta_seconds !== null ? formatDuration(task.eta_seconds) : ''
  return [printable(task.name), task.kind, taskState(task), share, eta, printable(task.task_id)]
}

/** Tasks as a table. The id last: watched in a terminal of 80 columns, lines are cut at their end. */
export function taskTable(tasks: readonly TaskBody[]): string {
  return tasks.length === 0 ? 'no tasks' : formatTable([['name', 'kind', 'state', 'done', 'left', 'task'], ...tasks.map(taskRow)])
}

/** The table in place, again every second; where nobody looks, one line of JSON for each change. */
async function watchTasks(context: Context, client: Client): Promise<ExitCode> {
  const { output, signal } = context
  const repaint = output.repainter()
  try {
    for (let shown = ''; ; ) {
      const tasks = await client.tasks({ signal })
      const text = JSON.stringify(tasks)
      if (output.json && text !== shown) output.jsonLine(tasks)
      if (!output.json) repaint(taskTable(tasks))
      shown = text
      if (tasks.every(({ status }) => status !== 'running')) return EXIT.ok
      await delay(WATCH_INTERVAL_MS, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
    return EXIT.interrupted
  }
}

function addStart(program: Command, run: Run, kind: TaskBody['kind'], description: string): void {
  program
    .command(kind)
    .argument('<name>', 'such as alice.chronym')
    .description(description)
    .option('--zone <file>', 'zone to publish with it (JSON or record lines; "-": standard input)')
    .option('--no-wait', 'print the task id and return')
    .option('-y, --yes', 'do not ask before a computation of more than an hour')
    .action(action(run, (context, options: StartOptions, name: string) => start(context, kind, name, options)))
}

/** register, renew, tasks, cancel, pause, resume, estimate. */
export function addTaskCommands(program: Command, run: Run): void {
  addStart(program, run, 'register', 'earn a name: commit, wait for the pulse, compute, reveal')
  addStart(program, run, 'renew', 'prolong the lease of a name')

  program
    .command('estimate')
    .argument('<name>')
    .description('what a name costs: squarings, time on this machine, lease')
    .action(
      action(run, async (context, _options: unknown, name: string) => {
        const estimate = await connect(context).estimate(name)
        context.output.answer(estimate, () => `${printable(name)}: ${costText(estimate)}; lease from ${estimate.lease_start} to ${estimate.lease_end}`)
        return EXIT.ok
      })
    )

  program
    .command('tasks')
    .description('list the tasks of the daemon')
    .option('-w, --watch', 'again every second, until none is running')
    .action(
      action(run, async (context, options: { watch?: boolean }) => {
        if (options.watch === true) return watchTasks(context, connect(context))
        const tasks = await connect(context).tasks()
        context.output.answer(tasks, () => taskTable(tasks))
        return EXIT.ok
      })
    )

  program
    .command('cancel')
    .argument('<task>', 'task id, or a name that has one')
    .description('stop a running task, or clear one that has ended')
    .action(
      action(run, async (context, _options: unknown, taskId: string) => {
        const client = connect(context)
        const id = await taskIdOf(client, taskId)
        const answer = await client.cancelTask(id)
        context.output.answer(answer, () => `task ${printable(id)} cancelled; a finished proof is kept for 30 days`)
        return EXIT.ok
      })
    )

  for (const verb of ['pause', 'resume'] as const) {
    program
      .command(verb)
      .argument('<task>', 'task id, or a name that has one')
      .description(verb === 'pause' ? 'stop computing until resumed; nothing is lost' : 'go on with a paused task')
      .action(
        action(run, async (context, _options: unknown, taskId: string) => {
          const client = connect(context)
          const id = await taskIdOf(client, taskId)
          const task = await (verb === 'pause' ? client.pauseTask(id) : client.resumeTask(id))
          context.output.answer(task, () => `task ${printable(id)} ${verb === 'pause' ? 'is paused' : 'goes on'}`)
          return EXIT.ok
        })
      )
  }
}
