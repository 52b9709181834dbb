/** Every page that a comment, a message or another page names exists, and so does the section or anchor it names. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { iterationsFor, parseName } from '../src/protocol/name/names.ts'
import { main } from '../src/protocol/profile/built-in.ts'

const ROOT = resolve(import.meta.dirname, '..')
const HERE = '__test__/documents.test.ts'
const SOURCES = [
  '{src,__test__,bench,lab,scripts}/**/*.{ts,mjs,py,md}',
  'crates/*/{src,tests,examples,benches}/**/*.rs',
  'crates/*/*.md',
  'docs/**/*.md',
  '*.md',
  '.github/**/*.{yml,md}'
]
const files = SOURCES.flatMap((pattern) =>
  globSync(pattern, { cwd: ROOT, exclude: (path) => /node_modules|\/target/.test(path) })
).filter((file) => file !== HERE)
const pages = files.filter((file) => file === 'README.md' || /^(?:docs|lab)\/.*\.md$/.test(file))

/** `docs/x.md`, `docs/x.md, 12`, `docs/x.md, section 12`, `docs/x.md, "Title"`. */
const PLACE =
  /(?<![\w./-])((?:docs|lab)\/[\w./-]+\.md)(?:\]\([^)]*\))?(?:, (?:section )?(\d+)\b)?(?:, \\?["']([^"'\\\n]+)\\?["'])?/g
const LINK = /\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g
const SOURCE = /`((?:src|crates|__test__|bench|lab|scripts)\/[\w./-]+)`/g

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const exists = (path: string): boolean => existsSync(join(ROOT, path))
const withoutCode = (page: string): string => page.replaceAll(/^```[\s\S]*?^```/gm, '')
/** A comment's text in one line. */
const unwrapped = (text: string): string => text.replaceAll(/\n\s*(?:\*|\/\/[/!]?|#)? */g, ' ')

/** As GitHub makes them of headings. */
function anchors(page: string): string[] {
  const titles = [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!.toLowerCase())
  return titles.map((title) => title.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-'))
}

/** `12` is a heading that begins with this number; a title is a heading, or the bold words that begin a paragraph. */
function hasSection(page: string, number: string | undefined, title: string | undefined): boolean {
  const starts = page.split('\n').map((line) => line.replace(/^(?:#+|\d+\.|-) /, '').replace(/^(?:\d+\. |\*\*)/, ''))
  if (title !== undefined) return starts.some((start) => start.startsWith(title))
  return number === undefined || new RegExp(`^#+ ${number}\\. `, 'm').test(page)
}

function brokenPlaces(text: string): string[] {
  return [...unwrapped(text).matchAll(PLACE)]
    .filter(([, path, number, title]) => !exists(path!) || !hasSection(read(path!), number, title))
    .map(([place]) => place)
}

function brokenLinks(file: string): string[] {
  return [...withoutCode(read(file)).matchAll(LINK)]
    .filter(([, path, anchor]) => {
      const target = path === '' ? file : relative(ROOT, resolve(ROOT, dirname(file), path!))
      return !exists(target) || (anchor !== undefined && !anchors(read(target)).includes(anchor))
    })
    .map(([link]) => link)
}

/** The folders below `src/` of a tree that is drawn with two spaces a level. */
function drawnFolders(page: string): string[] {
  const [, tree = ''] = /^src\/\n([\s\S]*?)^```/m.exec(page) ?? []
  const above: string[] = ['src']
  return [...tree.matchAll(/^( +)([\w-]+)\//gm)].map(([, indent, name]) => {
    above.splice(indent!.length / 2, Infinity, name!)
    return above.join('/')
  })
}

describe('the documents', () => {
  it('are found, and so are those that refer to them', () => {
    expect(files).toEqual(expect.arrayContaining(['README.md', 'docs/protocol/rules.md', 'crates/vdf/README.md']))
    expect(files.filter((file) => read(file).includes('docs/protocol/')).length).toBeGreaterThan(30)
    expect(brokenPlaces('docs/protocol/rules.md, 10, "Witnessed" docs/none.md')).toEqual(['docs/none.md'])
    expect(brokenPlaces('docs/protocol/rules.md,\n * 99 (docs/api.md, "No such part")')).toHaveLength(2)
  })

  it.each(files.filter((file) => /(?<!__test__.*)\.md$/.test(file)))('%s has links to what exists', (file) => {
    expect(brokenLinks(file)).toEqual([])
  })

  it('are all in the index', () => {
    const listed = ['docs', 'lab'].flatMap((room) =>
      [...read(`${room}/README.md`).matchAll(LINK)].map(([, path]) => join(room, path!))
    )
    expect(pages.filter((page) => page !== 'docs/README.md' && !listed.includes(page))).toEqual([])
  })

  it('name six pages that can be read in an hour', () => {
    const WORDS_A_MINUTE = 200
    const [, first = ''] = /## Six pages[^\n]*\n([\s\S]*?)\n## /.exec(read('docs/README.md')) ?? []
    const six = [...first.matchAll(/^\d\. \[[^\]]+\]\(([^)]+)\)/gm)].map(([, path]) => join('docs', path!))
    expect(six).toHaveLength(6)
    const words = six.flatMap((page) => read(page).match(/\S+/g) ?? [])
    expect(words.length).toBeLessThan(60 * WORDS_A_MINUTE)
  })

  it('show every picture of the documents, so that none is kept that nobody sees', () => {
    const shown = files.flatMap((file) =>
      file.endsWith('.md') ? [...read(file).matchAll(LINK)].map(([, path]) => join(dirname(file), path!)) : []
    )
    const pictures = globSync('{docs,lab}/**/*.{png,svg}', { cwd: ROOT })
    expect(pictures.length).toBeGreaterThan(10)
    expect(pictures.filter((picture) => !shown.includes(picture))).toEqual([])
  })

  it('have every page and section that is named in sources, tests and messages', () => {
    expect(files.flatMap((file) => brokenPlaces(read(file)).map((place) => `${file}: ${place}`))).toEqual([])
  })

  it('name files and folders of the sources that exist', () => {
    const named = pages.flatMap((page) =>
      [...withoutCode(read(page)).matchAll(SOURCE)].map(([, path]) => [page, path!])
    )
    expect(named.map(([, path]) => path)).toContain('src/protocol')
    expect(named.filter(([, path]) => !exists(path!))).toEqual([])
  })

  it('draw the tree of the sources as it is', () => {
    const folders = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    expect(drawnFolders(read('docs/architecture.md')).sort()).toEqual(folders.sort())
  })

  it('and messages have nobody install from a registry, where these names belong to nobody yet', () => {
    const byName =
      /npm (?:install|i|exec)\b[^`\n]* @?chronym(?=[@/\s`'"]|$)|npx chronym@|cargo (?:install|add) chronym/m
    expect('sudo npm install --global chronym@latest').toMatch(byName)
    const told = files.filter((file) => !file.startsWith('__test__/') && byName.test(read(file)))
    expect(told).toEqual([])
  })

  it('do not refer to pages outside of the repository', () => {
    const outside = /shared\/spec|api-decisions|(?<![\w/-])protocol\.md/
    expect(files.filter((file) => outside.test(read(file)))).toEqual([])
  })
})

it('the README is a screen and a half', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(80)
})

it('costs of names are those of network main', () => {
  const costs = read('docs/tasks.md')
  const squarings = iterationsFor(parseName('alice.chronym', main), main)
  expect(costs).toContain(`five letters | ${squarings.toLocaleString('en')} squarings: a day at 333,000 a second`)
  expect(squarings / 333_000 / 3600).toBeCloseTo(24, 0)
})
