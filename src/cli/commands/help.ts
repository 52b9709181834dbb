import type { Command } from 'commander'
import { action, type Run } from '../context.ts'
import { EXIT_CODE_MEANINGS } from '../failures/exit-codes.ts'
import { usageFailure } from '../failures/failure.ts'
import { formatTable } from '../terminal/format.ts'

/** `chronym help [command...]`, `chronym help exit-codes`. */
export function addHelpCommand(program: Command, run: Run): void {
  program
    .command('help')
    .argument('[topic...]', 'a command, or "exit-codes"')
    .description('explain a command, or the exit codes')
    .action(
      action(run, (context, _options: unknown, path: string[]) => {
        if (path[0] === 'exit-codes' && path.length === 1) {
          // Help is text in a pager too.
          context.output.plain(
            EXIT_CODE_MEANINGS.map(([code, meaning]) => ({ code, meaning })),
            formatTable([['code', 'meaning'], ...EXIT_CODE_MEANINGS.map(([code, meaning]) => [String(code), meaning])])
          )
          return undefined
        }
        let command = program
        for (const word of path) {
          const next = command.commands.find(
            (candidate) => candidate.name() === word || candidate.aliases().includes(word)
          )
          if (next === undefined)
            throw usageFailure(`no command "${path.join(' ')}"`, 'List the commands: chronym help.')
          command = next
        }
        return command.help()
      })
    )
}
