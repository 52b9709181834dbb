import { createInterface } from 'node:readline/promises'
import { Readable, Writable } from 'node:stream'
import type { Context } from '../context.ts'
import { usageFailure, Failure } from '../failures/failure.ts'
import { EXIT } from '../failures/exit-codes.ts'
import { readText } from './files.ts'

/** Shorter ones are guessed in no time, whatever scrypt costs. */
const LEAST_PASSPHRASE_LENGTH = 8

function isTerminal(context: Context): boolean {
  return (context.stdin as { isTTY?: boolean }).isTTY === true
}

/**
 * Asks for a line on the terminal without showing it; the question goes to stderr. Fails with `cure` where nobody can
 * answer.
 */
export async function askSecret(context: Context, question: string, cure: string): Promise<string> {
  if (!isTerminal(context)) throw usageFailure(`nobody can be asked: ${question}`, cure)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: context.stdin, output: silent, terminal: true })
  // Ctrl-C and Ctrl-D close it without an answer.
  const closed = new Promise<undefined>((resolve) => prompt.once('close', () => resolve(undefined)))
  try {
    process.stderr.write(`${question}: `)
    const answer = await Promise.race([prompt.question(''), closed])
    if (answer === undefined) throw new Failure('CLI-INT-001', 'interrupted', { exitCode: EXIT.interrupted })
    return answer
  } finally {
    process.stderr.write('\n')
    prompt.close()
  }
}

/** The first line of a file or of `-`. */
export async function readSecretFile(context: Context, file: string): Promise<string> {
  const [line = ''] = (await readText(file, context.stdin)).split(/\r?\n/u)
  if (line === '') throw usageFailure(`${file} begins with an empty line; the passphrase is expected there`)
  return line
}

/**
 * A passphrase for something new, which `what` names: from a file, or asked for twice. Fails with `cure` where nobody
 * can answer.
 */
export async function newPassphrase(
  context: Context,
  file: string | undefined,
  what = 'the backup',
  cure = 'Give --passphrase-file FILE, or --recipient with a public key of age.'
): Promise<string> {
  const passphrase = file === undefined ? await askTwice(context, what, cure) : await readSecretFile(context, file)
  if (passphrase.length < LEAST_PASSPHRASE_LENGTH)
    throw usageFailure(
      `a passphrase needs ${LEAST_PASSPHRASE_LENGTH} characters`,
      'Four or five random words are good.'
    )
  return passphrase
}

async function askTwice(context: Context, what: string, cure: string): Promise<string> {
  const first = await askSecret(context, `Passphrase for ${what}`, cure)
  if (first === (await askSecret(context, 'The same again', cure))) return first
  throw usageFailure('the two passphrases differ', 'Try again.')
}

/** The 24 words: asked for on a terminal, else all of standard input. Never an argument, which others could see. */
export async function readWords(context: Context): Promise<string> {
  return isTerminal(context) ? askSecret(context, 'The 24 words', '') : readText('-', Readable.from(context.stdin))
}
