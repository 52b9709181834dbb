import type { CliCommand } from '../../context.ts'

export function addHttpsCommands(program: CliCommand): void {
  const https = program
    .command('https')
    .description('https for names of the network, in every browser')
    .helpCommand(false)

  https
    .command('setup')
    .description(
      'make an authority of this machine for names of the network alone, and have the browsers of this user trust it'
    )
    .option('--system', 'the programs of all users too; needs root')
    .option('--undo', 'take the authority out of every store, and remove it')
    .option('--seed-passphrase-file <file>', 'its first line is the passphrase of a sealed seed; "-": standard input')
    .option('-y, --yes', 'do not ask')
    .loads(async () => (await import('../../https/setup.ts')).setup)
}
