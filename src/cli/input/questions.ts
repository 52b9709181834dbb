/** Questions before what is expensive, shows a secret or cannot be taken back. */
import { isUtf8 } from 'node:buffer'
import { createInterface } from 'node:readline/promises'
import type { Passphrase } from '../../backup/encryption.ts'
import { askHidden, LEAST_PASSPHRASE_LENGTH, readSecretLine, SecretFileError } from '../../util/secret-input.ts'
import { isUtf16, lostOctets, textOfUtf8 } from '../../util/utf8.ts'
import type { Context } from '../context.ts'
import { printable } from '../terminal/format.ts'
import { EXIT, Failure, usageFailure } from '../failures/failure.ts'

interface Consent {
  /** The cost, as a sentence without its full stop. */
  readonly cost: string
  readonly question: string
  /** `--yes` */
  readonly isGiven: boolean
  /** The answer when the user just presses Enter. Yes only if nothing can be lost or revealed. */
  readonly byDefault?: boolean
  /** Precedes the question; by default the cost. */
  readonly shown?: string
  /** The error without a terminal. */
  readonly refusal?: string
  readonly cure?: string
  /** The message after a no. */
  readonly declined?: string
}

/** Whether a person can be asked: both the question and the answer need a terminal. */
export function hasPerson(context: Context): boolean {
  return context.output.live && isTerminal(context)
}

function isTerminal({ stdin }: Context): boolean {
  return (stdin as { isTTY?: boolean }).isTTY === true
}

/**
 * Asks on a terminal. Where nobody can answer, what was not agreed to beforehand is not done: CLI-USE-001 (exit code
 * 2), and `--yes` is the cure. Throws CLI-INT-001 for a no.
 */
export async function requireConsent(context: Context, consent: Consent): Promise<void> {
  const { cost, question, isGiven, byDefault = false, shown = cost } = consent
  if (isGiven) return
  if (!hasPerson(context))
    throw usageFailure(
      consent.refusal ?? `${cost}; this needs a confirmation, which only a terminal can give`,
      consent.cure ?? 'Add --yes where it is meant.'
    )
  context.output.error(shown)
  if (!(await confirm(context, question, byDefault)))
    throw new Failure('CLI-INT-001', consent.declined ?? 'not confirmed; nothing was changed', {
      exitCode: EXIT.interrupted
    })
}

async function confirm(context: Context, question: string, byDefault: boolean): Promise<boolean> {
  const answer = await askLine(context, `${question} ${byDefault ? '[Y/n]' : '[y/N]'}`)
  if (answer === undefined) return false
  return answer === '' ? byDefault : /^(?:y|yes)$/iu.test(answer)
}

/** The line that a person types, without white space around it; undefined for Ctrl-C and Ctrl-D. */
export async function askLine({ stdin }: Context, question: string): Promise<string | undefined> {
  const prompt = createInterface({ input: stdin, output: process.stderr })
  // Ctrl-C and Ctrl-D close it without an answer.
  const closed = new Promise<undefined>((resolve) => prompt.once('close', () => resolve(undefined)))
  try {
    const answer = await Promise.race([prompt.question(`${printable(question)} `), closed])
    if (answer === undefined) process.stderr.write('\n')
    return answer?.trim()
  } finally {
    prompt.close()
  }
}

/**
 * Asks for a line on the terminal without showing it; the question goes to stderr. Fails with `cure` where nobody can
 * answer.
 */
async function askSecret(context: Context, question: string, cure: string): Promise<string> {
  if (!isTerminal(context)) throw usageFailure(`without a terminal nobody can be asked: ${question}`, cure)
  const typed = await askHidden(context.stdin, question)
  if (typeof typed === 'string') throw new Failure('CLI-INT-001', 'interrupted', { exitCode: EXIT.interrupted })
  return typed.line
}

/** The first line of a file, of `-` or of a file descriptor. */
async function readSecretFile(context: Context, file: string): Promise<Uint8Array> {
  try {
    return await readSecretLine(file, context.stdin)
  } catch (error) {
    if (error instanceof SecretFileError) throw usageFailure(error.message)
    throw error
  }
}

/** A passphrase: the octets of a file's first line, or a text that is asked for. */
export async function passphraseOf(
  context: Context,
  file: string | undefined,
  question: string,
  cure = 'Give --passphrase-file FILE.'
): Promise<Passphrase> {
  return file === undefined ? askSecret(context, question, cure) : readSecretFile(context, file)
}

/** A passphrase for something new: from a file, or asked for twice. */
export async function newPassphrase(
  context: Context,
  file: string | undefined,
  question: string,
  cure?: string
): Promise<Passphrase> {
  const passphrase = await passphraseOf(context, file, question, cure)
  if (typeof passphrase !== 'string') {
    if (isUtf16(passphrase))
      throw usageFailure(
        'the passphrase file is UTF-16: what is typed elsewhere would not be the same passphrase',
        'Save it as UTF-8, without a byte order mark.'
      )
    return longEnough(passphrase)
  }
  if (passphrase !== (await passphraseOf(context, undefined, 'The same again', cure)))
    throw usageFailure('the two passphrases differ', 'Try again.')
  if (lostOctets(passphrase))
    throw usageFailure(
      'the terminal sends characters that are not UTF-8, so that different passphrases would be the same',
      'Set the terminal to UTF-8, or give --passphrase-file FILE.'
    )
  return longEnough(passphrase)
}

/** Characters count, not octets; a file in an older encoding has one octet a character. */
function longEnough(passphrase: Passphrase): Passphrase {
  const { length } = typeof passphrase !== 'string' && isUtf8(passphrase) ? textOfUtf8(passphrase) : passphrase
  if (length < LEAST_PASSPHRASE_LENGTH)
    throw usageFailure(
      `a passphrase needs ${LEAST_PASSPHRASE_LENGTH} characters`,
      'Four or five random words are good.'
    )
  return passphrase
}

/** Replaces a file that other passphrases of the same length open with one under the octets of this one. */
export async function sealAgain(
  context: Context,
  file: string,
  plaintext: Uint8Array,
  passphrase: Passphrase
): Promise<void> {
  const { encrypt, writeSealedFile } = await import('../../backup/encryption.ts')
  const { BackupError } = await import('../../backup/container.ts')
  try {
    writeSealedFile(file, await encrypt(plaintext, { passphrase }))
    context.output.note(
      `• the passphrase file is not UTF-8: ${file} is sealed again by its octets, so that no other passphrase opens it`
    )
  } catch (error) {
    if (!(error instanceof BackupError)) throw error
    context.output.note(
      `• the passphrase file is not UTF-8, and other passphrases of the same length open ${file}: make a new one in its ` +
        `place (${error.message})`
    )
  }
}
