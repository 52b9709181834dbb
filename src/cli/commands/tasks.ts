import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { confirm } from '../confirm.ts'
import { connect } from '../connect.ts'
import { action, type Context, type Run } from '../context.ts'
import type { TaskBody } from '../../api/client.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { readText } from '../input/files.ts'
import { formatCount, formatDuration, formatTable, printable } from '../terminal/format.ts'
import { watchTask } from '../watch.ts'
import { parseZoneText } from '../zone-input.ts'

interface StartOptions {
  wait: boolean
  yes?: boolean
  zone?: string
}

/** Shorter computations are started without a question. */
const ASK_FROM_SECONDS = 60

async function start(context: Context, kind: TaskBody['kind'], name: string, options: StartOptions): Promise<ExitCode> {
  const client = connect(context)
  const zone = options.zone === undefined ? undefined : parseZoneText(await readText(options.zone, context.stdin), options.zone)
  if (context.output.live && options.yes !== true && kind === 'register') {
    const { iterations, seconds } = await client.estimate(name)
    if (seconds > ASK_FROM_SECONDS && !(await confirm(context, `${printable(name)} takes ${formatCount(iterations)} squarings, about ${formatDuration(seconds)} of one core. Start?`))) {
      throw new Failure('CLI-INT-001', 'not started', { exitCode: EXIT.interrupted })
    }
  }
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
  return [task.task_id, printable(task.name), task.kind, taskState(task), share, eta]
}

/** Tasks as a table. */
export function taskTable(tasks: readonly TaskBody[]): string {
  return tasks.length === 0 ? 'no tasks' : formatTable([['task', 'name', 'kind', 'state', 'done', 'left'], ...tasks.map(taskRow)])
}

function addStart(program: Command, run: Run, kind: TaskBody['kind'], description: string): void {
  program
    .command(kind)
    .argument('<name>', 'such as alice.chronym')
    .description(description)
    .option('--zone <file>', 'zone to publish with it (JSON or record lines; "-": standard input)')
    .option('--no-wait', 'print the task id and return')
    .option('-y, --yes', 'do not ask before a long computation')
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
        context.output.answer(
          estimate,
          () => `${printable(name)}: ${formatCount(estimate.iterations)} squarings, about ${formatDuration(estimate.seconds)} on this machine; lease from ${estimate.lease_start} to ${estimate.lease_end}`
        )
        return EXIT.ok
      })
    )

  program
    .command('tasks')
    .description('list the tasks of the daemon')
    .action(
      action(run, async (context) => {
        const tasks = await connect(context).tasks()
        context.output.answer(tasks, () => taskTable(tasks))
        return EXIT.ok
      })
    )

  program
    .command('cancel')
    .argument('<task>', 'task id')
    .description('stop a running task, or clear one that has ended')
    .action(
      action(run, async (context, _options: unknown, taskId: string) => {
        const answer = await connect(context).cancelTask(taskId)
        context.output.answer(answer, () => `task ${printable(taskId)} cancelled; a finished proof is kept for 30 days`)
        return EXIT.ok
      })
    )

  for (const verb of ['pause', 'resume'] as const) {
    program
      .command(verb)
      .argument('<task>', 'task id')
      .description(verb === 'pause' ? 'stop computing until resumed; nothing is lost' : 'go on with a paused task')
      .action(
        action(run, async (context, _options: unknown, taskId: string) => {
          const client = connect(context)
          const task = await (verb === 'pause' ? client.pauseTask(taskId) : client.resumeTask(taskId))
          context.output.answer(task, () => `task ${printable(taskId)} ${verb === 'pause' ? 'is paused' : 'goes on'}`)
          return EXIT.ok
        })
      )
  }
}
