/**
 * Secrets from a person or another program. Never an argument or the value of an environment variable, which others can
 * read.
 */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'

/** Shorter ones are quickly guessed, whatever scrypt costs. */
export const LEAST_PASSPHRASE_LENGTH = 8

/** Bytes of a first line; a longer line can't be a passphrase, and a device would never end. */
const MOST_LINE_BYTES = 4_096

/** A number of a file descriptor; a file of that name is `./3`. */
const DESCRIPTOR = /^\d{1,4}$/u

const NEWLINE = 0x0a
const RETURN = 0x0d
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/** Why a file of a secret cannot be used; it never quotes the content. */
export class SecretFileError extends Error {
  override readonly name = 'SecretFileError'
}

/**
 * The first line of a file that holds a secret, without its end and a byte order mark, in a buffer for the caller to
 * overwrite. `-` is standard input; a number or `/dev/fd/N` is a descriptor.
 * Rejects with SecretFileError where it cannot be read, is empty or longer than 4 KiB.
 */
export async function readSecretLine(file: string, stdin: Readable): Promise<Buffer> {
  const what = file === '-' ? 'standard input' : DESCRIPTOR.test(file) ? `file descriptor ${file}` : file
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    const input =
      file === '-' ? stdin : DESCRIPTOR.test(file) ? createReadStream('', { fd: Number(file) }) : createReadStream(file)
    for await (const chunk of input) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array)
      chunks.push(bytes)
      length += bytes.length
      if (bytes.includes(NEWLINE) || length > MOST_LINE_BYTES) break
    }
  } catch (error) {
    throw new SecretFileError(`${what} can't be read: ${(error as Error).message}`, { cause: error })
  }
  const all = joinSecret(chunks)
  const end = all.indexOf(NEWLINE)
  const start = all.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0
  const whole = all.subarray(start, end < 0 ? all.length : end)
  const line = whole.at(-1) === RETURN ? whole.subarray(0, -1) : whole
  if (line.length === 0)
    throw new SecretFileError(`${what} begins with an empty line; the passphrase is expected there`)
  if (line.length > MOST_LINE_BYTES)
    throw new SecretFileError(`the first line of ${what} is longer than ${MOST_LINE_BYTES} bytes`)
  return line
}

/**
 * What the user typed; `interrupted` after Ctrl-C, or where `signal` aborted; `closed` after Ctrl-D, or at the end of
 * the input.
 */
type Typed = { readonly line: string } | 'interrupted' | 'closed'

/** Asks for a line on a terminal without showing it; the question goes to stderr. Standard input must be a terminal. */
export async function askHidden(stdin: Readable, question: string, signal?: AbortSignal): Promise<Typed> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: stdin, output: silent, terminal: true })
  const { promise: ended, resolve } = Promise.withResolvers<Typed>()
  prompt.once('line', (line) => resolve({ line }))
  prompt.once('SIGINT', () => resolve('interrupted'))
  prompt.once('close', () => resolve('closed'))
  const stop = (): void => resolve('interrupted')
  signal?.addEventListener('abort', stop, { once: true })
  try {
    process.stderr.write(`${question}: `)
    return await ended
  } finally {
    signal?.removeEventListener('abort', stop)
    process.stderr.write('\n')
    prompt.close()
  }
}

/**
 * Room for a secret that its owner overwrites. V8 has arrays of up to 64 bytes in its heap, and leaves copies behind
 * where it moves them; the memory of an ArrayBuffer stays in its place.
 */
export function secretBuffer(length: number): Buffer {
  return Buffer.from(new ArrayBuffer(length))
}

/** The parts in one buffer; the parts are overwritten. */
export function joinSecret(parts: readonly Uint8Array[]): Buffer {
  const whole = secretBuffer(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
    part.fill(0)
  }
  return whole
}
