import { CommanderError } from 'commander'
import { Context, type Run, type Surroundings } from './context.ts'
import { EXIT, type ExitCode, usageFailure } from './failures/failure.ts'
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
      reportFailure(output, usageFailure(`${run.misused || program.name()} needs one of its commands`))
      return EXIT.usage
    }
    // Loads the classes of all that can fail; a command that succeeds does without.
    const { toFailure } = await import('./failures/to-failure.ts')
    const failure = toFailure(error, run.misused)
    reportFailure(output, failure)
    return failure.exitCode
  }
}
