/** docs/walk.md names doors that are there, and no more than a reader opens. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
/** Files that a reader opens for one registration. */
const MOST = 24
const DOOR = /^\| (\d+) \| `([^`]+)` \| `(\w+)` \| [^|]+ \|$/gm

const page = readFileSync(join(ROOT, 'docs/walk.md'), 'utf8')
const doors = [...page.matchAll(DOOR)].map(([, number, file, symbol]) => ({
  number: Number(number),
  file: file!,
  symbol: symbol!
}))

const exports = (source: string, symbol: string): boolean =>
  new RegExp(`^export (?:async )?(?:function|class|interface|const|type) ${symbol}\\b`, 'm').test(source)

it('a registration has its doors in order, each in another file', () => {
  expect(doors.map(({ number }) => number)).toEqual(doors.map((_, index) => index + 1))
  expect(doors.length).toBeGreaterThan(20)
  expect(new Set(doors.map(({ file }) => file)).size).toBe(doors.length)
  expect(doors.length).toBeLessThanOrEqual(MOST)
})

it.each(doors)('door $number has $symbol in $file', ({ file, symbol }) => {
  const source = readFileSync(join(ROOT, file), 'utf8')
  expect(exports(source, symbol)).toBe(true)
  expect(exports(source, `${symbol}Gone`)).toBe(false)
})
