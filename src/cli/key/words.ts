import { createInterface } from 'node:readline'
import { KeyError } from '../../protocol/errors.ts'
import { wordsToSeed } from '../../protocol/crypto/keys.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../failures/exit-codes.ts'
import { Failure } from '../failures/failure.ts'
import { nameOfInput, readText } from '../input/files.ts'

const WORDS = 24

/** "1", "1." or "1)": how words are numbered on paper, and by `key show`. */
const NUMBER = /^\d+[.):]?$/u

function wordsIn(text: string): string[] {
  return text.split(/\s+/u).filter((word) => word !== '' && !NUMBER.test(word))
}

/**
 * Lines until there are 24 words, or an empty one. They are shown as they are typed: blind, nobody gets 24 words right.
 */
async function askForWords(context: Context): Promise<string> {
  context.output.note(
    'Type the 24 words, on one line or on several; an empty line ends them. They are shown as you type.'
  )
  const lines = createInterface({ input: context.stdin })
  const words: string[] = []
  for await (const line of lines) {
    words.push(...wordsIn(line))
    if (words.length >= WORDS || line.trim() === '') break
  }
  lines.close()
  return words.join(' ')
}

/**
 * The seed that somebody gives as 24 words: from a file ("-": standard input), asked for on a terminal, else from
 * standard input. CLI-INP-001 where they are none; it says which are wrong and quotes none.
 */
export async function readWords(context: Context, file: string | undefined): Promise<Uint8Array> {
  const isAsked = file === undefined && context.output.live && (context.stdin as { isTTY?: boolean }).isTTY === true
  const text = isAsked ? await askForWords(context) : await readText(file ?? '-', context.stdin)
  try {
    return wordsToSeed(wordsIn(text).join(' '))
  } catch (error) {
    if (!(error instanceof KeyError)) throw error
    throw new Failure(
      'CLI-INP-001',
      `${isAsked ? 'what was typed' : nameOfInput(file ?? '-')} is no seed: ${error.detail}`,
      {
        exitCode: EXIT.usage,
        cure: 'Compare it with what you wrote down, word by word and in order.',
        cause: error
      }
    )
  }
}
