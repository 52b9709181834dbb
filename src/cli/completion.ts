/** Completion scripts for shells, made from the command tree: commands, options, and names of the daemon. */
import { Argument, type Command, InvalidArgumentError } from 'commander'
import { connect } from './connection/connect.ts'
import type { CliCommand, Context } from './context.ts'
import { printable } from './terminal/format.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

interface CompletionNode {
  /** Words from the root: "", "zone", "zone set". */
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly description: string }[]
  readonly options: readonly { readonly flag: string; readonly description: string; readonly takesValue: boolean }[]
  readonly takesName: boolean
}

/** First arguments that a name of the daemon fits; a task is known by its name too. */
const NAMED: ReadonlySet<string> = new Set(['name', 'names', 'task'])

/** The command tree, flattened; options of the root are offered everywhere, since they are taken everywhere. */
function completionNodes(program: Command): CompletionNode[] {
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
      options: command === program ? shared : [...optionsOf(command), ...shared],
      takesName: NAMED.has(command.registeredArguments[0]?.name() ?? '')
    },
    ...command.commands.flatMap((each) => visit(each, path === '' ? each.name() : `${path} ${each.name()}`))
  ]
  return visit(program, '')
}

/** A word inside single quotes, for any of the three shells. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Patterns of a shell `case` that walk down the tree: "zone" after "", "zone set" after "zone". */
function descents(nodes: readonly CompletionNode[]): string {
  return nodes
    .filter(({ path }) => path !== '')
    .map(({ path }) => `"${path}"`)
    .join('|')
}

/** Patterns of the places where a name is offered. */
function named(nodes: readonly CompletionNode[]): string {
  return descents(nodes.filter(({ takesName }) => takesName))
}

/** Options that say which daemon is meant: the question for names gets them too. */
const DAEMON = ['--data-dir', '--api', '--token']
const DAEMON_OPTIONS = DAEMON.join('|')
const DAEMON_ASSIGNED = DAEMON.map((flag) => `${flag}=*`).join('|')

function bash(nodes: readonly CompletionNode[]): string {
  const wordsOf = ({ commands, options }: CompletionNode): string =>
    [...commands.map(({ name }) => name), ...options.map(({ flag }) => flag)].join(' ')
  const cases = nodes.map((node) => `    "${node.path}") words=${quote(wordsOf(node))} ;;`).join('\n')
  return `# bash completion for chronym: eval "$(chronym completion bash)"
_chronym() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" line="\${COMP_LINE:0:COMP_POINT}" path="" before="" next word words=""
  local -a to=()
  # COMP_WORDS has the parts of a word around ":" and "=", with its quotes: xargs gives whole words without them.
  while IFS= read -r word; do
    case "$before" in ${DAEMON_OPTIONS}) to+=("$before" "\${word/#\\~\\//$HOME/}"); before=""; continue ;; esac
    case "$word" in ${DAEMON_ASSIGNED}) to+=("$word") ;; esac
    before="$word"
    next="\${path:+$path }$word"
    case "$next" in ${descents(nodes)}) path="$next" ;; esac
  done < <(printf '%s' "\${line%[[:space:]]*}" | xargs -n 1 printf '%s\\n' 2>/dev/null | tail -n +2)
  case "$before" in --data-dir) COMPREPLY=(); return ;; esac
  case "$path" in
${cases}
  esac
  case "$path:$cur" in *:-*) ;; *) case "$path" in ${named(nodes)})
    words="$words $(chronym \${to[@]+"\${to[@]}"} completion names 2>/dev/null)" ;; esac ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _chronym chronym
`
}

function zsh(nodes: readonly CompletionNode[]): string {
  // _describe takes "word:description"; a colon inside the word would end it, and none has one.
  const entry = (word: string, description: string): string => quote(`${word}:${description}`)
  const candidatesOf = (node: CompletionNode): string =>
    [
      ...node.commands.map((each) => entry(each.name, each.description)),
      ...node.options.map((each) => entry(each.flag, each.description))
    ].join(' ')
  const cases = nodes.map((node) => `    ("${node.path}") candidates=(${candidatesOf(node)}) ;;`).join('\n')
  // A file of fpath is the body of the function at its first call: it completes then too.
  return `#compdef chronym
# zsh completion for chronym: chronym completion zsh > "\${fpath[1]}/_chronym"
_chronym() {
  local path_so_far="" before="" next word
  local -a candidates to
  for word in "\${(@Q)words[2,CURRENT-1]}"; do
    case "$before" in (${DAEMON_OPTIONS}) to+=("$before" "\${word/#\\~\\//$HOME/}"); before=""; continue ;; esac
    case "$word" in (${DAEMON_ASSIGNED}) to+=("$word") ;; esac
    before="$word"
    next="\${path_so_far:+$path_so_far }$word"
    case "$next" in (${descents(nodes)}) path_so_far="$next" ;; esac
  done
  case "$before" in (--data-dir) _files -/; return ;; esac
  case "$path_so_far" in
${cases}
  esac
  local -i found=1
  if [[ $PREFIX != -* ]]; then
    case "$path_so_far" in (${named(nodes)})
      compadd -- \${(f)"$(chronym "\${to[@]}" completion names 2>/dev/null)"} && found=0 ;; esac
  fi
  _describe 'chronym' candidates && found=0
  (( found )) && _files
}
if [[ \${funcstack[1]} == _chronym ]]; then _chronym "$@"; else compdef _chronym chronym; fi
`
}

function fish(nodes: readonly CompletionNode[]): string {
  const lines = nodes.flatMap((node) => {
    const at = `-n ${quote(`__chronym_at ${quote(node.path)}`)}`
    return [
      ...node.commands.map((each) => `complete -c chronym -f ${at} -a ${each.name} -d ${quote(each.description)}`),
      ...(node.takesName ? [`complete -c chronym -f ${at} -a '(__chronym_names)'`] : []),
      ...node.options.map((each) => {
        const option = `-l ${each.flag.slice(2)}${each.takesValue ? ' -r' : ''}`
        return `complete -c chronym ${at} ${option} -d ${quote(each.description)}`
      })
    ]
  })
  const paths = nodes
    .filter(({ path }) => path !== '')
    .map(({ path }) => quote(path))
    .join(' ')
  const isDaemonOption = (word: string): string => `contains -- "${word}" ${DAEMON.join(' ')}`
  // An empty list in double quotes is an empty word. Without quotes, or through `string join`, nothing would be left,
  // and `test` fails.
  return `# fish completion for chronym: chronym completion fish > ~/.config/fish/completions/chronym.fish
function __chronym_at
  set -l at
  set -l before
  for word in (commandline -opc)[2..-1]
    if ${isDaemonOption('$before')}
      set before
      continue
    end
    set before $word
    set -l next $at $word
    if contains -- "$next" ${paths}
      set at $next
    end
  end
  test "$at" = "$argv[1]"
end
function __chronym_names
  string match -q -- '-*' (commandline -ct); and return
  set -l to
  set -l before
  for word in (commandline -opc)[2..-1]
    if ${isDaemonOption('$before')}
      set to $to $before (string replace -r '^~/' "$HOME/" -- $word)
      set before
    else
      string match -qr -- '^(${DAEMON_OPTIONS})=' $word; and set to $to $word
      set before $word
    end
  end
  chronym $to completion names 2>/dev/null
end
${lines.join('\n')}
`
}

const MAKERS: Readonly<Record<Shell, (nodes: readonly CompletionNode[]) => string>> = { bash, zsh, fish }

/** Names that the daemon owns, and those that it works on. */
async function knownNames(context: Context): Promise<string[]> {
  const client = connect(context)
  const [owned, tasks] = await Promise.all([client.ownedNames(), client.tasks()])
  return [...new Set([...owned, ...tasks.map(({ name }) => name)])]
}

function shellOrNames(text: string): Shell | 'names' {
  const known = [...SHELLS, 'names' as const].find((each) => each === text)
  if (known === undefined) throw new InvalidArgumentError(`Allowed choices are ${SHELLS.join(', ')}.`)
  return known
}

/** `chronym completion bash|zsh|fish`; `chronym completion names` is what those scripts ask for. */
export function addCompletionCommand(program: CliCommand): void {
  program
    .command('completion')
    .addArgument(
      // The scripts ask for names; a person asks for a script.
      new Argument('<shell>', SHELLS.join(', ')).argParser(shellOrNames)
    )
    .description('print a completion script for your shell')
    .runs(async (context, _options: unknown, what: Shell | 'names') => {
      if (what === 'names') {
        const names = await knownNames(context)
        context.output.plain(names, names.map(printable).join('\n'))
      } else {
        const script = MAKERS[what](completionNodes(program))
        context.output.plain({ shell: what, script }, script.trimEnd())
      }
    })
}
