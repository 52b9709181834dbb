/** Holds the pages and workflows at the root to files that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const GITHUB = readdirSync(join(ROOT, '.github'), { recursive: true, encoding: 'utf8' }).map((file) =>
  join('.github', file)
)
const PAGES = ['CONTRIBUTING.md', 'SECURITY.md', '.ci/run', ...GITHUB.filter((file) => /\.(yml|sh|md)$/.test(file))]
const PATH = /(?<![\w/.-])(?:src|crates|docs|scripts|bench|lab|__test__|\.ci|\.github)\/[\w./-]*\w/g

it.each(PAGES)('%s names only files that exist', (page) => {
  const named = readFileSync(join(ROOT, page), 'utf8').match(PATH) ?? []
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})
