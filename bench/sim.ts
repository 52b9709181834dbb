/**
 * npm run sim -- [--nodes 1000] [--days 8] [--names 5] [--move NAME|all|none] [--ids N] [--life DAYS] [--seed S] [--compare] [--json]
 * npm run sim -- --schedules N [--seed S] [--json]
 * npm run sim -- --replay SCHEDULE
 * npm run sim -- --plot FILE.svg
 *
 * Runs a network in virtual time, attacked by one move or by each, and prints what it cost and what it gained.
 * With --schedules: random schedules of faults on small networks; with --replay: one that was printed.
 * docs/simulator.md tells what is modelled. The exit code is 1 where a move did more harm than the rules allow it.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runSchedule } from './sim/faults/run-schedule.ts'
import type { Schedule } from './sim/faults/schedule.ts'
import { MOVES } from './sim/moves/index.ts'
import { comparison, table } from './sim/report/table.ts'
import { runSchedules, schedulesText } from './sim/schedules.ts'
import { plotEclipse } from './sim/plot.ts'
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
    plot: { type: 'string' },
    schedules: { type: 'string' },
    replay: { type: 'string' },
    compare: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false }
  }
})

function count(flag: 'nodes' | 'days' | 'names' | 'ids' | 'life' | 'schedules' | 'seed', least: number): number {
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

function bar(what: string, share: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${what} ${Math.floor(share * 100)}%\u001b[K`)
}

function clearBar(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
}

function scheduleOf(text: string): Schedule {
  try {
    return JSON.parse(text) as Schedule
  } catch {
    fail('--replay: a schedule is expected, as --schedules prints it')
  }
}

if (values.replay !== undefined) {
  const { violations, owners } = await runSchedule(scheduleOf(values.replay))
  process.stdout.write(`${JSON.stringify({ violations, owners }, undefined, values.json ? 0 : 2)}\n`)
  process.exit(violations.length === 0 ? 0 : 1)
}
if (values.schedules !== undefined) {
  const result = await runSchedules(count('schedules', 1), count('seed', 0), (share) => bar('schedules', share))
  clearBar()
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : `${schedulesText(result)}\n`)
  process.exit(result.broken.length === 0 ? 0 : 1)
}

const common = {
  nodes: count('nodes', 2),
  days: count('days', 0.1),
  names: count('names', 0),
  seed: values.seed,
  ...(values.ids !== undefined && { ids: count('ids', 0) }),
  ...(values.life !== undefined && { lifeDays: count('life', 0.05) })
}

if (values.plot !== undefined) {
  writeFileSync(
    values.plot,
    await plotEclipse(
      common,
      MOVES.find(({ id }) => id === 'eclipse-settled')!
    )
  )
  process.exit(0)
}

const results: RunResult[] = []
const moves = chosen()
for (const [index, move] of moves.entries()) {
  const onProgress = (share: number): void => bar(`${index + 1}/${moves.length} ${move?.id ?? 'none'}`, share)
  results.push(await run({ ...common, ...(move !== undefined && { move }) }, onProgress))
}
clearBar()

const text = values.compare ? comparison(results) : table(results)
process.stdout.write(values.json ? `${JSON.stringify({ options: common, results })}\n` : `${text}\n`)
process.exitCode = results.every(({ isAllowed, violations }) => isAllowed && violations.length === 0) ? 0 : 1
