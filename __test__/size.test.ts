import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { outgrown, renderSize, sizesOf } from '../scripts/documents/size.ts'

const ROOT = resolve(import.meta.dirname, '..')
const sizes = sizesOf(ROOT)
const page = readFileSync(join(ROOT, 'docs/reference/size.md'), 'utf8')

it('no room has outgrown docs/reference/size.md: make it smaller, or say why and run node scripts/generate-docs.mjs', () => {
  expect(outgrown(page, sizes)).toEqual([])
})

it('every room of src and every crate is counted', () => {
  const rooms = [...sizes.keys()]
  expect(rooms).toEqual(expect.arrayContaining(['src', 'src/protocol', 'src/web/assets', 'crates/vdf', 'bench', 'lab']))
  expect(rooms).toEqual(expect.arrayContaining(['__test__', 'lab/__test__', 'scripts']))
  for (const { files, lines } of sizes.values()) expect(lines).toBeGreaterThan(files)
})

it('a room that grows, or is new, is named', () => {
  const made = renderSize(ROOT)
  expect(outgrown(made, sizes)).toEqual([])
  const grown = new Map(sizes)
    .set('src/protocol', { files: 1, lines: 1_000_000 })
    .set('src/attic', { files: 1, lines: 1 })
  expect(outgrown(made, grown)).toEqual([
    expect.stringMatching(/^src\/protocol has grown from [\d,]+ to 1,000,000 lines$/),
    'src/attic is not on the page'
  ])
  const small = new Map([['lab', { files: 1, lines: 120 }]])
  expect(outgrown('| `lab` | 1 | 100 |', small)).toEqual([])
  expect(outgrown('| `lab` | 1 | 99 |', small)).toHaveLength(1)
})
