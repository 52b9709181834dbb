/** Names as a registrar lists them: one a line, in any spelling, `#` before a comment. */
import type { Context } from '../context.ts'
import { EXIT, Failure, inputFailure } from '../failures/failure.ts'
import { nameOfInput, readText } from '../input/files.ts'
import { daemonSuffix, spellOne } from '../input/names.ts'

export interface NameLine {
  /** From 1. */
  readonly line: number
  readonly name: string
}

/** A line that holds no name of this network. */
export interface BadLine {
  readonly line: number
  readonly message: string
}

interface NamesFile {
  /** Each name once, in the order of the file, with the suffix of the network. */
  readonly names: readonly NameLine[]
  readonly bad: readonly BadLine[]
  /** Lines that repeat a name. */
  readonly repeated: readonly NameLine[]
}

/** Of a domain name in DNS. */
const MOST_CHARACTERS = 253

/** CLI-INP-001 for a file that can't be read or names nothing. `-` is standard input. */
export async function readNamesFile(context: Context, file: string): Promise<NamesFile> {
  const names = new Map<string, NameLine>()
  const bad: BadLine[] = []
  const repeated: NameLine[] = []
  let suffix: Promise<string> | undefined
  const lines = (await readText(file, context.stdin)).split(/\r\n|\n|\r/u)
  for (const [index, whole] of lines.entries()) {
    const line = index + 1
    const text = whole.replace(/#.*/u, '').trim()
    if (text === '') continue
    const name = await spelt(context, text, () => (suffix ??= daemonSuffix(context)))
    if (typeof name !== 'string') bad.push({ line, message: name.refusal })
    else if (names.has(name)) repeated.push({ line, name })
    else names.set(name, { line, name })
  }
  if (names.size === 0 && bad.length === 0)
    throw inputFailure(`${nameOfInput(file)} names nothing`, 'Write one name a line; # begins a comment.')
  return { names: [...names.values()], bad, repeated }
}

async function spelt(
  context: Context,
  text: string,
  suffix: () => Promise<string>
): Promise<string | { readonly refusal: string }> {
  if (text.length > MOST_CHARACTERS) return { refusal: `it is longer than any name: ${text.slice(0, 40)}...` }
  if (/\s/u.test(text)) return { refusal: `"${text}": a line holds one name` }
  if (text.startsWith('did:')) return { refusal: `"${text}" is a DID` }
  try {
    return await spellOne(context, text, suffix)
  } catch (error) {
    if (error instanceof Failure && error.code === 'CLI-USE-001') return { refusal: error.message }
    throw error
  }
}

const MOST_SHOWN = 20

/** All bad lines in one failure: one by one, a long file would take an attempt for each. */
export function badLinesFailure(file: string, bad: readonly BadLine[]): Failure {
  const rest = bad.length - MOST_SHOWN
  const lines = bad.length === 1 ? 'one line' : `${bad.length} lines`
  return new Failure(
    'CLI-INP-001',
    `${nameOfInput(file)} has ${lines} without a name that can be registered${rest > 0 ? `; ${rest} more than these` : ''}`,
    {
      exitCode: EXIT.usage,
      cure: 'Correct these lines, or make comments of them with #. Nothing was started.',
      errors: bad.slice(0, MOST_SHOWN).map(({ line, message }) => ({ path: `line ${line}`, message }))
    }
  )
}
