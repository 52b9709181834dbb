/**
 * npm run sim -- [--nodes 1000] [--days 8] [--names 5] [--move NAME|all|none] [--ids N] [--life DAYS] [--routing real|modelled] [--seed S] [--compare] [--json]
 *   --nodes, --move, --ids and --seed take lists: each with each is a run
 *   [--workers N] runs at once, [--resume FILE] goes on where a former command was cut off
 * npm run sim -- --schedules N [--seed S] [--workers N] [--json]
 * npm run sim -- --replay SCHEDULE
 * npm run sim -- --search N [--seed S] [--json]
 * npm run sim -- --replay-plan PLAN
 * npm run sim -- --plot FILE.svg
 * npm run sim -- --figures DIRECTORY [--nodes N,...] [--seed S,...] [--days D] [--resume FILE]
 * npm run sim -- --look-ups [--nodes N] [--seed S] [--json]
 * npm run sim -- --parameter NAME [--values a,b,c] [--nodes N] [--days D] [--json]
 * npm run sim -- --trial age [--nodes N] [--seed S] [--json]
 * npm run sim -- --trial places [--nodes N] [--days D] [--life DAYS] [--seed S] [--json]
 *
 * Runs a network in virtual time, attacked by one move or by each, and prints what it cost and what it gained.
 * With --schedules: random schedules of faults on small networks; with --replay: one that was printed.
 * docs/simulator.md tells what is modelled. The exit code is 1 where a move did more harm than the rules allow it.
 */
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { runBatch, runScheduleBatch, type BatchOptions } from './sim/batch/batch.ts'
import type { Job } from './sim/batch/job.ts'
import { runSchedule } from './sim/faults/run-schedule.ts'
import type { Schedule } from './sim/faults/schedule.ts'
import { lookUpText, measureLookUps } from './sim/network/routed/measure.ts'
import { MOVES } from './sim/moves/index.ts'
import { comparison, table } from './sim/report/table.ts'
import { writeFigures } from './sim/scale/command.ts'
import { schedulesText } from './sim/schedules.ts'
import { replayPlan, searchCommand } from './sim/search/command.ts'
import { hasNumbers, parameterText, runParameter } from './sim/parameters/command.ts'
import { RUNS } from './sim/parameters/registry.ts'
import { plotEclipse } from './sim/plot.ts'
import { ageText } from './sim/trials/age/command.ts'
import { runAges } from './sim/trials/age/run.ts'
import { placesTable, placesTrial } from './sim/trials/places/command.ts'

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
    routing: { type: 'string' },
    plot: { type: 'string' },
    figures: { type: 'string' },
    schedules: { type: 'string' },
    replay: { type: 'string' },
    workers: option(`${availableParallelism()}`),
    resume: { type: 'string' },
    search: { type: 'string' },
    'replay-plan': { type: 'string' },
    'look-ups': { type: 'boolean', default: false },
    parameter: { type: 'string' },
    values: { type: 'string' },
    trial: { type: 'string' },
    compare: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false }
  }
})

type Flag = 'nodes' | 'days' | 'names' | 'ids' | 'life' | 'schedules' | 'search' | 'seed' | 'workers'

function number(flag: Flag, text: string, least: number): number {
  const value = Number(text)
  if (text === '' || !Number.isFinite(value) || value < least)
    fail(`--${flag}: a number from ${least} is expected, not ${text}`)
  return value
}

const count = (flag: Flag, least: number): number => number(flag, values[flag] ?? '', least)

const list = (text: string): string[] => text.split(',')

const counts = (flag: Flag, least: number): number[] =>
  list(values[flag] ?? '').map((each) => number(flag, each, least))

function fail(problem: string): never {
  process.stderr.write(`sim: ${problem}\n`)
  process.exit(2)
}

/** Ids of moves; undefined: a network in peace. */
function chosen(): (string | undefined)[] {
  return list(values.move).flatMap((wanted) => {
    if (wanted === 'all') return [undefined, ...MOVES.map(({ id }) => id)]
    if (wanted === 'none') return [undefined]
    const move = MOVES.find(({ id }) => id === wanted)
    if (move?.routing === 'real' && values.routing === 'modelled')
      fail(`--routing: ${move.id} is about look-ups and needs real ones; leave the option out`)
    if (move !== undefined) return [wanted]
    return fail(`--move: all, none or one of ${MOVES.map(({ id }) => id).join(', ')}`)
  })
}

function routingOf(text: string): 'real' | 'modelled' {
  if (text !== 'real' && text !== 'modelled') fail(`--routing: real or modelled, not ${text}`)
  return text
}

function bar(what: string, share: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${what} ${Math.floor(share * 100)}%\u001b[K`)
}

function batch(what: string): BatchOptions {
  return {
    workers: count('workers', 1),
    ...(values.resume !== undefined && { resume: values.resume }),
    onProgress: (share) => bar(what, share)
  }
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
if (values['look-ups']) {
  const figures = await measureLookUps(count('nodes', 2), values.seed)
  process.stdout.write(`${values.json ? JSON.stringify(figures) : lookUpText(figures)}\n`)
  process.exit(0)
}
if (values.schedules !== undefined) {
  const result = await runScheduleBatch(count('schedules', 1), count('seed', 0), batch('schedules'))
  clearBar()
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : `${schedulesText(result)}\n`)
  process.exit(result.broken.length === 0 ? 0 : 1)
}
if (values['replay-plan'] !== undefined) {
  const { text, code } = await replayPlan(values['replay-plan'], values.json).catch((error: unknown) =>
    fail(`--replay-plan: ${error instanceof Error ? error.message : String(error)}`)
  )
  process.stdout.write(`${text}\n`)
  process.exit(code)
}
if (values.search !== undefined) {
  const plans = count('search', 1)
  const { text, code } = await searchCommand(plans, values.seed, values.json, (share) => bar('plans', share))
  clearBar()
  process.stdout.write(`${text}\n`)
  process.exit(code)
}

const common = {
  days: count('days', 0.1),
  names: count('names', 0),
  ...(values.routing !== undefined && { routing: routingOf(values.routing) })
}
const life = values.life === undefined ? {} : { lifeDays: count('life', 0.05) }
/** Where a mode is one run at a time. */
const single = () => ({ ...common, ...life, nodes: count('nodes', 2), seed: values.seed })
const idCounts = values.ids === undefined ? [undefined] : counts('ids', 0)

if (values.parameter !== undefined) {
  const name = values.parameter
  if (!Object.hasOwn(RUNS, name)) fail(`--parameter: one of ${Object.keys(RUNS).join(', ')} is expected, not ${name}`)
  const numbers = values.values?.split(',').map(Number)
  if (numbers !== undefined && !hasNumbers(name)) fail(`--values: ${name} has values of its own only; leave it out`)
  const shown = await runParameter(name, single(), numbers).catch((error: unknown) =>
    fail(`--values: a network profile refuses one of them: ${error instanceof Error ? error.message : String(error)}`)
  )
  process.stdout.write(values.json ? `${JSON.stringify({ options: single(), shown })}\n` : `${parameterText(shown)}\n`)
  process.exit(0)
}
if (values.trial === 'age') {
  const options = { nodes: count('nodes', 2), seed: values.seed }
  const trial = await runAges(options, (share) => bar('age', share))
  clearBar()
  process.stdout.write(values.json ? `${JSON.stringify({ options, ...trial })}\n` : `${ageText(trial)}\n`)
  process.exit(0)
}
if (values.trial !== undefined) {
  if (values.trial !== 'places') fail(`--trial: age or places is expected, not ${values.trial}`)
  if (common.days < 5) fail(`--days: a trial begins with the fifth day; 5 or more is expected, not ${values.days}`)
  const results = await placesTrial(single(), (share) => bar('places', share))
  clearBar()
  process.stdout.write(
    values.json ? `${JSON.stringify({ options: single(), results })}\n` : `${placesTable(results)}\n`
  )
  process.exit(0)
}

if (values.plot !== undefined) {
  writeFileSync(
    values.plot,
    await plotEclipse(
      single(),
      MOVES.find(({ id }) => id === 'eclipse-settled')!
    )
  )
  process.exit(0)
}

if (values.figures !== undefined) {
  const sweep = { nodes: counts('nodes', 2), seeds: list(values.seed), days: common.days }
  await writeFigures(values.figures, sweep, batch('figures')).catch((error: unknown) => fail((error as Error).message))
  clearBar()
  process.exit(0)
}

const jobs = chosen().flatMap((move) =>
  counts('nodes', 2).flatMap((nodes) =>
    idCounts.flatMap((ids) =>
      list(values.seed).map((seed): Job => ({
        nodes,
        ...common,
        ...life,
        seed,
        ...(move !== undefined && { move }),
        ...(ids !== undefined && { ids })
      }))
    )
  )
)
const results = await runBatch(jobs, batch('runs')).catch((error: unknown) => fail((error as Error).message))
clearBar()

const text = values.compare ? comparison(results) : table(results)
process.stdout.write(values.json ? `${JSON.stringify({ jobs, results })}\n` : `${text}\n`)
process.exitCode = results.every(({ isAllowed, violations }) => isAllowed && violations.length === 0) ? 0 : 1
