/** Our server beside Knot, both with one zone, over real sockets (lab/reports/dns.md). */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Compared } from '../dns/compare.ts'
import { REASONS } from '../dns/explained.ts'
import { CODED_KINDS, KINDS } from '../dns/kinds.ts'
import { page, unexplained } from '../dns/page.ts'
import { runComparison } from '../dns/run.ts'
import { needPackages } from '../../scripts/packages.ts'

const directory = mkdtempSync(join(tmpdir(), 'chronym-knot-'))
let compared: readonly Compared[]

beforeAll(async () => {
  needPackages(['knot'])
  compared = await runComparison(directory)
})

const LABELS = ['alice--7kq2mx', 'alice'] as const
const [CODED_HEX, BARE_HEX] = LABELS.map((label) =>
  Buffer.from(`${String.fromCharCode(label.length)}${label}`).toString('hex')
)
/** Data that has no text of its own is shown in hexadecimal. */
const withoutCode = (line: string): string => line.replaceAll(LABELS[0], LABELS[1]).replaceAll(CODED_HEX!, BARE_HEX!)

afterAll(() => rmSync(directory, { recursive: true }))

describe('the DNS server beside Knot', () => {
  it('is asked what has a name of its own, in more than sixty kinds', () => {
    expect(new Set(KINDS.map(({ title }) => title)).size).toBe(KINDS.length)
    expect(KINDS.length).toBeGreaterThan(60)
  })

  it('differs in nothing but what has a reason, and in all of that', () => {
    expect(unexplained(compared, REASONS)).toEqual({ withoutReason: [], vanished: [] })
  })

  it('answers a name with a check code as the bare one, but for the code, in every section', () => {
    const linesOf = new Map(compared.map(({ title, ours }) => [title, ours]))
    for (const [coded, bare] of CODED_KINDS)
      expect(linesOf.get(coded.title)!.map(withoutCode).sort(), coded.title).toEqual(
        linesOf.get(bare.title)!.toSorted()
      )
    expect(CODED_KINDS.length).toBeGreaterThan(90)
  })

  it('says what lab/reports/dns.md shows (npm run lab:dns -- --write)', () => {
    expect(page(compared, REASONS)).toBe(readFileSync('lab/reports/dns.md', 'utf8'))
  })
})
