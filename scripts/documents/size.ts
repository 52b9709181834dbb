/** docs/reference/size.md: how large each room of the house is. Written by scripts/generate-docs.mjs. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { CONFIG_FIELDS } from '../../src/config/config.ts'
import { commandTree } from '../manual-pages.ts'

/** Commits may grow a room by this much before its page has to be made again. */
const GROWTH_PERCENT = 2
/** Lines that a small room may grow by besides. */
const GROWTH_LINES = 20

export interface Size {
  readonly files: number
  readonly lines: number
}

/** Sources, by what their names end with; tests count with what helps them. */
const SOURCES = '**/*.{ts,mts,mjs,js,rs,css,html,cpp}'
const OTHERS = /(?:^|[\\/])(?:node_modules|target)(?:[\\/]|$)/

/** A room is what a reader opens as a whole: a folder of src, a crate, another folder at the top. */
function roomOf(file: string): string {
  const [top = '', second = ''] = file.split(/[\\/]/)
  if (file.startsWith(join('src', 'web', 'assets'))) return 'src/web/assets'
  if (top === 'crates') return `crates/${second}`
  if (top === 'src') return second.includes('.') ? 'src' : `src/${second}`
  return top === 'lab' && second === '__test__' ? 'lab/__test__' : top
}

export function sizesOf(root: string): ReadonlyMap<string, Size> {
  const sizes = new Map<string, Size>()
  for (const top of ['src', 'crates', 'bench', 'lab', 'scripts', '__test__'])
    for (const file of globSync(join(top, SOURCES), { cwd: root, exclude: (path) => OTHERS.test(path) }).sort()) {
      const { files, lines } = sizes.get(roomOf(file)) ?? { files: 0, lines: 0 }
      const text = readFileSync(join(root, file), 'utf8')
      sizes.set(roomOf(file), { files: files + 1, lines: lines + text.split('\n').length - 1 })
    }
  return sizes
}

const count = (number: number): string => number.toLocaleString('en')

function sum(sizes: readonly Size[]): Size {
  return sizes.reduce((total, { files, lines }) => ({ files: total.files + files, lines: total.lines + lines }), {
    files: 0,
    lines: 0
  })
}

/** Those that do something themselves; `chronym zone` alone does not. */
function commandsBelow({ commands }: Command): number {
  return commands.length === 0 ? 1 : commands.reduce((total, command) => total + commandsBelow(command), 0)
}

/** What a user has to learn, and what others have to keep well. */
function counts(root: string): readonly (readonly [string, number])[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, object>
  const packages = (field: string): number => Object.keys(manifest[field] ?? {}).length
  return [
    ['settings', CONFIG_FIELDS.length],
    ['commands', commandsBelow(commandTree())],
    ['npm scripts', packages('scripts')],
    ['npm packages of the product', packages('dependencies')],
    ['npm packages to build and test', packages('devDependencies')]
  ]
}

export function renderSize(root: string): string {
  const sizes = [...sizesOf(root)].sort(([left], [right]) => (left < right ? -1 : 1))
  const row = (room: string, { files, lines }: Size): string => `| ${room} | ${count(files)} | ${count(lines)} |`
  const of = (place: string): Size =>
    sum(sizes.filter(([room]) => room.split('/')[0] === place).map(([, size]) => size))
  return `# Size

Made by \`node scripts/generate-docs.mjs\`. \`__test__/size.test.ts\` fails where a room has outgrown this page by more
than ${GROWTH_PERCENT}%. Make it smaller, or make the page again and give the reason in the commit.

| room | files | lines |
|---|---|---|
${sizes.map(([room, size]) => row(`\`${room}\``, size)).join('\n')}
${row('**`src` with the page**', of('src'))}
${row('**`crates`**', of('crates'))}

| | |
|---|---|
${counts(root)
  .map(([what, number]) => `| ${what} | ${count(number)} |`)
  .join('\n')}
`
}

/** Rooms that have outgrown the page, and those that it does not have. */
export function outgrown(page: string, sizes: ReadonlyMap<string, Size>): string[] {
  const known = new Map(
    Array.from(page.matchAll(/^\| `([\w/-]+)` \| [\d,]+ \| ([\d,]+) \|$/gm), ([, room, lines]) => [
      room!,
      Number(lines!.replaceAll(',', ''))
    ])
  )
  return [...sizes].flatMap(([room, { lines }]) => {
    const before = known.get(room)
    if (before === undefined) return [`${room} is not on the page`]
    const limit = Math.max(before * (1 + GROWTH_PERCENT / 100), before + GROWTH_LINES)
    return lines > limit ? [`${room} has grown from ${count(before)} to ${count(lines)} lines`] : []
  })
}
