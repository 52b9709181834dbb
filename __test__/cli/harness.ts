import { serve, type ServerType } from '@hono/node-server'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { expect } from 'vitest'
import { runCli } from '../../src/cli/run.ts'

export interface CliResult {
  exitCode: number
  stdout: string
  stderr: string
}

export interface CliSettings {
  stdin?: string
  env?: Record<string, string>
  /** All three streams are terminals. */
  terminal?: boolean
  /** Of the terminal. */
  columns?: number
  signal?: AbortSignal
}

/** The words of a command line; what is put in stays one word. */
export const words = (texts: TemplateStringsArray, ...values: readonly string[]): string[] =>
  texts.flatMap((text, index) => [...text.split(' ').filter((word) => word !== ''), ...values.slice(index, index + 1)])

/** Runs one command line in this process. */
export async function cli(
  args: readonly string[],
  { stdin = '', env = {}, terminal = false, columns = 100, signal = new AbortController().signal }: CliSettings = {}
): Promise<CliResult> {
  let stdout = ''
  let stderr = ''
  const exitCode = await runCli(args, {
    stdin: Object.assign(Readable.from([Buffer.from(stdin)]), { isTTY: terminal }),
    stdout: { isTTY: terminal, columns, write: (text) => (stdout += text) },
    stderr: { isTTY: terminal, columns: 100, write: (text) => (stderr += text) },
    env,
    interruption: () => signal
  })
  return { exitCode, stdout, stderr }
}

/** How a command ends, and what it says of it: for `toMatchObject`. */
export const says = (exitCode: number, stderr: string | RegExp): { exitCode: number; stderr: string } => ({
  exitCode,
  stderr: (typeof stderr === 'string' ? expect.stringContaining(stderr) : expect.stringMatching(stderr)) as string
})

/** Serves on a free port of loopback. */
export async function listen(
  fetch: Parameters<typeof serve>[0]['fetch']
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = await new Promise<ServerType>((resolve) => {
    const made = serve({ fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(made))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve()))
  }
}
