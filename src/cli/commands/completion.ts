import { Argument, type Command } from 'commander'
import { completionScript, SHELLS, type Shell } from '../completion/scripts.ts'
import { completionNodes } from '../completion/tree.ts'
import { action, type Run } from '../context.ts'
import { EXIT } from '../exit-codes.ts'

/** `chronym completion bash|zsh|fish`. */
export function addCompletionCommand(program: Command, run: Run): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .description('print a completion script for your shell')
    .action(
      action(run, (context, _options: unknown, shell: Shell) => {
        const script = completionScript(shell, completionNodes(program))
        context.output.plain({ shell, script }, script.trimEnd())
        return EXIT.ok
      })
    )
}
