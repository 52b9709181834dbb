/**
 * npm run lab:dns -- [--write]
 *
 * Our DNS server beside Knot: prints lab/reports/dns.md, or writes it. Exit code 1 for differences without a reason
 * in lab/dns/explained.ts, and for reasons without a difference.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { REASONS } from './dns/explained.ts'
import { page, unexplained } from './dns/page.ts'
import { runComparison } from './dns/run.ts'
import { needPackages } from '../scripts/packages.ts'
import { ROOT } from '../scripts/program.ts'

const { values } = parseArgs({ options: { write: { type: 'boolean' } } })
needPackages(['knot'])
const directory = mkdtempSync(join(tmpdir(), 'chronym-knot-'))
try {
  const compared = await runComparison(directory)
  const text = page(compared, REASONS)
  if (values.write === true) writeFileSync(join(ROOT, 'lab/reports/dns.md'), text)
  else process.stdout.write(text)
  const { withoutReason, vanished } = unexplained(compared, REASONS)
  for (const each of withoutReason) process.stderr.write(`no reason for: ${each}\n`)
  for (const heading of vanished) process.stderr.write(`no difference any more: ${heading}\n`)
  process.exitCode = withoutReason.length + vanished.length > 0 ? 1 : 0
} finally {
  rmSync(directory, { recursive: true })
}
