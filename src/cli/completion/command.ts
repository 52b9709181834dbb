import { Argument, InvalidArgumentError, type Command } from 'commander'
import { completionScript, SHELLS, type Shell } from './scripts.ts'
import { completionNodes } from './tree.ts'
import { VALUE_KINDS, valuesOf, type ValueKind } from './values.ts'
import { connect } from '../connection/connect.ts'
import { action, type Run } from '../context.ts'
import { EXIT } from '../failures/exit-codes.ts'
import { printable } from '../terminal/format.ts'

function isShell(what: Shell | ValueKind): what is Shell {
  return (SHELLS as readonly string[]).includes(what)
}

function shellOrKind(text: string): Shell | ValueKind {
  const known = [...SHELLS, ...VALUE_KINDS].find((each) => each === text)
  if (known === undefined) throw new InvalidArgumentError(`Allowed choices are ${SHELLS.join(', ')}.`)
  return known
}

/** `chronym completion bash|zsh|fish`; `chronym completion names|tasks|fields|scopes` is what those scripts ask for. */
export function addCompletionCommand(program: Command, run: Run): void {
  program
    .command('completion')
    .addArgument(
      // What the scripts ask for is theirs alone: the help names the shells.
      new Argument('<shell>', SHELLS.join(', ')).argParser(shellOrKind)
    )
    .description('print a completion script for your shell')
    .action(
      action(run, async (context, _options: unknown, what: Shell | ValueKind) => {
        if (isShell(what)) {
          const script = completionScript(what, completionNodes(program))
          context.output.plain({ shell: what, script }, script.trimEnd())
        } else {
          const words = await valuesOf(what, () => connect(context))
          context.output.plain(words, words.map(printable).join('\n'))
        }
        return EXIT.ok
      })
    )
}
