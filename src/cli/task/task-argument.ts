import type { Client } from '../../api/client/client.ts'
import { canonicalName } from '../../protocol/name/names.ts'
import { EXIT } from '../failures/exit-codes.ts'
import { Failure } from '../failures/failure.ts'
import { SHORT_ID } from './task-words.ts'

/**
 * The id of the task meant by `text`: an id, its beginning as a table shows it, or a name. Of a name's tasks it is the
 * running one, else the newest.
 */
export async function taskIdOf(client: Pick<Client, 'tasks'>, text: string): Promise<string> {
  // Ids hold no dot, names one at least.
  if (!text.includes('.')) return text.length === SHORT_ID ? wholeId(client, text) : text
  const tasks = (await client.tasks()).filter(({ name }) => name === canonicalName(text))
  const task = tasks.findLast(({ status }) => status === 'running') ?? tasks.at(-1)
  if (task === undefined)
    throw new Failure('SVC-TSK-001', `There is no task for ${text}.`, {
      exitCode: EXIT.notFound,
      cure: 'List the tasks: chronym tasks.'
    })
  return task.task_id
}

async function wholeId(client: Pick<Client, 'tasks'>, beginning: string): Promise<string> {
  const [task, other] = (await client.tasks()).filter(({ task_id: id }) => id.startsWith(beginning))
  // The daemon explains an unknown or ambiguous id.
  return task === undefined || other !== undefined ? beginning : task.task_id
}
