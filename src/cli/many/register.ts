/** `chronym register --from FILE`: what all its names cost in one line, a question, then the batch. */
import { type Client, ProblemError } from '../../api/client/client.ts'
import type { Estimate } from '../../views/task.ts'
import { forEachConcurrently } from '../../util/concurrency.ts'
import { count, plural } from '../../util/words.ts'
import { connect } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import type { ExitCode } from '../failures/failure.ts'
import { requireConsent } from '../input/questions.ts'
import { formatDuration, printable } from '../terminal/format.ts'
import { Batch, type BatchNames } from './batch.ts'
import { type BadLine, badLinesFailure, type NameLine, readNamesFile } from './names-file.ts'

interface ManyOptions {
  readonly from: string
  readonly wait: boolean
  readonly yes?: boolean
}

interface Estimated extends NameLine {
  readonly estimate: Estimate
}

const ASK_FROM_SECONDS = 5 * 60
/** An estimate is a short request to this machine. */
const AT_ONCE = 8
/** Refusals of a name that can never be registered. */
const REFUSALS: ReadonlySet<string> = new Set(['SVC-NAM-001', 'SVC-NAM-002', 'SVC-REQ-001'])

export async function registerMany(context: Context, options: ManyOptions): Promise<ExitCode> {
  const { signal, output } = context
  const client = connect(context)
  const { names, bad, repeated } = await readNamesFile(context, options.from)
  const config = await client.config({ signal })
  const vdf = config['vdf'] as Readonly<Record<'max_tasks' | 'threads' | 'queue', number>>
  const { estimated, refused } = await estimateAll(client, names, signal)
  const allBad = [...bad, ...refused].sort((left, right) => left.line - right.line)
  if (allBad.length > 0) throw badLinesFailure(options.from, allBad)
  for (const { line, name } of repeated) output.note(`line ${line}: ${printable(name)} is there twice`)
  const tasks = await client.tasks({ signal })
  const working = new Map(tasks.filter(({ status }) => status === 'running').map((task) => [task.name, task.task_id]))
  const unowned = estimated.filter(({ estimate }) => estimate.kind === 'register')
  const waiting = unowned.filter(({ name }) => !working.has(name))
  const batch: BatchNames = {
    total: estimated.length,
    waiting: waiting.map(({ name, estimate: { iterations } }) => ({ name, iterations })),
    working: unowned.flatMap(({ name, estimate: { iterations } }) => {
      const id = working.get(name)
      return id === undefined ? [] : [{ id, name, iterations }]
    })
  }
  const slots = Math.min(vdf.max_tasks, vdf.threads)
  const estimates = waiting.map(({ estimate }) => estimate)
  if (estimates.length > 0) await agreeToStart(context, estimates, names.length, slots, options.yes === true)
  return new Batch(context, client, batch, vdf.queue).run(options.wait)
}

async function estimateAll(
  client: Client,
  lines: readonly NameLine[],
  signal: AbortSignal
): Promise<{ readonly estimated: readonly Estimated[]; readonly refused: readonly BadLine[] }> {
  const estimates = new Map<string, Estimate>()
  const refused: BadLine[] = []
  const ask = async ({ line, name }: NameLine): Promise<void> => {
    try {
      estimates.set(name, await client.estimate(name, { signal }))
    } catch (error) {
      if (!(error instanceof ProblemError) || !REFUSALS.has(error.code)) throw error
      refused.push({ line, message: `${name}: ${error.detail}` })
    }
  }
  // The daemon measures its rate for the first one.
  const [first, ...others] = lines
  if (first !== undefined) await ask(first)
  await forEachConcurrently(others, AT_ONCE, ask)
  const estimated = lines.flatMap((each) => {
    const estimate = estimates.get(each.name)
    return estimate === undefined ? [] : [{ ...each, estimate }]
  })
  return { estimated, refused }
}

/** Says in one line what all cost, and asks where that takes long. */
async function agreeToStart(
  context: Context,
  estimates: readonly Estimate[],
  names: number,
  slots: number,
  isGiven: boolean
): Promise<void> {
  const left = estimates.filter(({ proof_kept: isKept }) => !isKept)
  const squarings = left.reduce((sum, { iterations }) => sum + iterations, 0)
  const seconds = left.reduce((sum, each) => sum + each.seconds - each.queued_seconds, 0)
  const cost =
    `${plural(estimates.length, 'name')} of ${count(names)} to register: ${count(squarings)} squarings, ` +
    `${hoursText(seconds)} core-hours; about ${formatDuration(Math.ceil(seconds / slots))} on ` +
    `${plural(slots, 'slot')} of this machine, after the tasks before them`
  if (seconds / slots <= ASK_FROM_SECONDS) {
    context.output.note(cost)
    return
  }
  await requireConsent(context, {
    cost,
    question: 'The daemon computes that long, across restarts. Start?',
    isGiven,
    byDefault: true
  })
  if (isGiven) context.output.note(cost)
}

function hoursText(seconds: number): string {
  const hours = seconds / 3600
  return hours >= 1000 ? count(Math.round(hours)) : hours.toLocaleString('en', { maximumSignificantDigits: 3 })
}
