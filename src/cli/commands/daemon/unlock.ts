import type { Command } from 'commander'
import type { SeedBody } from '../../../api/client/client.ts'
import { connectProven } from '../../connection/connect.ts'
import { action, type Context, type Run } from '../../context.ts'
import { EXIT, type ExitCode } from '../../failures/exit-codes.ts'
import { plural, printable } from '../../terminal/format.ts'

export function waitingText(waiting: SeedBody['waiting']): string {
  return waiting.length === 0
    ? 'nothing waits for a signature'
    : `${plural(waiting.length, 'signature')} wait${waiting.length === 1 ? 's' : ''}: ${list(waiting)}`
}

const list = (waiting: SeedBody['waiting']): string =>
  waiting.map(({ what, name }) => `${what} ${printable(name)}`).join(', ')

async function unlock(context: Context, { passphraseFile }: { passphraseFile?: string }): Promise<ExitCode> {
  const client = connectProven(context)
  // Asks for no passphrase where the daemon needs none or does not answer.
  const before = await client.seed()
  if (before.state === 'unlocked') {
    context.output.answer(before, () =>
      before.sealed ? 'The seed is unlocked already.' : 'The seed has no passphrase: it is never locked.'
    )
    return EXIT.ok
  }
  const { askSecret, readSecretFile } = await import('../../input/secret.ts')
  const passphrase =
    passphraseFile === undefined
      ? await askSecret(context, 'Passphrase of the seed', 'Give --passphrase-file FILE.')
      : await readSecretFile(context, passphraseFile)
  const after = await client.unlock(passphrase)
  context.output.answer(
    after,
    () => `The seed is unlocked.${before.waiting.length === 0 ? '' : ` These resume: ${list(before.waiting)}`}`
  )
  return EXIT.ok
}

/** unlock, lock. The passphrase goes only to a daemon that has proved to be the one that is meant. */
export function addUnlockCommands(program: Command, run: Run): void {
  program
    .command('unlock')
    .description('unlock the seed of a running daemon with its passphrase; tasks that wait for a signature resume')
    .option('--passphrase-file <file>', 'its first line is the passphrase; "-": standard input (default: asked for)')
    .action(action(run, (context, options: { passphraseFile?: string }) => unlock(context, options)))

  program
    .command('lock')
    .description('make a running daemon forget its seed until you unlock it; look-ups and squaring continue')
    .action(
      action(run, async (context) => {
        const seed = await connectProven(context).lock()
        context.output.answer(seed, () => context.output.commands('The seed is locked. Unlock it with: chronym unlock'))
        return EXIT.ok
      })
    )
}
