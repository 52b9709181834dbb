import { Command } from 'commander'
import type { Run } from './context.ts'
import { addBackupCommands } from './commands/daemon/backup.ts'
import { addBeaconCommand } from './commands/work/beacon.ts'
import { addKidCommands } from './commands/names/kid.ts'
import { addKeyCommands } from './commands/daemon/key.ts'
import { addManifestCommands } from './commands/names/manifest.ts'
import { addPinCommands } from './commands/names/pins.ts'
import { addManualCommands } from './commands/work/manual.ts'
import { addCompletionCommand } from './completion/command.ts'
import { addConfigCommands } from './commands/daemon/config.ts'
import { addDaemonCommand } from './commands/daemon/daemon.ts'
import { addSelfCheckCommand } from './commands/daemon/self-check.ts'
import { addDashboardCommand } from './commands/daemon/dashboard.ts'
import { addDnsCommands } from './commands/daemon/dns.ts'
import { addDoctorCommand } from './commands/daemon/doctor.ts'
import { addHelpCommand } from './commands/help.ts'
import { addNameCommands } from './commands/names/names.ts'
import { addReleaseCommand } from './commands/names/release.ts'
import { addShareCommand } from './commands/names/share.ts'
import { addStatusCommand } from './commands/daemon/status.ts'
import { addAdoptCommand } from './commands/names/adopt.ts'
import { addTaskCommands } from './commands/work/tasks.ts'
import { addPeerCommands } from './commands/daemon/peers.ts'
import { addTokenCommands } from './commands/daemon/token.ts'
import { addUnlockCommands } from './commands/daemon/unlock.ts'
import { addVdfCommands } from './commands/work/vdf.ts'
import { addVerifyCommand } from './commands/work/verify.ts'
import { addZoneCommands } from './commands/names/zone.ts'
import { VERSION } from '../version.ts'

/**
 * The whole command tree. Building it loads what most commands need; the rest a command imports when it runs.
 */
export function buildProgram(run: Run): Command {
  const { stdout } = run.surroundings
  const program = new Command('chronym')
    .description('Names earned by time: register, publish and resolve names of a peer-to-peer registry.')
    .version(VERSION, '-V, --version', 'print the version')
    .option('--json', 'print JSON, also for errors; the default on stdout when it is no terminal')
    .option('--no-json', 'print text even when stdout is no terminal')
    .option('--no-color', 'no colours (as with the environment variable NO_COLOR)')
    .option('--api <url>', "the daemon's address (environment: CHRONYM_API; default: from the daemon's configuration)")
    .option('--token <token>', 'access token (environment: CHRONYM_TOKEN; default: access_token in the data directory)')
    .option('--data-dir <directory>', "the daemon's data directory (environment: CHRONYM_DATA_DIR)")
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
    const { spellNames } = await import('./input/names.ts')
    await spellNames(run, command)
  })
  program.addHelpText('after', '\nExit codes: chronym help exit-codes. Manual: docs/cli.md')

  program.commandsGroup('Names:')
  addTaskCommands(program, run)
  addNameCommands(program, run)
  addShareCommand(program, run)
  addReleaseCommand(program, run)
  addAdoptCommand(program, run)
  addPinCommands(program, run)
  addZoneCommands(program, run)
  addKidCommands(program, run)
  addManifestCommands(program, run)
  program.commandsGroup('Daemon:')
  addDaemonCommand(program, run)
  addStatusCommand(program, run)
  addDashboardCommand(program, run)
  addPeerCommands(program, run)
  addConfigCommands(program, run)
  addTokenCommands(program, run)
  addKeyCommands(program, run)
  addUnlockCommands(program, run)
  addDoctorCommand(program, run)
  addSelfCheckCommand(program, run)
  addDnsCommands(program, run)
  addBackupCommands(program, run)
  program.commandsGroup('Tools:')
  addManualCommands(program, run)
  addBeaconCommand(program, run)
  addVdfCommands(program, run)
  addVerifyCommand(program, run)
  addCompletionCommand(program, run)
  addHelpCommand(program, run)
  return program
}
