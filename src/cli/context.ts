import type { Readable } from 'node:stream'
import {
  type Argument,
  Command,
  type ErrorOptions,
  type HelpContext,
  InvalidArgumentError,
  type Option
} from 'commander'
import { EXIT, type ExitCode } from './failures/failure.ts'
import { expandHome, PathError, pathFromHere } from '../util/user-paths.ts'
import { Output, type TerminalStream } from './terminal/output.ts'

/** What surrounds a run of the command line; tests pass their own. */
export interface Surroundings {
  stdin: Readable
  stdout: TerminalStream
  stderr: TerminalStream
  env: Readonly<Record<string, string | undefined>>
  /** As {@link OutputOptions.isCaptured}. */
  isCaptured?: boolean
  /** Aborted by Ctrl-C or SIGTERM; listens from the first call on. */
  interruption: () => AbortSignal
}

/** Options that every command takes, before or after its own. */
export interface GlobalOptions {
  json?: boolean
  color?: boolean
  api?: string | undefined
  token?: string
  dataDir?: string
}

export interface Run {
  readonly surroundings: Surroundings
  exitCode: ExitCode
  usage: string
  /** The words of the command whose use was wrong, such as `zone set`; empty for the program itself. */
  misused?: string
}

export class Context {
  readonly run: Run
  readonly options: GlobalOptions
  readonly output: Output

  constructor(run: Run, options: GlobalOptions) {
    const { json, color, dataDir, api } = options
    this.run = run
    this.options = options
    // A command in a message names the daemon that the options name. The environment holds for it as well.
    const daemon = { dataDir: dataDir === undefined ? undefined : pathFromHere(dataDir), api }
    this.output = new Output({ ...run.surroundings, json, color, daemon })
  }

  /** The same run, about the daemon of another data directory. */
  of(dataDir: string): Context {
    // An empty token keeps that of the environment from a daemon that it is not for.
    return new Context(this.run, { ...this.options, dataDir, api: undefined, token: '' })
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

type Returning<Options, Args extends unknown[], Result> = (
  context: Context,
  options: Options,
  ...args: Args
) => Promise<Result> | Result

/**
 * Arguments as commander hands them over: a missing optional one is undefined, a variadic one an array. Without an exit
 * code it is {@link EXIT.ok}.
 */
type Handler<Options, Args extends unknown[]> =
  Returning<Options, Args, ExitCode | undefined> | Returning<Options, Args, void>

const wordsOf = (command: Command): string[] =>
  command.parent === null ? [] : [...wordsOf(command.parent), command.name()]

/** Option parser: a path, from the working directory; `~/` is the user's home. */
export function pathOption(text: string): string {
  try {
    return expandHome(text)
  } catch (error) {
    throw error instanceof PathError ? new InvalidArgumentError(error.message) : error
  }
}

/** The values of options and the arguments that are paths, by the word in their brackets. */
const PATHS: ReadonlySet<string> = new Set([
  ...['file', 'directory', 'path', 'network'],
  // A link, or a file of some.
  ...['offer', 'name-or-offer']
])

/** A command whose handler gets a context. The handler's types must be those of the command's options and arguments. */
export class CliCommand extends Command {
  readonly #run: Run

  constructor(run: Run, name?: string) {
    super(name)
    this.#run = run
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(this.#run, name)
  }

  override createOption(flags: string, description?: string): Option {
    const option = super.createOption(flags, description)
    const value = /[<[](?<word>[a-z-]+)/u.exec(flags)?.groups?.['word']
    return value !== undefined && PATHS.has(value) ? option.argParser(pathOption) : option
  }

  override createArgument(name: string, description?: string): Argument {
    const argument = super.createArgument(name, description)
    return PATHS.has(argument.name()) ? argument.argParser(pathOption) : argument
  }

  override error(message: string, options?: ErrorOptions): never {
    this.#run.misused = wordsOf(this).join(' ')
    return super.error(message, options)
  }

  override help(context?: HelpContext | ((text: string) => string)): never {
    this.#run.misused = wordsOf(this).join(' ')
    return super.help(context as HelpContext)
  }

  /** Takes the seed that signs, and the network that it signs for. */
  signs({ seed = "owner's seed: 24 words or 64 hex digits", network = "the configuration's" } = {}): this {
    return this.option('--seed-file <file>', `${seed} (default: the daemon's)`).option(
      '--network <network>',
      `local, test, main or a profile file (default: ${network})`
    )
  }

  runs<Options, Args extends unknown[]>(handler: Handler<Options, Args>): this {
    return this.action(async () => {
      const context = new Context(this.#run, this.optsWithGlobals<GlobalOptions>())
      const exitCode = await handler(context, this.opts() as Options, ...(this.processedArgs as Args))
      this.#run.exitCode = exitCode ?? EXIT.ok
    })
  }

  /** The same for a handler that is imported only when the command runs. */
  loads<Options, Args extends unknown[]>(load: () => Promise<Handler<Options, Args>>): this {
    return this.runs<Options, Args>(async (...given) => (await (await load())(...given)) ?? EXIT.ok)
  }
}
