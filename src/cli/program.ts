import type { Command } from 'commander'
import { CliCommand, Context, type GlobalOptions, pathOption, type Run } from './context.ts'
import { EXIT_CODE_MEANINGS, usageFailure } from './failures/failure.ts'
import { filledOption } from './input/values.ts'
import { formatTable, printable } from './terminal/format.ts'
import { lostOctets } from '../util/utf8.ts'
import { addBackupCommands } from './commands/daemon/backup.ts'
import { addBeaconCommand } from './commands/work/beacon.ts'
import { addKidCommands, addManifestCommands } from './commands/names/kid.ts'
import { addKeyCommands, addUnlockCommands } from './commands/daemon/key.ts'
import { addPinCommands } from './commands/names/pins.ts'
import { addCompletionCommand } from './completion.ts'
import { addConfigCommands } from './commands/daemon/config.ts'
import { addDaemonCommand, addDashboardCommand } from './commands/daemon/daemon.ts'
import { addDnsCommands } from './commands/daemon/dns.ts'
import { addHttpsCommands } from './commands/daemon/https.ts'
import { addLookUpCommands, addVerifyCommand } from './commands/names/look-up.ts'
import { addAdoptCommand, addNamesCommand, addReleaseCommand } from './commands/names/owned.ts'
import { addShareCommand } from './commands/names/share.ts'
import { addTransferCommands } from './commands/names/transfer.ts'
import { addCheckCommands, addPeerCommands, addStatusCommand } from './commands/daemon/status.ts'
import { addTaskCommands } from './commands/work/tasks.ts'
import { addTokenCommands } from './commands/daemon/token.ts'
import { addVdfCommands } from './commands/work/vdf.ts'
import { addFarmCommand, addWorkerCommand } from './commands/work/worker.ts'
import { addRegisterCommands } from './commands/work/register.ts'
import { addZoneCommands } from './commands/names/zone.ts'
import { VERSION } from '../version.ts'

/**
 * The whole command tree. Building it loads what most commands need; the rest a command imports when it runs.
 */
export function buildProgram(run: Run): CliCommand {
  const { stdout } = run.surroundings
  const program = new CliCommand(run, 'chronym')
    .description('Names earned by time: register, publish and resolve names of a peer-to-peer registry.')
    .version(VERSION, '-V, --version', 'print the version')
    .option('--json', 'print JSON, also for errors')
    .option('--no-json', 'print text, without the hint that a pipe no longer means JSON')
    .option('--no-color', 'no colours (as with the environment variable NO_COLOR)')
    .option(
      '--api <url>',
      "the daemon's address (environment: CHRONYM_API; default: from the daemon's configuration)",
      filledOption
    )
    .option(
      '--token <token>',
      'access token (environment: CHRONYM_TOKEN; default: access_token in the data directory)',
      filledOption
    )
    .option('--data-dir <directory>', "the daemon's data directory (environment: CHRONYM_DATA_DIR)", (text: string) =>
      pathOption(filledOption(text))
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      // Failures are printed in one place, by runCli.
      writeErr: (text) => {
        run.usage = text
      }
    })
    .helpCommand(false)
  program.hook('preAction', async (_program, command) => {
    requireOctets(command.args)
    const { spellNames } = await import('./input/names.ts')
    await spellNames(run, command)
    await noteUnknownVariables(run, command)
  })
  program.addHelpText('after', '\nExit codes: chronym help exit-codes. Manual: docs/reference/cli.md')

  program.commandsGroup('Names:')
  addRegisterCommands(program)
  addTaskCommands(program)
  addLookUpCommands(program)
  addNamesCommand(program)
  addShareCommand(program)
  addTransferCommands(program)
  addReleaseCommand(program)
  addAdoptCommand(program)
  addPinCommands(program)
  addZoneCommands(program)
  addKidCommands(program)
  addManifestCommands(program)
  program.commandsGroup('Daemon:')
  addDaemonCommand(program)
  addStatusCommand(program)
  addDashboardCommand(program)
  addPeerCommands(program)
  addConfigCommands(program)
  addTokenCommands(program)
  addKeyCommands(program)
  addUnlockCommands(program)
  addCheckCommands(program)
  addDnsCommands(program)
  addHttpsCommands(program)
  addBackupCommands(program)
  addFarmCommand(program)
  program.commandsGroup('Tools:')
  addBeaconCommand(program)
  addVdfCommands(program)
  addWorkerCommand(program)
  addVerifyCommand(program)
  addCompletionCommand(program)
  addHelpCommand(program)
  return program
}

/** Where the command itself does not say so. */
async function noteUnknownVariables(run: Run, command: Command): Promise<void> {
  const { parent } = command
  if (command.name() === 'daemon' || (command.name() === 'check' && parent?.name() === 'config')) return
  const { unknownVariables } = await import('../config/unknown-variables.ts')
  const { output } = new Context(run, command.optsWithGlobals<GlobalOptions>())
  for (const warning of unknownVariables(run.surroundings.env)) output.note(`• ${printable(warning)}`)
}

/** `chronym help [command...]`, `chronym help exit-codes`. */
function addHelpCommand(program: CliCommand): void {
  program
    .command('help')
    .argument('[topic...]', 'a command, or "exit-codes"')
    .description('explain a command, or the exit codes')
    .runs((context, _options: unknown, path: string[]) => {
      if (path[0] === 'exit-codes' && path.length === 1) {
        // Help is text in a pager too.
        context.output.plain(
          EXIT_CODE_MEANINGS.map(([code, meaning]) => ({ code, meaning })),
          formatTable([['code', 'meaning'], ...EXIT_CODE_MEANINGS.map(([code, meaning]) => [String(code), meaning])])
        )
        return undefined
      }
      let command: Command = program
      for (const word of path) {
        const next = command.commands.find(
          (candidate) => candidate.name() === word || candidate.aliases().includes(word)
        )
        if (next === undefined) throw usageFailure(`no command "${path.join(' ')}"`, 'List the commands: chronym help.')
        command = next
      }
      return command.help()
    })
}

/** What is saved or published must be what was given. Options name files and directories, which may have such names. */
function requireOctets(words: readonly string[]): void {
  const lost = words.find(lostOctets)
  if (lost !== undefined)
    throw usageFailure(
      `"${lost}" has U+FFFD, which stands for octets that are not UTF-8`,
      'Set the terminal and the script to UTF-8. In a value of a record write an octet by its number, such as "caf\\233".'
    )
}
