import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { inputFailure, messageOf } from '../failures/failure.ts'

export const UNREADABLE_CURE = 'Check the path, and whether you may read it.'

export function nameOfInput(file: string): string {
  return file === '-' ? 'standard input' : file
}

/** Whole text of a file, or of `stdin` for `-`, without a byte order mark. An unreadable file is an input failure. */
export async function readText(file: string, stdin: Readable): Promise<string> {
  if (file !== '-') {
    try {
      return withoutMark(readFileSync(file, 'utf8'))
    } catch (error) {
      throw inputFailure(`${file} can't be read: ${messageOf(error)}`, UNREADABLE_CURE, error)
    }
  }
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array | string))
  return withoutMark(Buffer.concat(chunks).toString('utf8'))
}

/** What `JSON.parse` threw, without the text that it quotes: the file may be a secret one, given by mistake. */
function jsonFault(error: unknown): string {
  return messageOf(error).replace(/, (?:\.\.\.)?"[^]*$/u, '')
}

/** A JSON value from a file or `-`. */
export async function readJson(file: string, stdin: Readable): Promise<unknown> {
  const text = await readText(file, stdin)
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw inputFailure(`${nameOfInput(file)} is not JSON: ${jsonFault(error)}`, 'Check that the whole file is there.')
  }
}

/** The lines of a file or `-`, one at a time. */
export async function* readLines(file: string, stdin: Readable): AsyncGenerator<string> {
  let input: Readable = stdin
  // Opened first: an error of the stream reaches readline's iterator in some versions of Node only.
  if (file !== '-') {
    try {
      input = (await open(file)).createReadStream()
    } catch (error) {
      throw inputFailure(`${file} can't be read: ${messageOf(error)}`, UNREADABLE_CURE, error)
    }
  }
  let broken: unknown
  const lines = createInterface({ input, crlfDelay: Infinity })
  input.once('error', (error: Error) => {
    broken = error
    lines.close()
  })
  try {
    for await (const line of lines) yield line
  } catch (error) {
    broken ??= error
  }
  if (broken !== undefined)
    throw inputFailure(`${nameOfInput(file)} can't be read: ${messageOf(broken)}`, UNREADABLE_CURE, broken)
}

/** Editors of Windows begin a file with one; JSON may not. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}
