import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { agreeToStart, costText, gainText } from '../../questions/agree-to-start.ts'
import { connect } from '../../connection/connect.ts'
import { action, type Context, type Run } from '../../context.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { ProblemError, type Client } from '../../../api/client/client.ts'
import type { TaskView } from '../../../views/task.ts'
import { EXIT, type ExitCode } from '../../failures/exit-codes.ts'
import { taskIdOf } from '../../task/task-argument.ts'
import { addCancelCommand } from './cancel.ts'
import { SHORT_ID, taskWord } from '../../task/task-words.ts'
import { fitTable, formatDuration, formatTable, printable, tableWidth } from '../../terminal/format.ts'
import type { Paint } from '../../terminal/output.ts'
import { noteNextStep } from '../../task/next-step.ts'
import { watchTask } from '../../task/watch.ts'
import { readZone } from '../../zone-file/zone-input.ts'

interface StartOptions {
  wait: boolean
  yes?: boolean
  zone?: string
}

const WATCH_INTERVAL_MS = 1000

/** The daemon's answer that the name is ours and now listed: what was asked for, but for a zone. Throws all others. */
function takenUp(error: unknown, { zone }: StartOptions): ProblemError {
  if (error instanceof ProblemError && error.problem['taken_up'] === true && zone === undefined) return error
  throw error
}

async function start(context: Context, kind: TaskView['kind'], name: string, options: StartOptions): Promise<ExitCode> {
  const client = connect(context)
  const zone = options.zone === undefined ? undefined : await readZone(options.zone, context.stdin)
  await agreeToStart(context, client, kind, name, options.yes === true)
  const settings = { ...(zone === undefined ? {} : { zone }), idempotencyKey: randomUUID() }
  const started = await (kind === 'register' ? client.register(name, settings) : client.renew(name, settings)).catch(
    (error: unknown) => takenUp(error, options)
  )
  if (started instanceof ProblemError) {
    context.output.answer({ event: 'taken-up', name, message: started.detail }, () => printable(started.detail))
    return EXIT.ok
  }
  if (!options.wait) {
    context.output.answer(started, () => printable(started.task_id))
    return EXIT.ok
  }
  if (context.output.json) context.output.jsonLine({ event: 'started', ...started })
  else context.output.note(`task ${printable(started.task_id)}`)
  const exitCode = await watchTask(context, client, started.task_id)
  if (exitCode === EXIT.ok && kind === 'register' && zone === undefined) await noteNextStep(context, client, name)
  return exitCode
}

function taskRow(task: TaskView, paint: Paint, idLength: number): string[] {
  const share = task.iterations > 0 ? `${((100 * task.progress) / task.iterations).toFixed(1)}%` : ''
  const eta = task.status === 'running' && task.eta_seconds !== null ? formatDuration(task.eta_seconds) : ''
  const { word, style } = taskWord(task)
  return [
    printable(task.name),
    task.kind,
    style === undefined ? word : paint(style, word),
    share,
    eta,
    printable(task.task_id).slice(0, idLength)
  ]
}

/**
 * Tasks as a table of at most `columns` columns. If the ids do not fit, it shows their first eight characters, which
 * every command takes.
 */
export function taskTable(tasks: readonly TaskView[], paint: Paint, columns = Infinity): string {
  if (tasks.length === 0) return 'no tasks'
  const heading = ['name', 'kind', 'state', 'done', 'left', 'task']
  const whole = [heading, ...tasks.map((task) => taskRow(task, paint, Infinity))]
  return tableWidth(whole) <= columns
    ? formatTable(whole)
    : fitTable([heading, ...tasks.map((task) => taskRow(task, paint, SHORT_ID))], columns)
}

/** The table in place, again every second; where nobody looks, one line of JSON for each change. */
async function watchTasks(context: Context, client: Client): Promise<ExitCode> {
  const { output, signal } = context
  const repaint = output.repainter()
  try {
    for (let shown = ''; ;) {
      const tasks = await client.tasks({ signal })
      const text = JSON.stringify(tasks)
      if (output.json && text !== shown) output.jsonLine(tasks)
      if (!output.json) repaint(taskTable(tasks, output.paint, output.columns))
      shown = text
      if (tasks.every(({ status }) => status !== 'running')) return EXIT.ok
      await delay(WATCH_INTERVAL_MS, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
    return EXIT.interrupted
  }
}

function addStart(program: Command, run: Run, kind: TaskView['kind'], description: string): void {
  program
    .command(kind)
    .argument('<name>', 'such as alice.chronym')
    .description(description)
    .option('--zone <file>', 'zone to publish with it (JSON or record lines; "-": standard input)')
    .option('--no-wait', 'print the task id and return')
    .option('-y, --yes', 'do not ask before more than five minutes of work or a renewal that gains little')
    .action(action(run, (context, options: StartOptions, name: string) => start(context, kind, name, options)))
}

/** register, renew, tasks, cancel, pause, resume, estimate. */
export function addTaskCommands(program: Command, run: Run): void {
  addStart(program, run, 'register', 'earn a name: commit, wait for the pulse, compute, reveal')
  addStart(program, run, 'renew', 'prolong the lease of a name')

  program
    .command('estimate')
    .argument('<name>')
    .description('estimate what a name costs: squarings, time on this machine, lease')
    .action(
      action(run, async (context, _options: unknown, name: string) => {
        const estimate = await connect(context).estimate(name)
        const gain = gainText(estimate)
        context.output.answer(
          estimate,
          () =>
            `${printable(name)}: ${costText(estimate)}; lease from ${estimate.lease_start} to ` +
            `${estimate.lease_end}${gain === undefined ? '' : `; ${gain}`}`
        )
        return EXIT.ok
      })
    )

  program
    .command('tasks')
    .description("list the daemon's tasks")
    .option('-w, --watch', 'refresh every second until none is running')
    .action(
      action(run, async (context, options: { watch?: boolean }) => {
        if (options.watch === true) return watchTasks(context, connect(context))
        const tasks = await connect(context).tasks()
        context.output.answer(tasks, (paint) => taskTable(tasks, paint, context.output.columns))
        return EXIT.ok
      })
    )

  addCancelCommand(program, run)

  for (const verb of ['pause', 'resume'] as const) {
    program
      .command(verb)
      .argument('<task>', 'task id, or the name of a task')
      .description(
        verb === 'pause' ? 'stop computing until you resume the task; nothing is lost' : 'resume a paused task'
      )
      .action(
        action(run, async (context, _options: unknown, taskId: string) => {
          const client = connect(context)
          const id = await taskIdOf(client, taskId)
          const task = await (verb === 'pause' ? client.pauseTask(id) : client.resumeTask(id))
          context.output.answer(task, () => `task ${printable(id)} ${verb === 'pause' ? 'is paused' : 'resumes'}`)
          return EXIT.ok
        })
      )
  }
}
