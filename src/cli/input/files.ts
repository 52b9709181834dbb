import { createReadStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { inputFailure, messageOf } from '../failure.ts'

/** Whole text of a file, or of `stdin` for `-`. An unreadable file is an input failure. */
export async function readText(file: string, stdin: Readable): Promise<string> {
  if (file !== '-') {
    try {
      return readFileSync(file, 'utf8')
    } catch (error) {
      throw inputFailure(`${file} can't be read: ${messageOf(error)}`, error)
    }
  }
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array | string))
  return Buffer.concat(chunks).toString('utf8')
}

/** A JSON value from a file or `-`. */
export async function readJson(file: string, stdin: Readable): Promise<unknown> {
  const text = await readText(file, stdin)
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw inputFailure(`${file === '-' ? 'standard input' : file} is not JSON: ${messageOf(error)}`, error)
  }
}

/** The lines of a file or `-`, one at a time. */
export async function* readLines(file: string, stdin: Readable): AsyncGenerator<string> {
  const input = file === '-' ? stdin : createReadStream(file)
  // readline's iterator does not hand on errors of its input.
  let broken: unknown
  const lines = createInterface({ input, crlfDelay: Infinity })
  input.once('error', (error: Error) => {
    broken = error
    lines.close()
  })
  for await (const line of lines) yield line
  if (broken !== undefined) throw inputFailure(`${file} can't be read: ${messageOf(broken)}`, broken)
}
