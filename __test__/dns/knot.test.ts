/** Our server beside Knot, both with one zone, over real sockets (docs/dns-comparison.md). */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Compared } from '../../scripts/dns/comparison/compare.ts'
import { REASONS } from '../../scripts/dns/comparison/explained.ts'
import { KINDS } from '../../scripts/dns/comparison/kinds.ts'
import { page, unexplained } from '../../scripts/dns/comparison/page.ts'
import { runComparison } from '../../scripts/dns/comparison/run.ts'
import { needPackages } from '../../scripts/packages.ts'

const directory = mkdtempSync(join(tmpdir(), 'chronym-knot-'))
let compared: readonly Compared[]

beforeAll(async () => {
  needPackages(['knot'])
  compared = await runComparison(directory)
})

afterAll(() => rmSync(directory, { recursive: true }))

describe('the DNS server beside Knot', () => {
  it('is asked what has a name of its own, in more than sixty kinds', () => {
    expect(new Set(KINDS.map(({ title }) => title)).size).toBe(KINDS.length)
    expect(KINDS.length).toBeGreaterThan(60)
  })

  it('differs in nothing but what has a reason, and in all of that', () => {
    expect(unexplained(compared, REASONS)).toEqual({ withoutReason: [], vanished: [] })
  })

  it('says what docs/dns-comparison.md shows (npm run compare:dns -- --write)', () => {
    expect(page(compared, REASONS)).toBe(readFileSync('docs/dns-comparison.md', 'utf8'))
  })
})
