import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { renderProcessors, withProcessors } from '../../scripts/documents/processors.ts'

const ROOT = resolve(import.meta.dirname, '../..')

it('docs/reference/performance.md has the results of bench/results: node scripts/generate-docs.mjs', () => {
  const page = readFileSync(resolve(ROOT, 'docs/reference/performance.md'), 'utf8')
  expect(page).toContain(`\n\n${renderProcessors()}\n`)
  expect(withProcessors(page)).toBe(page)
  for (const file of readdirSync(resolve(ROOT, 'bench/results'))) expect(page).toContain(`(\`${file}\`)`)
})
