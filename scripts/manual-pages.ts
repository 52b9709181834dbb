/** chronym(1) and chronymd(8): the text of `--help` in the macros of man(7). `SOURCE_DATE_EPOCH` sets their date. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import type { Run } from '../src/cli/context.ts'
import { EXIT_CODE_MEANINGS } from '../src/cli/failures/failure.ts'
import { buildProgram } from '../src/cli/program.ts'
import { usage as daemonUsage } from '../src/daemon/chronymd.ts'
import { VERSION } from '../src/version.ts'

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

/** File names with their contents. `date` is YYYY-MM-DD. */
export function manualPages(date: string): Map<string, string> {
  // One line for each option: the pager wraps them.
  const program = commandTree().configureHelp({ helpWidth: 1000 })
  const exitCodes = EXIT_CODE_MEANINGS.map(([code, meaning]) => `  ${code}  ${meaning}`).join('\n')
  const help = `${program.helpInformation()}\nExit status:\n${exitCodes}\n`
  return new Map([
    ['chronym.1', manualPage({ name: 'chronym', section: 1, date, title: 'names earned by time' }, help)],
    [
      'chronymd.8',
      manualPage({ name: 'chronymd', section: 8, date, title: 'the daemon of Chronym' }, daemonUsage('config.toml'))
    ]
  ])
}

interface PageHead {
  readonly name: string
  readonly section: number
  readonly date: string
  readonly title: string
}

/** A heading for each `Word:`, an item for each indented term with its text, a paragraph for all else. */
export function manualPage({ name, section, date, title }: PageHead, help: string): string {
  const head = [
    `.TH ${name.toUpperCase()} ${section} ${date} "Chronym ${VERSION}" "Chronym Manual"`,
    '.SH NAME',
    `${roffText(name)} \\- ${roffText(title)}`
  ]
  const body = help.split('\n').flatMap((line, index, lines) => {
    const { synopsis, heading, term, text } = LINE.exec(line)?.groups ?? {}
    if (synopsis !== undefined) return ['.SH SYNOPSIS', bold(synopsis), '.SH DESCRIPTION']
    if (heading !== undefined) return [`.SH ${roffText(heading.toUpperCase())}`]
    if (term !== undefined) return ['.TP', bold(term), roffText(text ?? '')]
    if (line.trim() === '') return []
    const follows = index > 0 && lines[index - 1]!.trim() === '' && !/^Usage:/u.test(lines[index - 2] ?? '')
    return [...(follows ? ['.PP'] : []), roffText(line)]
  })
  return `${[...head, ...body].join('\n')}\n`
}

const LINE = /^(?:Usage: (?<synopsis>.+)|(?<heading>[A-Z][a-z ]+):| {2}(?<term>\S.*?) {2,}(?<text>\S.*))$/u

/** Text for a line of roff: nothing in it is a request, an escape or a typographic sign. */
export function roffText(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('"', '\\(dq')
    .replaceAll(/[^\p{ASCII}]/gu, (sign) => `\\[u${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return escaped.replace(/^\./, '\\&.')
}

const bold = (text: string): string => `\\fB${roffText(text)}\\fR`

/** To dist/man, as the last step of the build. */
export function writeManualPages(): void {
  const folder = resolve(import.meta.dirname, '../dist/man')
  const epoch = process.env['SOURCE_DATE_EPOCH']
  const date = epoch === undefined ? new Date() : new Date(Number(epoch) * 1000)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of manualPages(date.toISOString().slice(0, 10))) writeFileSync(join(folder, name), text)
}
