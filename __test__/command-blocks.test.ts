/** Each block of commands that a page shows runs in a test, or is listed with its reason. */
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { COMMAND_BLOCKS } from './command-blocks.ts'

const ROOT = resolve(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** The first command of each block. */
const blocksOf = (page: string): string[] =>
  [...read(page).matchAll(/^```sh\b[^\n]*\n([\s\S]*?)^```$/gmu)].map(([, block]) =>
    block!
      .split('\n')
      .find((line) => line.trim() !== '' && !line.startsWith('#'))!
      .replace(/ {2,}#.*/u, '')
      .trim()
  )

const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })].filter((page) => blocksOf(page).length > 0)

it('every page with commands is in __test__/command-blocks.ts', () => {
  expect(Object.keys(COMMAND_BLOCKS).toSorted()).toEqual(pages.toSorted())
})

it.each(pages)('%s has the blocks that are listed, and the tests of those that run read the page', (page) => {
  const listed = COMMAND_BLOCKS[page] ?? []
  if (typeof listed === 'string') {
    expect(read(listed)).toContain(page)
    return
  }
  const seen = blocksOf(page).map((first, index) => {
    const [begins = '\n'] = listed[index] ?? []
    return first.startsWith(begins) ? begins : first
  })
  expect(seen).toEqual(listed.map(([begins]) => begins))
  for (const [, runs] of listed)
    if ('by' in runs) expect(read(runs.by)).toContain(page)
    else expect(runs.not).not.toBe('')
})
