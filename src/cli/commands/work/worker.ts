import { availableParallelism } from 'node:os'
import type { CliCommand } from '../../context.ts'
import { integerOption } from '../../input/values.ts'

const MAX_THREADS = 1024

export function addWorkerCommand(program: CliCommand): void {
  program
    .command('worker')
    .description('evaluate for daemons whose vdf.farm is the same NATS server; needs no daemon, no seed and no disk')
    .requiredOption('--farm <url>', 'nats://HOST:PORT, or tls://HOST:PORT to insist on TLS')
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
