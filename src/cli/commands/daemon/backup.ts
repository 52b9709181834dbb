import type { OpeningOptions } from '../../backup/open.ts'
import type { RestoreOptions } from '../../backup/place.ts'
import type { CliCommand } from '../../context.ts'
import { usageFailure } from '../../failures/failure.ts'
import { collectOption } from '../../input/values.ts'

export function addBackupCommands(program: CliCommand): void {
  const backup = program
    .command('backup')
    .argument('<file>', 'path of the backup; an existing file is replaced only with --force')
    .description(
      'write seed, names, zones and identities into one file, encrypted in the age format. Reads the ' +
        'data directory; the daemon may run'
    )
    .option(
      '--recipient <key>',
      'a public key of age (age1...) that opens it, in place of a passphrase; may be repeated',
      collectOption
    )
    .option(
      '--passphrase-file <file>',
      'its first line is the passphrase; "-": standard input (default: asked for twice)'
    )
    .option(
      '--seed-passphrase-file <file>',
      'its first line is the passphrase of a sealed seed; "-": standard input (default: asked for)'
    )
    .option('--tasks', 'include journal and checkpoints of running tasks: up to some hundred MiB each')
    .option('--network <network>', "the daemon's profile file, unless its network is built in")
    .option('--force', 'replace the file')
    .helpCommand(false)
    .loads(async () => (await import('../../backup/create.ts')).runBackup)

  const check = backup
    .command('check')
    .argument('<file>', 'a backup; it is only read')
    .description(
      'check a backup as a restore would, and write nothing: does it open, is it complete, what does it hold, how old ' +
        'is it. Needs no daemon'
    )
    .option('--identity <file>', 'the secret key of age that opens the backup; "-": standard input')
    .option('--passphrase-file <file>', 'its first line is the passphrase; "-": standard input (default: asked for)')
    .runs(async (context, options: OpeningOptions, file: string) => {
      // `backup` takes the options that it has too, wherever they stand.
      for (const option of backup.options) {
        const isGiven = backup.getOptionValueSource(option.attributeName()) === 'cli'
        if (isGiven && !check.options.some(({ long }) => long === option.long))
          throw usageFailure(`backup check takes no ${option.long}`, 'It only reads: see chronym help backup check.')
      }
      const { runBackupCheck } = await import('../../backup/check.ts')
      return runBackupCheck(context, { ...options, ...backup.opts<OpeningOptions>() }, file)
    })

  program
    .command('restore')
    .argument('[file]', 'a backup; without --words')
    .description(
      'make a new data directory from a backup or from the 24 words. The directory (--data-dir) must be empty or absent'
    )
    .option('--words', 'from the 24 words, asked for or on standard input; names are then found in the network')
    .option('--name <name>', 'with --words: a name to look for; may be repeated', collectOption)
    .option('--did <did>', 'with --words: an identity to look for; may be repeated', collectOption)
    .option('--identity <file>', 'the secret key of age that opens the backup; "-": standard input')
    .option('--passphrase-file <file>', 'its first line is the passphrase; "-": standard input (default: asked for)')
    .option(
      '--seed-passphrase-file <file>',
      'put the seed of the new directory under a passphrase, the first line of this file; "-": standard input'
    )
    .option(
      '--network <network>',
      "local, test, main or a profile file (default: the backup's; with --words: the configuration's)"
    )
    .option('-y, --yes', 'do not ask: the original daemon is gone or stopped')
    .runs(async (context, options: RestoreOptions, file: string | undefined) => {
      if (options.words === true) {
        if (file !== undefined || options.identity !== undefined || options.passphraseFile !== undefined)
          throw usageFailure('--words takes no file and no key: the words come from standard input')
        const { restoreWords } = await import('../../backup/restore.ts')
        return restoreWords(context, options)
      }
      if (file === undefined)
        throw usageFailure(
          'restore needs the file of a backup, or --words',
          'Example: chronym --data-dir ./restored restore --words --name alice.chronym'
        )
      if (options.name !== undefined || options.did !== undefined)
        throw usageFailure('--name and --did go with --words: a backup knows its names')
      const { restoreFile } = await import('../../backup/restore.ts')
      return restoreFile(context, options, file)
    })
}
