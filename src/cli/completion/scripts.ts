/** Completion scripts for shells, made from the command tree. Pure. */
import { Argument, InvalidArgumentError } from 'commander'
import { connect } from '../connection/connect.ts'
import type { CliCommand } from '../context.ts'
import { printable } from '../terminal/format.ts'
import {
  type CompletionNode,
  completionNodes,
  OPTION_KINDS,
  VALUE_KINDS,
  type ValueKind,
  valueKindOf,
  valuesOf
} from './words.ts'

type Shell = 'bash' | 'zsh' | 'fish'
const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish']

/** A word inside single quotes, for any of the three shells. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function wordsOf(node: CompletionNode): string {
  return [...node.commands.map(({ name }) => name), ...node.options.map(({ flag }) => flag)].join(' ')
}

/** Cases of a shell `case` that walk down the tree: "zone" after "", "zone set" after "zone". */
function descents(nodes: readonly CompletionNode[]): string {
  return nodes
    .filter(({ path }) => path !== '')
    .map(({ path }) => `"${path}"`)
    .join('|')
}

/** Cases of a shell `case` by the last word: `--scope` is followed by a scope. */
function optionKinds(open: string): string {
  return Object.entries(OPTION_KINDS)
    .map(([flag, kind]) => `${open}${flag}) kind=${kind} ;;`)
    .join(' ')
}

function bash(nodes: readonly CompletionNode[]): string {
  const cases = nodes
    .map((node) => `    "${node.path}") words=${quote(wordsOf(node))} kind=${valueKindOf(node.path) ?? ''} ;;`)
    .join('\n')
  return `# bash completion for chronym: eval "$(chronym completion bash)"
_chronym() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="" next word words="" kind="" before=""
  local -a to=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$before" in --data-dir|--api|--token) to+=("$before" "$word") ;; esac
    before="$word"
    next="\${path:+$path }$word"
    case "$next" in ${descents(nodes)}) path="$next" ;; esac
  done
  case "$path" in
${cases}
  esac
  case "$before" in ${optionKinds('')} esac
  if [[ -n $kind && $cur != -* ]]; then words="$words $(chronym "\${to[@]}" completion "$kind" 2>/dev/null)"; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _chronym chronym
`
}

function zsh(nodes: readonly CompletionNode[]): string {
  // _describe takes "word:description"; a colon inside the word would end it, and none has one.
  const entry = (word: string, description: string): string => quote(`${word}:${description}`)
  const candidatesOf = (node: CompletionNode): string[] => [
    ...node.commands.map((each) => entry(each.name, each.description)),
    ...node.options.map((each) => entry(each.flag, each.description))
  ]
  const cases = nodes
    .map(
      (node) =>
        `    ("${node.path}") candidates=(${candidatesOf(node).join(' ')}) kind=${valueKindOf(node.path) ?? ''} ;;`
    )
    .join('\n')
  return `#compdef chronym
# zsh completion for chronym: chronym completion zsh > "\${fpath[1]}/_chronym"
_chronym() {
  local path_so_far="" next word kind=""
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${path_so_far:+$path_so_far }$word"
    case "$next" in (${descents(nodes)}) path_so_far="$next" ;; esac
  done
  case "$path_so_far" in
${cases}
  esac
  case "\${words[CURRENT-1]}" in ${optionKinds('(')} esac
  [[ -n $kind ]] && compadd -- \${(f)"$(chronym completion $kind 2>/dev/null)"}
  _describe 'chronym' candidates || _files
}
compdef _chronym chronym
`
}

function fish(nodes: readonly CompletionNode[]): string {
  const wordsOfKind = (kind: string): string => quote(`(chronym completion ${kind} 2>/dev/null)`)
  const lines = nodes.flatMap((node) => {
    const at = `-n ${quote(`__chronym_at ${quote(node.path)}`)}`
    const kind = valueKindOf(node.path)
    return [
      ...node.commands.map((each) => `complete -c chronym -f ${at} -a ${each.name} -d ${quote(each.description)}`),
      ...(kind === undefined ? [] : [`complete -c chronym -f ${at} -a ${wordsOfKind(kind)}`]),
      ...node.options.map((each) => {
        const values = OPTION_KINDS[each.flag]
        const option = `-l ${each.flag.slice(2)}${each.takesValue ? ' -r' : ''}`
        const candidates = values === undefined ? '' : ` -f -a ${wordsOfKind(values)}`
        return `complete -c chronym ${at} ${option}${candidates} -d ${quote(each.description)}`
      })
    ]
  })
  // An empty list in double quotes is an empty word. Without quotes, or through `string join`, nothing would be left,
  // and `test` fails.
  return `# fish completion for chronym: chronym completion fish > ~/.config/fish/completions/chronym.fish
function __chronym_at
  set -l at
  for word in (commandline -opc)[2..-1]
    set -l next $at $word
    if contains -- "$next" ${nodes
      .filter(({ path }) => path !== '')
      .map(({ path }) => quote(path))
      .join(' ')}
      set at $next
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`
}

export function completionScript(shell: Shell, nodes: readonly CompletionNode[]): string {
  switch (shell) {
    case 'bash':
      return bash(nodes)
    case 'zsh':
      return zsh(nodes)
    case 'fish':
      return fish(nodes)
  }
}

function isShell(what: Shell | ValueKind): what is Shell {
  return (SHELLS as readonly string[]).includes(what)
}

function shellOrKind(text: string): Shell | ValueKind {
  const known = [...SHELLS, ...VALUE_KINDS].find((each) => each === text)
  if (known === undefined) throw new InvalidArgumentError(`Allowed choices are ${SHELLS.join(', ')}.`)
  return known
}

/** `chronym completion bash|zsh|fish`; `chronym completion names|tasks|fields|scopes` is what those scripts ask for. */
export function addCompletionCommand(program: CliCommand): void {
  program
    .command('completion')
    .addArgument(
      // What the scripts ask for is theirs alone: the help names the shells.
      new Argument('<shell>', SHELLS.join(', ')).argParser(shellOrKind)
    )
    .description('print a completion script for your shell')
    .runs(async (context, _options: unknown, what: Shell | ValueKind) => {
      if (isShell(what)) {
        const script = completionScript(what, completionNodes(program))
        context.output.plain({ shell: what, script }, script.trimEnd())
      } else {
        const words = await valuesOf(what, () => connect(context))
        context.output.plain(words, words.map(printable).join('\n'))
      }
    })
}
