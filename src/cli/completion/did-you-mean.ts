/** The command that was meant, where another program would have the word. Near spellings are commander's. Pure. */
import type { Command } from 'commander'

/** Words of one meaning: where a group of commands has one of them, the others mean it. */
const ALIKE: readonly (readonly string[])[] = [
  ['get', 'show', 'list', 'ls', 'print', 'cat', 'view', 'export', 'stats', 'path', 'status'],
  ['rm', 'remove', 'delete', 'del', 'revoke', 'forget', 'discard'],
  ['add', 'create', 'new', 'set'],
  ['publish', 'push', 'apply', 'save']
]

/** What the words mean where {@link ALIKE} does not tell. */
const MEANT: Readonly<Record<string, string>> = {
  list: 'names',
  ls: 'names',
  show: 'zone get',
  get: 'zone get',
  cat: 'zone get',
  path: 'doctor',
  info: 'status',
  ps: 'tasks',
  whois: 'explain',
  lookup: 'resolve',
  query: 'resolve',
  dig: 'dns test',
  claim: 'register',
  buy: 'register',
  create: 'register',
  new: 'register',
  add: 'zone add',
  set: 'zone set',
  edit: 'zone edit',
  rm: 'zone rm',
  delete: 'release',
  remove: 'release',
  publish: 'zone publish',
  stop: 'cancel',
  start: 'daemon',
  serve: 'daemon',
  seed: 'key show',
  words: 'key show',
  import: 'key import',
  'config path': 'config check',
  'key path': 'doctor',
  'token path': 'doctor'
}

/** The words of a command line without the options of the whole program. */
export function wordsOf(program: Command, args: readonly string[]): string[] {
  return args.filter((word, index) => {
    const before = program.options.find(({ long, short }) => [long, short].includes(args[index - 1]))
    return !word.startsWith('-') && before?.required !== true
  })
}

/** `zone get` for `zone show NAME`; undefined where no command is like it. */
export function meantCommand(program: Command, args: readonly string[]): string | undefined {
  const words = wordsOf(program, args)
  const group = program.commands.find((command) => command.name() === words[0] && command.commands.length > 0)
  const word = group === undefined ? words[0] : words[1]
  if (word === undefined) return undefined
  const path = group === undefined ? word : `${group.name()} ${word}`
  if (Object.hasOwn(MEANT, path)) return MEANT[path]
  const alike = ALIKE.find((each) => each.includes(word))
  const meant = alike?.find((each) => each !== word && group?.commands.some((command) => command.name() === each))
  return meant === undefined ? undefined : `${group!.name()} ${meant}`
}
