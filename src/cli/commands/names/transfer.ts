import type { CliCommand } from '../../context.ts'
import { CODE_OPTION } from '../../input/names.ts'

/** transfer offer, accept, status, verify: src/cli/key/changes.ts */
export function addTransferCommands(program: CliCommand): void {
  const transfer = program
    .command('transfer')
    .description('give a name to another owner, or take one over. The name keeps its check code, age and lease')
    .helpCommand(false)

  transfer
    .command('offer')
    .argument('<names...>', 'names that another daemon owns')
    .description(
      'offer to take names over: prints a link for each, which its owner accepts. This daemon then takes the name up'
    )
    .loads(async () => (await import('../../key/changes.ts')).runOffer)

  transfer
    .command('accept')
    .argument('<offer>', 'the link, a file with one on a line, or "-"')
    .description('give names of this daemon to the daemon that made the offers, signed with the change words')
    .option('--change-words-file <file>', 'the 24 change words; "-": standard input (default: they are asked for)')
    .option('-y, --yes', 'do not ask')
    .loads(async () => (await import('../../key/changes.ts')).runAccept)

  transfer
    .command('status')
    .argument('<name>', 'any name')
    .option(...CODE_OPTION)
    .description('whose keys a name has, and whether the last change of them is final')
    .loads(async () => (await import('../../key/changes.ts')).runStatus)

  transfer
    .command('verify')
    .argument('<name-or-offer>', 'a name, a link, or a file that holds one')
    .option(...CODE_OPTION)
    .description('what the record of a name proves to a buyer: its age, its changes, how many are left')
    .loads(async () => (await import('../../key/changes.ts')).runVerify)
}
