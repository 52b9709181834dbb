import { availableParallelism } from 'node:os'
import { MAX_THREADS } from '../../../farm/messages.ts'
import type { FarmView } from '../../../views/farm.ts'
import { connect } from '../../connection/connect.ts'
import type { CliCommand } from '../../context.ts'
import { integerOption } from '../../input/values.ts'
import { formatTable, printable } from '../../terminal/format.ts'
import { count } from '../../../util/words.ts'

export function addWorkerCommand(program: CliCommand): void {
  program
    .command('worker')
    .description('evaluate for daemons whose vdf.farm is the same NATS server; needs no daemon, no seed and no disk')
    .requiredOption(
      '--farm <url>',
      'nats://HOST:PORT, or tls://HOST:PORT to insist on TLS; several of a cluster with commas between'
    )
    .option(
      '--threads <n>',
      'evaluations at once (default: one a core)',
      integerOption(1, MAX_THREADS),
      availableParallelism()
    )
    .option('--credentials <file>', 'a .creds file, or one with the seed of an nkey')
    .option('--ca <file>', 'authority that signed the certificate of the server, PEM')
    .option('--network <network>', "local, test, main or a profile file (default: the configuration's)")
    .option('--label <text>', 'what daemons call it (default: the host and a random part)')
    .option('--once', 'end after one evaluation')
    .loads(async () => (await import('../../task/worker.ts')).runWorkerCommand)
}

function farmText({ enabled, connected, workers, tasks, wrong_proofs: wrong, barred, outdated }: FarmView): string {
  if (!enabled) return 'no farm: vdf.farm is not set'
  const lines = [
    `server       ${connected ? 'connected' : 'not reached; all goes on here'}`,
    `tasks there  ${count(tasks)}`,
    ...(wrong > 0 ? [`wrong proofs ${count(wrong)}, of ${barred.map(printable).join(', ')}`] : []),
    ...(outdated.length > 0
      ? [`no work for  ${outdated.map(printable).join(', ')}: of another version; install the daemon's there`]
      : [])
  ]
  const rows = workers.map(({ worker, threads, busy, iterations_per_second: rate }) => [
    printable(worker),
    `${busy}/${threads}`,
    rate > 0 ? `${count(rate)}/s` : ''
  ])
  return [...lines, ...(rows.length > 0 ? ['', formatTable([['worker', 'busy', 'squarings'], ...rows])] : [])].join(
    '\n'
  )
}

export function addFarmCommand(program: CliCommand): void {
  const farm = program
    .command('farm')
    .description('the farm of the daemon: workers on other machines')
    .helpCommand(false)
  farm
    .command('key')
    .argument('<file>', 'a new file for the seed')
    .description("make a key for the farm's server, and print its public key; needs no daemon")
    .loads(async () => (await import('../../task/worker.ts')).makeFarmKey)
  farm
    .command('status')
    .description('its workers, what they do, and wrong proofs')
    .runs(async (context) => {
      const farm = await connect(context).farm()
      context.output.answer(farm, () => farmText(farm))
    })
}
