/** Programs of the system that the tests of DNS run to their end, or meanwhile. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

export interface Ended {
  readonly code: number | null
  /** Standard output, then errors. */
  readonly output: string
}

/** A program that hangs ends then, and with it the test, with what the program said. */
const PATIENCE_MS = 60_000

/** `within`: a program that becomes it, such as `ip netns exec NAME`. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { within = [] }: { within?: readonly string[] } = {}
): Promise<Ended> {
  const [program, ...rest] = [...within, command, ...args]
  const child = spawn(program!, rest, { stdio: ['pipe', 'pipe', 'pipe'], timeout: PATIENCE_MS })
  child.stdin.on('error', () => undefined)
  child.stdin.end()
  const ended = once(child, 'close') as Promise<[number | null]>
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, output: output + errors }
}

/** A program that serves; resolves once a line of its output matches. */
export async function startProgram(
  command: string,
  args: readonly string[],
  ready: RegExp,
  within: readonly string[] = []
): Promise<ChildProcess> {
  const [program, ...rest] = [...within, command, ...args]
  const child = spawn(program!, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  const isReady = Promise.withResolvers<ChildProcess>()
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
      if (ready.test(said)) isReady.resolve(child)
    })
  child.on('error', isReady.reject)
  child.on('close', (code) => isReady.reject(new Error(`${command} ended with ${String(code)}: ${said}`)))
  return isReady.promise
}
