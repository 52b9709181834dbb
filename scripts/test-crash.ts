/**
 * `npm run test:crash -- --kills 200 --seed 1`: kills a real daemon at random instants during registrations and
 * renewals, and restarts it. Checks the claims of docs/tasks.md against what it left. Prints one JSON line of totals;
 * exit code 0 only if all hold.
 */
import { parseArgs } from 'node:util'
import { runCrashes } from './crash/run.ts'

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } }
})
const [kills, seed] = [Number(values.kills), Number(values.seed)]
if (!Number.isSafeInteger(kills) || kills < 1 || !Number.isSafeInteger(seed)) {
  process.stderr.write('usage: test-crash [--kills N] [--seed N]\n')
  process.exit(2)
}
// Ctrl-C ends the killing, not the count.
const ending = new AbortController()
process.once('SIGINT', () => ending.abort())
const totals = await runCrashes({
  kills,
  seed,
  signal: ending.signal,
  say: (line) => process.stderr.write(`${line}\n`)
})
process.stdout.write(`${JSON.stringify(totals)}\n`)
process.exit(totals.violations.length === 0 ? 0 : 1)
