import { CommanderError, type Command } from 'commander'
import { Context, type Run, type Surroundings } from './context.ts'
import { EXIT, type ExitCode, type Failure, usageFailure } from './failures/failure.ts'
import { buildProgram } from './program.ts'
import { reportFailure } from './terminal/report.ts'

/** Runs one command line to its end. Never rejects; failures are on stderr and in the exit code. */
export async function runCli(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const run: Run = { surroundings, exitCode: EXIT.ok, usage: '' }
  const program = buildProgram(run)
  if (args.length === 0) {
    program.outputHelp()
    return EXIT.ok
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return run.exitCode
  } catch (error) {
    // Help and version come as errors too, with exit code 0.
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok
    // A usage error may come before --json was read.
    const { output } = new Context(run, { ...(args.includes('--json') && { json: true }), ...program.opts() })
    // A group of commands without one of them: its help is the answer.
    if (error instanceof CommanderError && error.code === 'commander.help') {
      output.note(run.usage)
      const { wordsOf } = await import('./completion/did-you-mean.ts')
      const group = wordsOf(program, args).join(' ') || program.name()
      reportFailure(output, usageFailure(`${group} needs one of its commands`))
      return EXIT.usage
    }
    // Loads the classes of all that can fail; a command that succeeds does without.
    const { toFailure } = await import('./failures/to-failure.ts')
    const failure = await withMeaning(toFailure(error, run.misused), error, program, args)
    reportFailure(output, failure)
    return failure.exitCode
  }
}

/** An unknown command, or one with more words than it takes: perhaps another one was meant. */
async function withMeaning(
  failure: Failure,
  error: unknown,
  program: Command,
  args: readonly string[]
): Promise<Failure> {
  const codes = ['commander.unknownCommand', 'commander.excessArguments']
  if (!(error instanceof CommanderError) || !codes.includes(error.code)) return failure
  const { meantCommand } = await import('./completion/did-you-mean.ts')
  const meant = meantCommand(program, args)
  if (meant === undefined) return failure
  const detail = failure.message.replace(/ \(Did you mean .*$/u, '')
  return usageFailure(`${detail} (Did you mean ${meant}?)`, `Run \`chronym help ${meant}\`.`)
}
