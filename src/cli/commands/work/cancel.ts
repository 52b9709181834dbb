import type { Command } from 'commander'
import type { Client } from '../../../api/client/client.ts'
import type { TaskView } from '../../../views/task.ts'
import { connect } from '../../connection/connect.ts'
import { requireConsent } from '../../questions/consent.ts'
import { action, type Run } from '../../context.ts'
import { EXIT } from '../../failures/exit-codes.ts'
import { Failure, usageFailure } from '../../failures/failure.ts'
import { taskIdOf } from '../../task/task-argument.ts'
import { taskOutcome } from '../../task/task-words.ts'
import { formatDuration, printable } from '../../terminal/format.ts'

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

export function addCancelCommand(program: Command, run: Run): void {
  program
    .command('cancel')
    .argument('<task>', 'task id, or the name of a task')
    .description('stop a running task; with --clear, remove an ended one from the list')
    .option('--clear', 'remove an ended task from the list')
    .option('-y, --yes', 'do not ask before discarding more than a minute of work')
    .action(
      action(run, async (context, options: CancelOptions, text: string) => {
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
        context.output.answer(
          answer,
          () => `task ${printable(id)} is ${clears ? 'cleared' : 'cancelled'}${kept}${late}`
        )
        return EXIT.ok
      })
    )
}
