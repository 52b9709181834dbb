/** Every page that a comment, a message or another page names exists, and so does the section or anchor that it names. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const HERE = '__test__/documents.test.ts'
const SOURCES = ['{src,__test__,bench,scripts}/**/*.{ts,mjs,py,md}', 'crates/*/{src,tests,examples,benches}/**/*.rs', 'crates/*/*.md', 'docs/**/*.md', '*.md', '.github/**/*.{yml,md}']
const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT, exclude: (path) => /node_modules|\/target/.test(path) })).filter((file) => file !== HERE)
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const withoutCode = (page: string): string => page.replaceAll(/^```[\s\S]*?^```/gm, '')

/** As GitHub makes them of headings. */
const anchors = (page: string): string[] => [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-'))

/** `12` is a heading that begins with this number; a title is a heading, or the bold words that begin a paragraph or an item. */
function hasSection(page: string, number: string | undefined, title: string | undefined): boolean {
  if (title !== undefined) return page.split('\n').some((line) => line.replace(/^[\d#.-]+ /, '').replace(/^[\d.]+ /, '').replace(/^\*\*/, '').startsWith(title))
  return number === undefined || new RegExp(`^#+ ${number}\\. `, 'm').test(page)
}

/** What is wrong with the places that a file names: `docs/x.md`, `docs/x.md, 12`, `docs/x.md, section 12`, `docs/x.md, "Title"`. */
function brokenPlaces(text: string): string[] {
  const places = [...text.matchAll(/(?<![\w./-])(docs\/[\w./-]+\.md)(?:\]\([^)]*\))?(?:, (?:section )?(\d+)\b)?(?:, \\?["']([^"'\\\n]+)\\?["'])?/g)]
  return places.filter(([, path, number, title]) => !existsSync(join(ROOT, path!)) || !hasSection(read(path!), number, title)).map(([place]) => place)
}

function brokenLinks(file: string): string[] {
  const links = [...withoutCode(read(file)).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
  return links.filter(([, path, anchor]) => {
    const target = path === '' ? file : relative(ROOT, resolve(ROOT, dirname(file), path!))
    return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchors(read(target)).includes(anchor))
  }).map(([link]) => link)
}

describe('the documents', () => {
  it('are found, and so are those that refer to them', () => {
    expect(files).toEqual(expect.arrayContaining(['README.md', 'docs/protocol/rules.md', 'src/protocol/pin.ts', 'crates/vdf/README.md']))
    expect(brokenPlaces('docs/protocol/rules.md, 10, "Witnessed" docs/none.md')).toEqual(['docs/none.md'])
    expect(brokenPlaces('docs/protocol/rules.md, 99 (docs/api.md, "No such part")')).toHaveLength(2)
  })

  it.each(files.filter((file) => /(?<!__test__.*)\.md$/.test(file)))('%s links to files and anchors that exist', (file) => expect(brokenLinks(file)).toEqual([]))

  it('are all in the index', () => {
    const listed = [...read('docs/README.md').matchAll(/\]\(([^)#]+)\)/g)].map(([, path]) => join('docs', path!))
    expect(files.filter((file) => file.startsWith('docs/') && file !== 'docs/README.md' && !listed.includes(file))).toEqual([])
  })

  it('have every page and section that is named in sources, tests and messages', () => {
    expect(files.flatMap((file) => brokenPlaces(read(file)).map((place) => `${file}: ${place}`))).toEqual([])
  })

  it('name files and folders of the sources that exist', () => {
    const named = (page: string): string[] => [...withoutCode(page).matchAll(/`((?:src|crates|__test__|bench|scripts)\/[\w./-]+)`/g)].map(([, path]) => path!)
    const pages = files.filter((file) => file === 'README.md' || file.startsWith('docs/'))
    expect(pages.flatMap((file) => named(read(file)))).toContain('src/protocol')
    expect(pages.flatMap((file) => named(read(file)).filter((path) => !existsSync(join(ROOT, path))).map((path) => `${file}: ${path}`))).toEqual([])
  })

  it('do not refer to pages outside of the repository', () => {
    expect(files.filter((file) => /shared\/spec|api-decisions|(?<![\w/-])protocol\.md/.test(read(file)))).toEqual([])
  })
})
