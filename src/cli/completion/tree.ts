import type { Command } from 'commander'

export interface CompletionNode {
  /** Words from the root: "", "zone", "zone set". */
  path: string
  commands: readonly { name: string; description: string }[]
  options: readonly { flag: string; description: string; takesValue: boolean }[]
}

/** The command tree, flattened; options of the root are offered everywhere, since they are taken everywhere. */
export function completionNodes(program: Command): CompletionNode[] {
  const optionsOf = (command: Command): CompletionNode['options'] =>
    command.options.flatMap((option) =>
      option.long === undefined || option.hidden
        ? []
        : [{ flag: option.long, description: option.description, takesValue: option.required || option.optional }]
    )
  const shared = optionsOf(program)
  const visit = (command: Command, path: string): CompletionNode[] => [
    {
      path,
      commands: command.commands.map((each) => ({ name: each.name(), description: each.description() })),
      options: command === program ? shared : [...optionsOf(command), ...shared]
    },
    ...command.commands.flatMap((each) => visit(each, path === '' ? each.name() : `${path} ${each.name()}`))
  ]
  return visit(program, '')
}
