/** `npm run lab:sim`: networks in virtual time, attacked. `--help` and lab/reports/simulator.md tell how. */
import { writeFileSync } from 'node:fs'
import { runBatch, runScheduleBatch } from './sim/figures/batch/batch.ts'
import type { Job } from './sim/figures/batch/jobs.ts'
import { runSchedule } from './sim/search/schedules/run-schedule.ts'
import type { Schedule } from './sim/search/schedules/schedule.ts'
import { lookUpText, measureLookUps } from './sim/network/routed/measure.ts'
import { MOVES } from './sim/moves/index.ts'
import { endProgress, fail, OptionError, Options, showProgress, USAGE } from './sim/options.ts'
import { comparison, table } from './sim/figures/table.ts'
import { writeFigures } from './sim/figures/sweep/page.ts'
import { schedulesText } from './sim/search/schedules/schedules.ts'
import { replayPlan, searchCommand } from './sim/search/search.ts'
import { positionStudies, positionText } from './sim/figures/position/command.ts'
import { plotEclipse } from './sim/figures/plot.ts'

interface Printed {
  readonly text: string
  /** 1 where a move did more harm than it may, or an invariant was broken. */
  readonly code?: 0 | 1
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function main(options: Options): Promise<Printed> | Printed {
  const { values } = options
  if (values.help) return { text: USAGE }
  if (values.replay !== undefined) return replay(values.replay, options)
  if (values['replay-plan'] !== undefined)
    return replayPlan(values['replay-plan'], values.json).catch((error: unknown) =>
      fail(`--replay-plan: ${messageOf(error)}`)
    )
  if (values['look-ups']) return lookUps(options)
  if (values.schedules !== undefined) return schedules(options)
  if (values.search !== undefined)
    return searchCommand(options.count('search', 1), values.seed, values.json, {
      onProgress: (share) => showProgress('plans', share),
      onFinding: (what, plan) => process.stderr.write(`found: ${what} (--replay-plan '${JSON.stringify(plan)}')\n`)
    })
  if (values.position) return position(options)
  if (values.plot !== undefined) return plot(values.plot, options)
  if (values.figures !== undefined) return figures(values.figures, options)
  return runs(options)
}

async function replay(text: string, { values }: Options): Promise<Printed> {
  const expected = '--replay: a schedule is expected, as --schedules prints it'
  let schedule: Schedule
  try {
    schedule = JSON.parse(text) as Schedule
  } catch {
    fail(expected)
  }
  const { violations, owners } = await runSchedule(schedule).catch(() => fail(expected))
  const code = violations.length === 0 ? 0 : 1
  return { text: JSON.stringify({ violations, owners }, undefined, values.json ? 0 : 2), code }
}

async function lookUps(options: Options): Promise<Printed> {
  const measured = await measureLookUps(options.count('nodes', 2), options.values.seed)
  return { text: options.values.json ? JSON.stringify(measured) : lookUpText(measured) }
}

async function schedules(options: Options): Promise<Printed> {
  const [count, seed] = [options.count('schedules', 1), options.count('seed', 0)]
  const result = await runScheduleBatch(count, seed, options.batch('schedules'))
  const text = options.values.json ? JSON.stringify(result) : schedulesText(result)
  return { text, code: result.broken.length === 0 ? 0 : 1 }
}

function position(options: Options): Printed {
  const { json, seed } = options.values
  const studies = positionStudies(options.counts('nodes', 50), seed, (share) => showProgress('position', share))
  return { text: json ? JSON.stringify({ seed, studies }) : positionText(studies, seed) }
}

async function plot(file: string, options: Options): Promise<Printed> {
  writeFileSync(
    file,
    await plotEclipse(
      single(options),
      MOVES.find(({ id }) => id === 'eclipse-settled')!
    )
  )
  return { text: `${file} is written` }
}

async function figures(directory: string, options: Options): Promise<Printed> {
  const sweep = { nodes: options.counts('nodes', 2), seeds: options.seeds(), days: options.common().days }
  await writeFigures(directory, sweep, options.batch('figures')).catch((error: unknown) => fail(messageOf(error)))
  return { text: `${directory} has figures.md and its plot` }
}

async function runs(options: Options): Promise<Printed> {
  const common = options.common()
  const ids = options.values.ids === undefined ? [undefined] : options.counts('ids', 0)
  const nodes = options.counts('nodes', 2)
  const jobs = options.moves().flatMap((move) =>
    nodes.flatMap((size) =>
      ids.flatMap((count) =>
        options.seeds().map((seed): Job => ({
          nodes: size,
          ...common,
          seed,
          ...(move !== undefined && { move }),
          ...(count !== undefined && { ids: count })
        }))
      )
    )
  )
  const results = await runBatch(jobs, options.batch('runs')).catch((error: unknown) => fail(messageOf(error)))
  const { json, compare } = options.values
  return {
    text: json ? JSON.stringify({ jobs, results }) : compare ? comparison(results) : table(results),
    code: results.every(({ isAllowed, violations }) => isAllowed && violations.length === 0) ? 0 : 1
  }
}

/** Where a mode is one run at a time. */
function single(options: Options) {
  return { ...options.common(), nodes: options.count('nodes', 2), seed: options.values.seed }
}

try {
  const { text, code = 0 } = await main(new Options(process.argv.slice(2)))
  endProgress()
  process.stdout.write(`${text}\n`)
  process.exitCode = code
} catch (error) {
  endProgress()
  if (!(error instanceof OptionError)) throw error
  process.stderr.write(`sim: ${error.message}\n`)
  process.exitCode = 2
}
