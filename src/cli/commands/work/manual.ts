import { Option } from 'commander'
import type { CliCommand } from '../../context.ts'
import { collectOption, hexOption, integerOption } from '../../input/values.ts'

/** commit, reveal: a registration by hand (docs/manual-registration.md). */
export function addManualCommands(program: CliCommand): void {
  program
    .command('commit')
    .argument('<name>')
    .description('by hand: make a commitment, keep its secret, send it')
    .signs()
    .option('-f, --file <file>', 'where the secret is kept, mode 0600 (default: in the data directory)')
    .option('--offline', 'print the body for POST /api/commit instead of sending it')
    .option('--force', 'overwrite an existing secret file')
    .loads(async () => (await import('../../manual/commit.ts')).runCommit)

  program
    .command('reveal')
    .argument('<name>')
    .description('by hand: wait for the pulse, compute, sign the Reveal, send it')
    .option('-f, --file <file>', 'secret file of the commitment (default: in the data directory)')
    .signs({ network: "the secret file's" })
    .option('--zone <file>', 'zone to publish (JSON or record lines; default: no records)')
    .option(
      '--pulse-round <round>',
      'round of the pulse, where the secret file fixes none',
      integerOption(1, Number.MAX_SAFE_INTEGER)
    )
    .addOption(
      new Option('--pulse <hex>', 'signature of that pulse, instead of asking a beacon')
        .argParser(hexOption)
        .conflicts('beaconUrl')
    )
    .option('--beacon-url <url>', 'drand HTTP endpoint; may be repeated', collectOption)
    .option('--offline', 'print the body for POST /api/publish instead of sending it')
    .loads(async () => (await import('../../manual/reveal.ts')).runReveal)
}
