import { Readable } from 'node:stream'
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
