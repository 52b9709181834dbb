/**
 * npm run sim -- [--nodes 1000] [--days 8] [--names 5] [--move NAME|all|none] [--ids N] [--life DAYS] [--seed S] [--json]
 *
 * Runs a network in virtual time, attacked by one move or by each, and prints what it cost and what it gained.
 * docs/simulator.md tells what is modelled. The exit code is 1 where a move did more harm than the rules allow it.
 */
import { parseArgs } from 'node:util'
import { MOVES } from './sim/moves/index.ts'
import { table } from './sim/report/table.ts'
import { run, type RunOptions, type RunResult } from './sim/run.ts'

const option = (value: string) => ({ type: 'string', default: value }) as const
const { values } = parseArgs({
  options: {
    nodes: option('1000'),
    days: option('8'),
    names: option('5'),
    move: option('none'),
    ids: { type: 'string' },
    life: { type: 'string' },
    seed: option('1'),
    json: { type: 'boolean', default: false }
  }
})

function count(flag: 'nodes' | 'days' | 'names' | 'ids' | 'life', least: number): number {
  const value = Number(values[flag])
  if (!Number.isFinite(value) || value < least)
    fail(`--${flag}: a number from ${least} is expected, not ${values[flag]}`)
  return value
}

function fail(problem: string): never {
  process.stderr.write(`sim: ${problem}\n`)
  process.exit(2)
}

function chosen(): readonly (RunOptions['move'] | undefined)[] {
  if (values.move === 'all') return [undefined, ...MOVES]
  if (values.move === 'none') return [undefined]
  const move = MOVES.find(({ id }) => id === values.move)
  if (move === undefined) fail(`--move: all, none or one of ${MOVES.map(({ id }) => id).join(', ')}`)
  return [move]
}

const common = {
  nodes: count('nodes', 2),
  days: count('days', 0.1),
  names: count('names', 0),
  seed: values.seed,
  ...(values.ids !== undefined && { ids: count('ids', 0) }),
  ...(values.life !== undefined && { lifeDays: count('life', 0.05) })
}

const results: RunResult[] = []
const moves = chosen()
for (const [index, move] of moves.entries()) {
  const bar = (share: number): void => {
    if (process.stderr.isTTY)
      process.stderr.write(`\r${index + 1}/${moves.length} ${move?.id ?? 'none'} ${Math.floor(share * 100)}%\u001b[K`)
  }
  results.push(await run({ ...common, ...(move !== undefined && { move }) }, bar))
}
if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')

process.stdout.write(values.json ? `${JSON.stringify({ options: common, results })}\n` : `${table(results)}\n`)
process.exitCode = results.every(({ isAllowed, violations }) => isAllowed && violations.length === 0) ? 0 : 1
