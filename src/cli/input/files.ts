import { isUtf8 } from 'node:buffer'
import { createReadStream, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { isUtf16, textOfUtf8 } from '../../util/utf8.ts'
import { type JsonError, parseStrictJson } from '../../util/strict-json.ts'
import { inputFailure, messageOf } from '../failures/failure.ts'

const NEWLINE = 0x0a

export const UNREADABLE_CURE = 'Check the path, and whether you may read it.'

export function nameOfInput(file: string): string {
  return file === '-' ? 'standard input' : file
}

/**
 * Whole text of a file, or of `stdin` for `-`, without a byte order mark. What can't be read, or is not UTF-8, is an
 * input failure.
 */
export async function readText(file: string, stdin: Readable): Promise<string> {
  try {
    return textOfUtf8(await octetsOf(file, stdin))
  } catch (error) {
    throw inputFailure(`${nameOfInput(file)} can't be read: ${messageOf(error)}`, UNREADABLE_CURE, error)
  }
}

async function octetsOf(file: string, stdin: Readable): Promise<Uint8Array> {
  if (file !== '-') return readFileSync(file)
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array | string))
  return Buffer.concat(chunks)
}

/** The text of a master file: an octet that is not UTF-8 is a `\\DDD` there, so that it stays as it is. */
export async function readMasterText(file: string, stdin: Readable): Promise<string> {
  try {
    return masterText(await octetsOf(file, stdin))
  } catch (error) {
    throw inputFailure(`${nameOfInput(file)} can't be read: ${messageOf(error)}`, UNREADABLE_CURE, error)
  }
}

/** Throws NotUtf8Error for UTF-16. */
export function masterText(octets: Uint8Array): string {
  if (isUtf8(octets) || isUtf16(octets)) return textOfUtf8(octets)
  return Buffer.from(octets)
    .toString('latin1')
    .replaceAll(/\\?([\x80-\xff])|\\[^]/gu, (mark, octet: string | undefined) =>
      octet === undefined ? mark : `\\${octet.charCodeAt(0)}`
    )
}

/** What `JSON.parse` threw, without the text that it quotes: the file may be a secret one, given by mistake. */
function jsonFault(error: unknown): string {
  return messageOf(error).replace(/, (?:\.\.\.)?"[^]*$/u, '')
}

/** A JSON value from a file or `-`. */
export async function readJson(file: string, stdin: Readable): Promise<unknown> {
  const text = await readText(file, stdin)
  try {
    return parseStrictJson(text, nameOfInput(file))
  } catch (error) {
    const { cause, message } = error as JsonError
    throw inputFailure(
      cause === undefined ? message : `${message}: ${jsonFault(cause)}`,
      cause === undefined ? 'Leave one of the two out.' : 'Check that the whole file is there.'
    )
  }
}

/** The lines of a file or `-`, one at a time. What is not UTF-8 is an input failure, which names the line. */
export async function* readLines(file: string, stdin: Readable): AsyncGenerator<string> {
  let number = 1
  try {
    for await (const octets of linesOf(file === '-' ? stdin : createReadStream(file))) {
      const text = textOfUtf8(octets, number++)
      // A file of an old Macintosh ends its lines with a carriage return alone.
      yield* text.replace(/\r$/u, '').split('\r')
    }
  } catch (error) {
    throw inputFailure(`${nameOfInput(file)} can't be read: ${messageOf(error)}`, UNREADABLE_CURE, error)
  }
}

async function* linesOf(input: Readable): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0)
  for await (const chunk of input) {
    rest = Buffer.concat([rest, Buffer.from(chunk as Uint8Array | string)])
    for (let end; (end = rest.indexOf(NEWLINE)) !== -1; rest = rest.subarray(end + 1)) yield rest.subarray(0, end)
  }
  if (rest.length > 0) yield rest
}
