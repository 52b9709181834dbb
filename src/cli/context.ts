import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { Command } from 'commander'
import { EXIT, type ExitCode } from './failures/exit-codes.ts'
import { Output, type TerminalStream } from './terminal/output.ts'
import type { MeantDaemon } from '../util/shell-commands.ts'

/** What surrounds a run of the command line; tests pass their own. */
export interface Surroundings {
  stdin: Readable
  stdout: TerminalStream
  stderr: TerminalStream
  env: Readonly<Record<string, string | undefined>>
  /** Aborted by Ctrl-C or SIGTERM; listens from the first call on. */
  interruption: () => AbortSignal
}

/** Options that every command takes, before or after its own. */
export interface GlobalOptions {
  json?: boolean
  color?: boolean
  api?: string
  token?: string
  dataDir?: string
}

/** One run: the surroundings in, the exit code out. */
export interface Run {
  readonly surroundings: Surroundings
  exitCode: ExitCode
  usage: string
}

/** The daemon that the options name: a command in a message names it too. The environment holds for it as well. */
export function meantDaemon({ dataDir, api }: GlobalOptions): MeantDaemon {
  return { dataDir: dataDir === undefined ? undefined : resolve(dataDir), api }
}

export class Context {
  readonly run: Run
  readonly options: GlobalOptions
  readonly output: Output

  constructor(run: Run, options: GlobalOptions) {
    const { stdout, stderr, env } = run.surroundings
    this.run = run
    this.options = options
    this.output = new Output({
      stdout,
      stderr,
      env,
      json: options.json,
      color: options.color,
      daemon: meantDaemon(options)
    })
  }

  get stdin(): Readable {
    return this.run.surroundings.stdin
  }

  get env(): Surroundings['env'] {
    return this.run.surroundings.env
  }

  /** From the first call on Ctrl-C aborts this instead of ending the process. */
  get signal(): AbortSignal {
    return this.run.surroundings.interruption()
  }
}

/** Arguments as commander hands them over: a missing optional one is undefined, a variadic one an array. */
export type Handler<Options, Args extends unknown[]> = (
  context: Context,
  options: Options,
  ...args: Args
) => Promise<ExitCode | undefined> | ExitCode | undefined

/** Makes a commander action of a handler, whose types must be those of the command's options and arguments. */
export function action<Options, Args extends unknown[]>(
  run: Run,
  handler: Handler<Options, Args>
): (...received: unknown[]) => Promise<void> {
  return async (...received) => {
    const command = received.at(-1) as Command
    const context = new Context(run, command.optsWithGlobals<GlobalOptions>())
    run.exitCode = (await handler(context, command.opts() as Options, ...(command.processedArgs as Args))) ?? EXIT.ok
  }
}
