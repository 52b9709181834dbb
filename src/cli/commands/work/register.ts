/** Registrations and renewals: what each costs is said before it begins. */
import { networkInterfaces } from 'node:os'
import { randomUUID } from 'node:crypto'
import { ProblemError, type Client } from '../../../api/client/client.ts'
import type { Estimate, TaskView } from '../../../views/task.ts'
import { requireConsent } from '../../input/questions.ts'
import type { CliCommand, Context } from '../../context.ts'
import { count as formatCount, plural } from '../../../util/words.ts'
import { formatDuration, formatRate, printable } from '../../terminal/format.ts'
import { connect } from '../../connection/connect.ts'
import { EXIT, type ExitCode, usageFailure } from '../../failures/failure.ts'
import { watchTask } from '../../task/task.ts'
import { requireLabel } from '../../zone/arguments.ts'
import { readZone } from '../../zone-file/zone-input.ts'

const ASK_FROM_SECONDS = 5 * 60
/**
 * A renewal that extends the lease by less than this share needs a confirmation: an automatic one gives about nine
 * tenths.
 */
const LITTLE_SHARE = 1 / 2

/** What a name costs, in words: "1,000,000 squarings, about 3.4 s at 320.1 K/s". */
function costText(estimate: Estimate): string {
  const {
    iterations,
    iterations_per_second: rate,
    seconds,
    queued_seconds: queued,
    proving_seconds: proving,
    proof_kept: isKept
  } = estimate
  if (isKept) return 'a finished proof is kept here, only publishing is left'
  const parts = [`${formatCount(iterations)} squarings, about ${formatDuration(seconds)} at ${formatRate(rate)}`]
  if (queued > 0) parts.push(`of which ${formatDuration(queued)} waiting for the tasks before it`)
  if (proving >= 60) parts.push(`${queued > 0 ? '' : 'of which '}${formatDuration(proving)} proving`)
  return parts.join(', ')
}

/**
 * What a renewal gives: "it extends the lease by 3 min 05 s and spends one of the 64 renewals left". Nothing for a
 * registration.
 */
function gainText({ gain_seconds: gain, left }: Pick<Estimate, 'gain_seconds' | 'left'>): string | undefined {
  return gain === null || left === null
    ? undefined
    : `it extends the lease by ${formatDuration(gain)} and spends one of the ${plural(left, 'renewal')} left`
}

function isLittle({ gain_seconds: gain, lease_start: start, lease_end: end }: Estimate): boolean {
  return gain !== null && gain < (LITTLE_SHARE * (Date.parse(end) - Date.parse(start))) / 1000
}

/**
 * Says what is coming, and asks where it takes long or gains little. Throws as `requireConsent` does, or what the
 * daemon refuses.
 */
async function agreeToStart(
  context: Context,
  client: Client,
  kind: TaskView['kind'],
  name: string,
  isGiven: boolean
): Promise<void> {
  if (isGiven && context.output.json) return
  const estimate = await client.estimate(name)
  // The daemon's own refusal says more.
  if (estimate.kind !== kind) return
  const { seconds, queued_seconds: queued, lease_start: start, lease_end: end } = estimate
  const gain = gainText(estimate)
  const cost =
    `${printable(name)}: ${costText(estimate)}; lease from ${start} to ` +
    `${end}${gain === undefined ? '' : `; ${gain}`}`
  if (isLittle(estimate)) {
    await requireConsent(context, {
      cost: `${cost}. So soon after the last one it gains little`,
      question: 'Renew it all the same?',
      isGiven
    })
  } else if (seconds - queued > ASK_FROM_SECONDS && !estimate.proof_kept) {
    await requireConsent(context, {
      cost,
      question: 'The daemon computes that long, across restarts; you need not wait. Start?',
      isGiven,
      byDefault: true
    })
  } else {
    context.output.note(cost)
    return
  }
  if (isGiven) context.output.note(cost)
}

/** A record with an address of this machine, best one that others reach. */
function ownAddress(): string {
  const found = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80'))
  const { family, address } = found.find((each) => each.family === 'IPv4') ??
    found[0] ?? { family: 'IPv4', address: '127.0.0.1' }
  return `${family === 'IPv4' ? 'A' : 'AAAA'} ${address}`
}

/** After the first registration of a daemon: the name has no records yet, and this machine does not ask the daemon. */
async function noteNextStep(context: Context, client: Client, name: string): Promise<void> {
  if (context.output.json) return
  const [first, ...others] = await client.names()
  // Serial 1 is the empty zone that a registration begins with.
  if (first === undefined || others.length > 0 || first.serial > 1) return
  const own = printable(name)
  context.output.note(
    `${own} points nowhere yet.\n` +
      `  point it to this machine: chronym zone add ${own} @ ${ownAddress()} --publish\n` +
      '  use such names on this computer: chronym dns setup'
  )
}

interface StartOptions {
  wait: boolean
  yes?: boolean
  zone?: string
}

/** The daemon's answer that the name is ours and now listed: what was asked for, but for a zone. Throws all others. */
function takenUp(error: unknown, { zone }: StartOptions): ProblemError {
  if (error instanceof ProblemError && error.problem['taken_up'] === true && zone === undefined) return error
  throw error
}

async function start(context: Context, kind: TaskView['kind'], name: string, options: StartOptions): Promise<ExitCode> {
  const client = connect(context)
  const zone = options.zone === undefined ? undefined : await readZone(options.zone, context.stdin)
  for (const label of Object.keys(zone?.records ?? {})) requireLabel(name, label)
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

const AGREED = 'do not ask before more than five minutes of work or a renewal that gains little'

interface RegisterOptions extends StartOptions {
  from?: string
}

async function register(context: Context, options: RegisterOptions, name: string | undefined): Promise<ExitCode> {
  const { from } = options
  if (from === undefined) {
    if (name === undefined) throw usageFailure('a name is missing', 'Give one, or a file of names with --from.')
    return start(context, 'register', name, options)
  }
  if (name !== undefined || options.zone !== undefined)
    throw usageFailure(
      `--from registers what the file names, without a zone`,
      `Leave ${name === undefined ? '--zone' : 'the name'} out.`
    )
  const { registerMany } = await import('../../many/register.ts')
  return registerMany(context, { ...options, from })
}

export function addRegisterCommands(program: CliCommand): void {
  program
    .command('register')
    .argument('[name]', 'such as alice.chronym')
    .description('earn a name: commit, wait for the pulse, compute, reveal. With --from, all names of a file')
    .option('--from <file>', 'names to register, one a line, # before a comment ("-": standard input)')
    .option('--zone <file>', 'zone to publish with it (JSON or record lines; "-": standard input)')
    .option('--no-wait', 'print the task id and return; with --from, once the daemon takes no more')
    .option('-y, --yes', AGREED)
    .runs(register)
  program
    .command('renew')
    .argument('<name>', 'such as alice.chronym')
    .description('extend the lease of a name')
    .option('--zone <file>', 'zone to publish with it (JSON or record lines; "-": standard input)')
    .option('--no-wait', 'print the task id and return')
    .option('-y, --yes', AGREED)
    .runs((context, options: StartOptions, name: string) => start(context, 'renew', name, options))

  program
    .command('estimate')
    .argument('<name>')
    .description('estimate what a name costs: squarings, time on this machine, lease')
    .runs(async (context, _options: unknown, name: string) => {
      const estimate = await connect(context).estimate(name)
      const gain = gainText(estimate)
      context.output.answer(
        estimate,
        () =>
          `${printable(name)}: ${costText(estimate)}; lease from ${estimate.lease_start} to ` +
          `${estimate.lease_end}${gain === undefined ? '' : `; ${gain}`}`
      )
    })
}
