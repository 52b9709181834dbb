/** The words of an argument: from the daemon, or built in. */
import type { Command } from 'commander'
import type { Client } from '../../api/client/client.ts'

export const VALUE_KINDS = ['names', 'tasks', 'fields', 'scopes'] as const
export type ValueKind = (typeof VALUE_KINDS)[number]

const KINDS: Readonly<Record<string, ValueKind>> = {
  renew: 'names',
  release: 'names',
  explain: 'names',
  resolve: 'names',
  share: 'names',
  'dns flush': 'names',
  'dns test': 'names',
  'https forget': 'names',
  status: 'tasks',
  cancel: 'tasks',
  pause: 'tasks',
  resume: 'tasks',
  'tasks move': 'tasks',
  'config get': 'fields',
  'config set': 'fields',
  'config unset': 'fields'
}

export const OPTION_KINDS: Readonly<Record<string, ValueKind>> = { '--scope': 'scopes' }

/**
 * The kind of a command's arguments, by its path; undefined where none is known. Every command on zones takes a name.
 */
export function valueKindOf(path: string): ValueKind | undefined {
  return path.startsWith('zone ') ? 'names' : KINDS[path]
}

export async function valuesOf(kind: ValueKind, client: () => Pick<Client, 'ownedNames' | 'tasks'>): Promise<string[]> {
  switch (kind) {
    case 'names':
      return client().ownedNames()
    case 'tasks': {
      const tasks = await client().tasks()
      return [...new Set(tasks.flatMap(({ name, task_id: id }) => [name, id]))]
    }
    case 'fields': {
      const { CONFIG_FIELDS } = await import('../../config/config.ts')
      return CONFIG_FIELDS.map(({ path }) => path)
    }
    case 'scopes': {
      const { SCOPES } = await import('../commands/daemon/token.ts')
      return [...SCOPES]
    }
  }
}

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
