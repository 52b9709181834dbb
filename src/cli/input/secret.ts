import { askHidden, LEAST_PASSPHRASE_LENGTH, readSecretLine, SecretFileError } from '../../util/secret-input.ts'
import type { Context } from '../context.ts'
import { usageFailure, Failure } from '../failures/failure.ts'
import { EXIT } from '../failures/exit-codes.ts'

/** Whether somebody can be asked for a secret. */
export function isTerminal(context: Context): boolean {
  return (context.stdin as { isTTY?: boolean }).isTTY === true
}

/**
 * Asks for a line on the terminal without showing it; the question goes to stderr. Fails with `cure` where nobody can
 * answer.
 */
export async function askSecret(context: Context, question: string, cure: string): Promise<string> {
  if (!isTerminal(context)) throw usageFailure(`without a terminal nobody can be asked: ${question}`, cure)
  const typed = await askHidden(context.stdin, question)
  if (typeof typed === 'string') throw new Failure('CLI-INT-001', 'interrupted', { exitCode: EXIT.interrupted })
  return typed.line
}

/** The first line of a file, of `-` or of a file descriptor. */
export async function readSecretFile(context: Context, file: string): Promise<string> {
  try {
    return (await readSecretLine(file, context.stdin)).toString()
  } catch (error) {
    if (error instanceof SecretFileError) throw usageFailure(error.message)
    throw error
  }
}

/** A passphrase for something new: from a file, or asked for twice. */
export async function newPassphrase(
  context: Context,
  file: string | undefined,
  { question, cure }: { readonly question: string; readonly cure: string }
): Promise<string> {
  const passphrase = file === undefined ? await askTwice(context, question, cure) : await readSecretFile(context, file)
  if (passphrase.length < LEAST_PASSPHRASE_LENGTH)
    throw usageFailure(
      `a passphrase needs ${LEAST_PASSPHRASE_LENGTH} characters`,
      'Four or five random words are good.'
    )
  return passphrase
}

async function askTwice(context: Context, question: string, cure: string): Promise<string> {
  const first = await askSecret(context, question, cure)
  if (first === (await askSecret(context, 'The same again', cure))) return first
  throw usageFailure('the two passphrases differ', 'Try again.')
}
