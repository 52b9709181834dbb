/** The table of docs/reference/performance.md that has a row for each file of bench/results. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as v from 'valibot'
import { ReportSchema } from '../../src/cli/vdf/report.ts'
import { count } from '../../src/util/words.ts'

const RESULTS = resolve(import.meta.dirname, '../../bench/results')
const HEAD = [
  'processor (file)',
  'backend, steps',
  'squarings a second, one thread',
  'discriminant known, ms',
  'from the seed, ms',
  'load',
  'measured'
]

export function renderProcessors(): string {
  const rows = readdirSync(RESULTS)
    .sort()
    .map((file) => {
      const text = readFileSync(join(RESULTS, file), 'utf8')
      const { cpu, backend, steps, rows, verification_ms, from_seed_ms, load, measured_at } = v.parse(
        ReportSchema,
        JSON.parse(text)
      )
      const { median, low, high } = rows[0]!
      return [
        `${cpu} (\`${file}\`)`,
        `${backend}, ${steps}`,
        `${count(median)} (${count(low)} to ${count(high)})`,
        ...[verification_ms, from_seed_ms].map(({ median, p25, p75 }) => `${median} (${p25} to ${p75})`),
        String(load),
        measured_at.slice(0, 10)
      ]
    })
  return [HEAD, HEAD.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/** The page with its table made again: the one that begins with this head. */
export function withProcessors(page: string): string {
  const from = page.indexOf(`| ${HEAD.join(' | ')} |\n`)
  if (from < 0) throw new Error('docs/reference/performance.md has no table of processors')
  const end = page.indexOf('\n\n', from) + 1
  return page.slice(0, from) + renderProcessors() + page.slice(end)
}
