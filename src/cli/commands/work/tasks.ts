import { bothForms } from '../../../util/typed-name.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { Argument } from 'commander'
import type { Client } from '../../../api/client/client.ts'
import type { TaskPlace, TaskView } from '../../../views/task.ts'
import { connect } from '../../connection/connect.ts'
import type { CliCommand, Context } from '../../context.ts'
import { EXIT, type ExitCode, Failure, usageFailure } from '../../failures/failure.ts'
import { SHORT_ID, taskIdOf, taskOutcome, taskWord } from '../../task/task.ts'
import { fitTable, formatDuration, formatTable, printable, tableWidth } from '../../terminal/format.ts'
import type { Paint } from '../../terminal/output.ts'
import { requireConsent } from '../../input/questions.ts'

const WATCH_INTERVAL_MS = 1000

function taskRow(task: TaskView, paint: Paint, idLength: number): string[] {
  const share = task.iterations > 0 ? `${((100 * task.progress) / task.iterations).toFixed(1)}%` : ''
  const eta = task.status === 'running' && task.eta_seconds !== null ? formatDuration(task.eta_seconds) : ''
  const { word, style } = taskWord(task)
  return [
    printable(bothForms(task.name)),
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
function taskTable(tasks: readonly TaskView[], paint: Paint, columns = Infinity): string {
  if (tasks.length === 0) return 'no tasks'
  const heading = ['name', 'kind', 'state', 'done', 'left', 'task']
  const whole = [heading, ...tasks.map((task) => taskRow(task, paint, Infinity))]
  return tableWidth(whole) <= columns
    ? formatTable(whole)
    : fitTable([heading, ...tasks.map((task) => taskRow(task, paint, SHORT_ID))], columns)
}

/** The table in place, again every second; elsewhere than on a terminal, each table or line of JSON that differs. */
async function watchTasks(context: Context, client: Client): Promise<ExitCode> {
  const { output, signal } = context
  const repaint = output.repainter()
  output.hintAtJson()
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

export function addTaskCommands(program: CliCommand): void {
  const all = program.command('tasks').description("the daemon's tasks").helpCommand(false)
  all
    .command('list', { isDefault: true })
    .description('list them')
    .option('-w, --watch', 'refresh every second until none is running')
    .runs(async (context, options: { watch?: boolean }) => {
      if (options.watch === true) return watchTasks(context, connect(context))
      const tasks = await connect(context).tasks()
      context.output.answer(tasks, (paint) => taskTable(tasks, paint, context.output.columns))
      return EXIT.ok
    })

  all
    .command('move')
    .argument('<task>', 'task id, or the name of a task')
    .addArgument(new Argument('<place>', 'this machine, or a worker of vdf.farm').choices(['local', 'farm']))
    .description('let a task go on at another place; nothing is lost')
    .runs(async (context, _options: unknown, taskId: string, place: TaskPlace) => {
      const client = connect(context)
      const task = await client.moveTask(await taskIdOf(client, taskId), place)
      const where = place === 'local' ? 'comes to this machine' : 'goes to the farm'
      context.output.answer(task, () => `task ${printable(task.task_id)} ${where}`)
    })

  addCancelCommand(program)

  for (const verb of ['pause', 'resume'] as const) {
    program
      .command(verb)
      .argument('<task>', 'task id, or the name of a task')
      .description(
        verb === 'pause' ? 'stop computing until you resume the task; nothing is lost' : 'resume a paused task'
      )
      .runs(async (context, _options: unknown, taskId: string) => {
        const client = connect(context)
        const id = await taskIdOf(client, taskId)
        const task = await (verb === 'pause' ? client.pauseTask(id) : client.resumeTask(id))
        context.output.answer(task, () => `task ${printable(id)} ${verb === 'pause' ? 'is paused' : 'resumes'}`)
      })
  }
}

interface CancelOptions {
  clear?: boolean
  yes?: boolean
}

/** More work than this is thrown away after a question only. */
const ASK_FROM_SECONDS = 60

/** Seconds of work on this machine that go with the task; a finished proof is kept. */
async function lostSeconds(client: Client, task: TaskView): Promise<number> {
  if (task.phase === 'reveal' || task.progress === 0) return 0
  const rate = task.iterations_per_second ?? (await client.estimate(task.name)).iterations_per_second
  return rate > 0 ? task.progress / rate : 0
}

function addCancelCommand(program: CliCommand): void {
  program
    .command('cancel')
    .argument('<task>', 'task id, or the name of a task')
    .description('stop a running task; with --clear, remove an ended one from the list')
    .option('--clear', 'remove an ended task from the list')
    .option('-y, --yes', 'do not ask before discarding more than a minute of work')
    .runs(async (context, options: CancelOptions, text: string) => {
      const client = connect(context)
      const id = await taskIdOf(client, text)
      const task = await client.task(id)
      const clears = options.clear === true
      if (task.status !== 'running' && !clears) {
        throw new Failure(
          'SVC-TSK-004',
          `The ${task.kind === 'register' ? 'registration' : 'renewal'} of ${task.name} ` +
            `${taskOutcome(task)}: there is nothing to cancel.`,
          {
            exitCode: EXIT.refused,
            cure: `To take it off the list: chronym cancel --clear ${id}.`
          }
        )
      }
      if (task.status === 'running' && clears)
        throw usageFailure(
          `task ${id} is running; --clear takes those off the list that have ended`,
          `Stop it first: chronym cancel ${id}.`
        )
      const lost = clears ? 0 : await lostSeconds(client, task)
      if (lost > ASK_FROM_SECONDS) {
        const share = ((100 * task.progress) / task.iterations).toFixed(1)
        const cost =
          `Cancelling discards ${formatDuration(lost)} of work: ${share}% of the squarings for ` +
          `${printable(task.name)} (chronym pause ${printable(id)} keeps them)`
        await requireConsent(context, { cost, question: 'Cancel it?', isGiven: options.yes === true })
      }
      const answer = await (clears ? client.clearTask(id) : client.cancelTask(id))
      const kept = task.phase === 'reveal' ? '; its finished proof is kept for 30 days' : ''
      const name = printable(task.name)
      const late =
        !clears && task.phase === 'reveal' && task.kind === 'register'
          ? `\nPeers may hold ${name} already: \`chronym names\` lists it as released then, and it lapses by itself. ` +
            `To keep it: chronym release --undo ${name}`
          : ''
      context.output.answer(answer, () => `task ${printable(id)} is ${clears ? 'cleared' : 'cancelled'}${kept}${late}`)
    })
}
