import type { CliCommand, Context } from '../../context.ts'
import { connectProven, signaturesText } from '../../connection/connect.ts'
import { passphraseOf } from '../../input/questions.ts'

const SEED_PASSPHRASE = 'its first line is the passphrase of a sealed seed; "-": standard input (default: asked for)'

const CHANGE_WORDS_FILE = 'the 24 change words; "-": standard input (default: they are asked for)'

/**
 * key show, check, import, passphrase read and write the data directory. change-words, rotate, recover ask a daemon. No
 * words go through the HTTP interface.
 */
export function addKeyCommands(program: CliCommand): void {
  const key = program
    .command('key')
    .description('the 24 words that your names belong to, and the change words that change their keys')
    .helpCommand(false)

  key
    .command('show')
    .description('print the 24 words, after a confirmation')
    .option('-y, --yes', 'do not ask; needed where nobody can answer')
    .option('--seed-passphrase-file <file>', SEED_PASSPHRASE)
    .loads(async () => (await import('../../key/run.ts')).runShow)

  key
    .command('check')
    .argument('[file]', '24 words; "-" or no terminal: standard input; default: they are asked for')
    .description(
      'check whether these are the words of the data directory, and record that they are (exit code 1: they are not)'
    )
    .option('--seed-passphrase-file <file>', SEED_PASSPHRASE)
    .loads(async () => (await import('../../key/run.ts')).runCheck)

  key
    .command('import')
    .argument('[file]', '24 words; "-" or no terminal: standard input; default: they are asked for')
    .description('write the 24 words to a new data directory, or back to their own; never replaces another seed')
    .loads(async () => (await import('../../key/run.ts')).runImport)

  key
    .command('passphrase')
    .description(
      'set, change or remove the passphrase of the seed. With one, the daemon starts locked until it ' +
        'gets it. Stop the daemon first'
    )
    .option('--remove', 'take the passphrase off: the words are in clear again')
    .option(
      '--passphrase-file <file>',
      'its first line is the new passphrase; "-": standard input (default: asked for twice)'
    )
    .option('--seed-passphrase-file <file>', SEED_PASSPHRASE)
    .loads(async () => (await import('../../key/run.ts')).runPassphrase)

  addChangeCommands(key)
}

function addChangeCommands(key: CliCommand): void {
  key
    .command('change-words')
    .argument('[file]', '24 change words that you have; "-": standard input; default: new ones are made and shown')
    .description(
      'make 24 change words, and tell the daemon their public point. Names registered from then on can change their ' +
        'keys with these words alone'
    )
    .option('--make', 'only print 24 new words; tell no daemon')
    .loads(async () => (await import('../../key/changes.ts')).runChangeWords)

  key
    .command('rotate')
    .argument('[names...]', 'names of this daemon')
    .description('give names new signing keys of this seed, signed by the present key and by the change words')
    .option('--all', 'all names of this daemon')
    .option('--to <directory>', 'keys of the daemon that runs on this data directory, which has another seed')
    .option('--change-words-file <file>', CHANGE_WORDS_FILE)
    .option('-y, --yes', 'do not ask')
    .loads(async () => (await import('../../key/changes.ts')).runRotate)

  key
    .command('recover')
    .argument('<names...>', 'names whose seed is lost or stolen')
    .description(
      'take names over to the seed of this daemon by the change words alone. That is final on main after 60 days, if ' +
        'the present key does not object'
    )
    .option('--change-words-file <file>', CHANGE_WORDS_FILE)
    .option('-y, --yes', 'do not ask')
    .loads(async () => (await import('../../key/changes.ts')).runRecover)
}

async function unlock(context: Context, { passphraseFile }: { passphraseFile?: string }): Promise<void> {
  const client = connectProven(context)
  // Asks for no passphrase where the daemon needs none or does not answer.
  const before = await client.seed()
  if (before.state === 'unlocked') {
    context.output.answer(before, () =>
      before.sealed ? 'The seed is unlocked already.' : 'The seed has no passphrase: it is never locked.'
    )
    return
  }
  const after = await client.unlock(await passphraseOf(context, passphraseFile, 'Passphrase of the seed'))
  context.output.answer(
    after,
    () =>
      `The seed is unlocked.${before.waiting.length === 0 ? '' : ` These resume: ${signaturesText(before.waiting)}`}`
  )
}

/** unlock, lock. The passphrase goes only to a daemon that has proved to be the one that is meant. */
export function addUnlockCommands(program: CliCommand): void {
  program
    .command('unlock')
    .description('unlock the seed of a running daemon with its passphrase; tasks that wait for a signature resume')
    .option('--passphrase-file <file>', 'its first line is the passphrase; "-": standard input (default: asked for)')
    .runs(unlock)

  program
    .command('lock')
    .description('make a running daemon forget its seed until you unlock it; look-ups and squaring continue')
    .runs(async (context) => {
      const seed = await connectProven(context).lock()
      context.output.answer(seed, () => context.output.commands('The seed is locked. Unlock it with: chronym unlock'))
    })
}
