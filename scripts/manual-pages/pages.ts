/** The manual pages, made of the command tree of `chronym` and the fields of the configuration. */
import { PassThrough } from 'node:stream'
import { Help, type Command } from 'commander'
import type { Run } from '../../src/cli/context.ts'
import { EXIT_CODE_MEANINGS } from '../../src/cli/failures/failure.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { CONFIG_FIELDS } from '../../src/config/config.ts'
import { VERSION } from '../../src/version.ts'
import { bold, items, page, roffText, syntax, type Item } from './roff.ts'

const help = new Help()

const FILES: readonly Item[] = [
  { term: '\\fI~/.config/chronym/config.toml\\fR', text: 'configuration of a daemon that a user starts' },
  {
    term: '\\fI~/.local/share/chronym/\\fR',
    text: 'data directories, one a network: the seed, the token, the database'
  },
  { term: '\\fI/etc/chronym/config.toml\\fR', text: 'configuration of the system service' },
  { term: '\\fI/var/lib/chronym/\\fR', text: 'data directory of the system service' }
]

const CLI_ENVIRONMENT: readonly Item[] = [
  { term: bold('CHRONYM_API'), text: "the daemon's address" },
  { term: bold('CHRONYM_TOKEN'), text: 'the access token' },
  { term: bold('CHRONYM_DATA_DIR'), text: "the daemon's data directory" },
  { term: bold('CHRONYM_CONFIG'), text: 'the configuration file' },
  { term: bold('NO_COLOR'), text: 'no colours' }
]

/** The tree alone: no command of it runs. */
export function commandTree(): Command {
  const stream = new PassThrough() as unknown as Run['surroundings']['stdout']
  const surroundings = {
    stdin: new PassThrough(),
    stdout: stream,
    stderr: stream,
    env: {},
    interruption: () => new AbortController().signal
  }
  return buildProgram({ surroundings, exitCode: 0, usage: '' })
}

/** File names with their contents. `date` is that of the build, YYYY-MM-DD. */
export function manualPages(date: string, program = commandTree()): Map<string, string> {
  const pages = new Map([
    ['chronym.1', overview(program, date)],
    ['chronymd.8', daemonPage(date)]
  ])
  for (const command of help.visibleCommands(program))
    pages.set(`chronym-${command.name()}.1`, commandPage(program, command, date))
  return pages
}

/** Without `--help`, which every command has. */
const optionItems = (command: Command): Item[] =>
  help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => ({ term: syntax(option.flags), text: help.optionDescription(option) }))

/** A description begins in lower case, for lists. */
const sentence = (text: string): string => roffText(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`)

const argumentItems = (command: Command): Item[] =>
  help
    .visibleArguments(command)
    .filter(({ description }) => description !== '')
    .map((argument) => ({ term: `\\fI${roffText(argument.name())}\\fR`, text: help.argumentDescription(argument) }))

const seeAlso = (...pages: readonly (readonly [string, number])[]): string[] => [
  pages.map(([name, section]) => `${bold(name)}(${section})`).join(', ')
]

function overview(program: Command, date: string): string {
  return page({ name: 'chronym', section: 1, version: VERSION, date, title: program.description() }, [
    { heading: 'SYNOPSIS', lines: [syntax('chronym [options] <command> [arguments]')] },
    {
      heading: 'DESCRIPTION',
      lines: [
        roffText('chronym talks to a running daemon, chronymd, over its HTTP interface.'),
        roffText('It finds the daemon by its data directory, and proves it before it shows the access token.'),
        '.PP',
        roffText('Each command has a page of its own, such as chronym-zone(1).')
      ]
    },
    {
      heading: 'COMMANDS',
      lines: items(
        help.visibleCommands(program).map((command) => ({
          term: `${bold(`chronym-${command.name()}`)}(1)`,
          text: command.description()
        }))
      )
    },
    { heading: 'OPTIONS', lines: items(optionItems(program)) },
    { heading: 'ENVIRONMENT', lines: items(CLI_ENVIRONMENT) },
    { heading: 'FILES', lines: items(FILES) },
    {
      heading: 'EXIT STATUS',
      lines: items(EXIT_CODE_MEANINGS.map(([code, meaning]) => ({ term: bold(String(code)), text: meaning })))
    },
    { heading: 'SEE ALSO', lines: seeAlso(['chronymd', 8]) }
  ])
}

/** A command with all below it. */
function commandPage(program: Command, command: Command, date: string): string {
  const below = descendants(command)
  const own = `chronym ${command.name()}`
  const synopsis = [command, ...below]
    .filter((each) => each.commands.length === 0 || each.registeredArguments.length > 0 || each === command)
    .map((each) =>
      syntax(`chronym ${pathOf(each)} ${help.commandUsage(each).split(' ').slice(pathWords(each)).join(' ')}`)
    )
  return page({ name: own.replace(' ', '-'), section: 1, version: VERSION, date, title: command.description() }, [
    { heading: 'SYNOPSIS', lines: synopsis.flatMap((line, index) => (index === 0 ? [line] : ['.br', line])) },
    { heading: 'DESCRIPTION', lines: [sentence(command.description())] },
    { heading: 'ARGUMENTS', lines: items(argumentItems(command)) },
    { heading: 'OPTIONS', lines: items(optionItems(command)) },
    { heading: 'COMMANDS', lines: below.flatMap(describeBelow) },
    {
      heading: 'EXIT STATUS',
      lines: [roffText('As listed in chronym(1). Options of the whole program may precede or follow the command.')]
    },
    { heading: 'SEE ALSO', lines: seeAlso(['chronym', 1], ['chronymd', 8]) }
  ])
}

function describeBelow(command: Command): string[] {
  return [
    `.SS chronym ${roffText(pathOf(command))}`,
    sentence(command.description()),
    ...items([...argumentItems(command), ...optionItems(command)])
  ]
}

function descendants(command: Command): Command[] {
  return help.visibleCommands(command).flatMap((each) => [each, ...descendants(each)])
}

/** Words below the program: `zone set`. */
function pathOf(command: Command): string {
  const above = command.parent
  return above?.parent == null ? command.name() : `${pathOf(above)} ${command.name()}`
}

/** Words of a usage before the arguments: a command's aliases are one word with its name. */
const pathWords = (command: Command): number => pathOf(command).split(' ').length + 1

function daemonPage(date: string): string {
  const fields = CONFIG_FIELDS.map(({ flag, kind, help: text, env, path }) => ({
    term: syntax(`--${flag} <${kind}>`),
    text: `${text} (${path}, ${env})`
  }))
  return page({ name: 'chronymd', section: 8, version: VERSION, date, title: 'the daemon of Chronym' }, [
    { heading: 'SYNOPSIS', lines: [syntax('chronymd [options]')] },
    {
      heading: 'DESCRIPTION',
      lines: [
        roffText('chronymd earns, publishes and resolves names until Ctrl-C or SIGTERM. It stays in the foreground.'),
        roffText('Under systemd it says when it answers, pings a watchdog and says that it stops (sd_notify(3)).')
      ]
    },
    {
      heading: 'OPTIONS',
      lines: items([
        { term: syntax('--config <file>'), text: 'configuration file (CHRONYM_CONFIG)' },
        ...fields,
        { term: syntax('--json'), text: 'print addresses and paths as one JSON object' },
        { term: syntax('--version'), text: 'print the version' },
        { term: syntax('--help'), text: 'print the options' }
      ])
    },
    {
      heading: 'ENVIRONMENT',
      lines: [
        roffText('Each option has a variable, in brackets above. Flags win over variables, variables over the file.'),
        ...items([
          { term: bold('CREDENTIALS_DIRECTORY'), text: 'holds chronym-passphrase, the passphrase of the seed' },
          { term: `${bold('NOTIFY_SOCKET')}, ${bold('WATCHDOG_USEC')}`, text: 'of systemd: sd_notify(3)' }
        ])
      ]
    },
    { heading: 'FILES', lines: items(FILES) },
    {
      heading: 'EXIT STATUS',
      lines: items([
        { term: bold('0'), text: 'stopped as asked' },
        { term: bold('1'), text: 'could not start' },
        { term: bold('2'), text: 'wrong options or configuration' }
      ])
    },
    {
      heading: 'SIGNALS',
      lines: items([
        { term: `${bold('SIGTERM')}, ${bold('SIGINT')}, ${bold('SIGHUP')}`, text: 'stop in order, within five seconds' }
      ])
    },
    { heading: 'SEE ALSO', lines: seeAlso(['chronym', 1], ['systemd.service', 5]) }
  ])
}
