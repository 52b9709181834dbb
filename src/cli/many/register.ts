/** `chronym register --from FILE`, with `--plan` or without. */
import { count, plural } from '../../util/words.ts'
import { connect } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../failures/failure.ts'
import { requireConsent } from '../input/questions.ts'
import { formatDuration, printable } from '../terminal/format.ts'
import { badLinesFailure, readNamesFile } from './names-file.ts'
import { type Plan, planOf } from './plan.ts'
import { hoursText, planText } from './plan-text.ts'
import { Batch } from './batch.ts'
import { surveyMachine, surveyNames } from './survey.ts'

interface ManyOptions {
  readonly from: string
  readonly plan?: boolean
  readonly wait: boolean
  readonly yes?: boolean
}

const ASK_FROM_SECONDS = 5 * 60

export async function registerMany(context: Context, options: ManyOptions): Promise<ExitCode> {
  const { signal, output } = context
  const client = connect(context)
  const isPlan = options.plan === true
  const { names, bad, repeated } = await readNamesFile(context, options.from)
  const machine = await surveyMachine(client, signal)
  const painter = output.painter()
  const survey = await surveyNames(client, names, {
    lookUp: isPlan,
    signal,
    whenDone: (done) => {
      if (output.live) painter.show({ label: 'looking at names', done, total: names.length })
    }
  }).finally(() => painter.clear())
  const plan = planOf({ survey, machine, bad, repeated, nowMs: Date.now() })
  if (plan === undefined) throw badLinesFailure(options.from, [...bad, ...survey.bad])
  if (isPlan) {
    output.answer(plan, (paint) => output.commands(planText(plan, paint, output.columns)))
    return plan.bad_lines.length === 0 && plan.totals.taken === 0 ? EXIT.ok : EXIT.negative
  }
  if (plan.bad_lines.length > 0) throw badLinesFailure(options.from, plan.bad_lines)
  for (const { line, name } of repeated) output.note(`line ${line}: ${printable(name)} is there twice`)
  await agreeToStart(context, plan, options.yes === true)
  return new Batch(context, client, survey.names, machine.queue).run(options.wait)
}

async function agreeToStart(context: Context, { totals, names }: Plan, isGiven: boolean): Promise<void> {
  if (totals.to_register === 0) return
  const starts = names.flatMap(({ start_seconds: start }) => start ?? [])
  const cost =
    `${plural(totals.to_register, 'name')} of ${count(totals.names)} to register: ` +
    `${count(totals.iterations)} squarings, ${hoursText(totals.core_seconds)} core-hours; all done in about ` +
    formatDuration(totals.seconds)
  if (totals.seconds - Math.min(...starts) <= ASK_FROM_SECONDS) {
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
