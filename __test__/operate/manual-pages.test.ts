/** The manual pages: clean for mandoc, with the text of `--help`, and listed in package.json. */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { commandTree, manualPage, manualPages, roffText } from '../../scripts/manual-pages.ts'
import { EXIT_CODE_MEANINGS } from '../../src/cli/failures/failure.ts'
import { CONFIG_FIELDS } from '../../src/config/config.ts'
import { temporary } from '../temporary.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const pages = manualPages('2026-01-02')
const directory = temporary()

beforeAll(() => needPackages(['mandoc']))

function mandoc(...args: string[]): string {
  const { stdout, stderr } = spawnSync(programOf('mandoc'), args, { encoding: 'utf8', maxBuffer: 2 ** 26 })
  // Bold and underlined letters are overstruck.
  const parts = (stdout + stderr).split('\b')
  return parts.map((part, index) => (index < parts.length - 1 ? part.slice(0, -1) : part)).join('')
}

function written(name: string, text: string): string {
  const file = join(directory, name)
  writeFileSync(file, text)
  return file
}

/** Every command below one, with its words: `zone set`. */
function commands(command: Command, path: readonly string[] = []): { words: string; command: Command }[] {
  return command.commands.flatMap((each) => {
    const words = [...path, each.name()]
    return [{ words: words.join(' '), command: each }, ...commands(each, words)]
  })
}

describe('the manual pages', () => {
  it('are clean for mandoc', () => {
    const files = [...pages].map(([name, text]) => written(name, text))
    expect(mandoc('-Tlint', '-Wwarning', ...files)).toBe('')
    expect(mandoc('-Tlint', '-Wwarning', written('broken.1', '.TH X 1\n.NOSUCH\n'))).toContain('unknown macro')
  })

  it('show every command and option of `chronym --help`, and each exit code', () => {
    const text = mandoc('-Tutf8', '-Owidth=1000', written('chronym.1', pages.get('chronym.1')!))
    const tree = commandTree()
    const shown = tree.createHelp().visibleCommands(tree)
    for (const described of shown) expect(text).toContain(described.description().replaceAll(/\s+/g, ' '))
    for (const { long } of tree.options) expect(text).toContain(long)
    const words = text.split(/\s+/)
    for (const [code, meaning] of EXIT_CODE_MEANINGS) expect(words.join(' ')).toContain(`${code} ${meaning}`)
  })

  it('show every field of the configuration', () => {
    const text = mandoc('-Tutf8', '-Owidth=1000', written('chronymd.8', pages.get('chronymd.8')!))
    for (const { flag, env, help } of CONFIG_FIELDS)
      for (const shown of [`--${flag} `, env, help.replaceAll(/\s+/g, ' ')]) expect(text).toContain(shown)
  })

  it('are those that package.json tells npm to link: node scripts/generate-docs.mjs', () => {
    const { man } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { man: string[] }
    expect(man.toSorted()).toEqual([...pages.keys()].map((name) => `dist/man/${name}`).toSorted())
  })
})

it('docs/reference/cli.md names every command', () => {
  const manual = readFileSync(join(ROOT, 'docs/reference/cli.md'), 'utf8')
  const unnamed = commands(commandTree())
    .filter(({ command }) => command.commands.length === 0)
    .filter(({ words }) => !isNamed(manual, words.split(' ')))
  expect(unnamed.map(({ words }) => words)).toEqual([])
})

/** Not the user `chronym` of `sudo -u chronym`, nor a service of that name. */
const COMMAND = /(?<!(?:-u|exec|exec -T|-R) )\bchronym (?:--(?:api|data-dir) \S+ )*([a-z][\w -]*)/g

/** Words of `chronym ...` in the code of a page. */
function namedCommands(text: string): string[] {
  const code = [...text.matchAll(/`([^`\n]+)`/g), ...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  const lines = code.flatMap(([, part]) => part!.split('\n').map((line) => line.replace(/#.*/, '')))
  return lines.flatMap((line) => [...line.matchAll(COMMAND)].map(([, words]) => words!.trim()))
}

it.each(globSync('docs/operate/*.md', { cwd: ROOT }))('%s names commands that exist', (file) => {
  const known = commands(commandTree()).map(({ words }) => words)
  const named = namedCommands(readFileSync(join(ROOT, file), 'utf8'))
  const unknown = named.filter((words) => !known.some((each) => `${words} `.startsWith(`${each} `)))
  expect(unknown).toEqual([])
})

/** `zone set` as such, or `set` in the table or section of `zone`. */
function isNamed(manual: string, words: readonly string[]): boolean {
  if (new RegExp(`\\b${words.join(' ')}\\b`).test(manual)) return true
  const lines = manual.split('\n').filter((line) => line.includes(words[0]!))
  return lines.some((line) => new RegExp(`\\b${words.at(-1)!}\\b`).test(line))
}

it('a page shows text as it is, whatever it begins with or holds', () => {
  const texts = [".TH is 'no' request", "'quoted", 'a\\fBb \\e \\(aq', '-- ^ ~ ` " \u2192 $', 'a b.br c']
  for (const text of texts) {
    const source = manualPage(
      { name: 'x', section: 1, date: '2026-01-02', title: 'x' },
      `Text:\n${text}\n  ${text}  ${text}\n`
    )
    const shown = mandoc('-Tutf8', '-Owidth=200', written('x.1', source))
    expect(shown.split(text), text).toHaveLength(4)
  }
  expect(roffText('a  b\n.br c')).toBe('a b .br c')
})
