/** Docs and tests name the same attacks: a name in brackets in docs/protocol/ is how the title of a test begins. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const TESTS = resolve(import.meta.dirname, '..')
const DOCS = resolve(TESTS, '../docs')
const THREATS = readFileSync(join(DOCS, 'threat-model.md'), 'utf8')

/** Brackets of the running text: neither those of code and formulas nor those of links. */
function namesIn(page: string): Set<string> {
  const text = page.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '')
  return new Set([...text.matchAll(/\[([^\][]+)\](?!\()/g)].map(([, name]) => name!.replaceAll(/\s+/g, ' ')))
}

function tried(): Set<string> {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'))
  return new Set(
    files.flatMap((file) =>
      [...readFileSync(join(TESTS, file), 'utf8').matchAll(/\bit\((["'`])\[(.+?)\]/g)].map(([, , name]) =>
        name!.replaceAll('\\', '')
      )
    )
  )
}

const PAGES = ['wire', 'rules', 'rationale'].map((name) => join(DOCS, `protocol/${name}.md`))
const page = namesIn(PAGES.map((path) => readFileSync(path, 'utf8')).join('\n'))
const tests = tried()

describe('the attacks of docs/protocol/', () => {
  it('are found there', () => {
    expect(page.size).toBeGreaterThan(35)
    expect(page).toContain('one lying receipt')
  })

  it('have each a test of that name', () => expect([...page].filter((name) => !tests.has(name))).toEqual([]))

  it('are all that tests are named after', () => expect([...tests].filter((name) => !page.has(name))).toEqual([]))

  it('are the ones of the threat model', () => expect([...namesIn(THREATS)].sort()).toEqual([...page].sort()))

  it('and other files of tests that the threat model names are there', () => {
    const files = [...THREATS.matchAll(/`(__test__\/[^`]+)`/g)].map(([, file]) => file!)
    expect(files.length).toBeGreaterThan(3)
    expect(files.filter((file) => !existsSync(resolve(TESTS, '..', file)))).toEqual([])
  })
})
