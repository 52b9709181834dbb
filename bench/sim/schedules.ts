/** Random schedules of faults, one after the other; a broken invariant is shrunk and printed so that it replays. */
import { Random } from './engine/random.ts'
import { runSchedule } from './faults/run-schedule.ts'
import { drawSchedule, shrink, type Schedule } from './faults/schedule.ts'
import type { Violation } from './invariants/violation.ts'

export interface Broken {
  readonly seed: string
  readonly violations: readonly Violation[]
  /** The shortest schedule found that breaks the same invariant. */
  readonly schedule: Schedule
}

export interface SchedulesResult {
  readonly schedules: number
  readonly seed: number
  readonly events: number
  /** Node-hours with another claim than the one that won, and while a name had two claims: on average and at most. */
  readonly nodeHours: Readonly<Record<'wrong' | 'contested', { readonly mean: number; readonly most: number }>>
  readonly broken: readonly Broken[]
}

export async function runSchedules(
  count: number,
  seed: number,
  onProgress: (share: number) => void
): Promise<SchedulesResult> {
  const broken: Broken[] = []
  let events = 0
  const hours: { wrong: number[]; contested: number[] } = { wrong: [], contested: [] }
  for (let index = 0; index < count; index++) {
    onProgress(index / count)
    const own = `${seed + index}`
    const schedule = drawSchedule(own, new Random(`schedule ${own}`))
    const outcome = await runSchedule(schedule)
    events += outcome.events
    hours.wrong.push(outcome.wrongNodeHours)
    hours.contested.push(outcome.contestedNodeHours)
    if (outcome.violations.length === 0) continue
    const { rule } = outcome.violations[0]!
    const isStill = async (smaller: Schedule): Promise<boolean> =>
      (await runSchedule(smaller)).violations.some((each) => each.rule === rule)
    broken.push({ seed: own, violations: outcome.violations, schedule: await shrink(schedule, isStill) })
  }
  const nodeHours = { wrong: summary(hours.wrong), contested: summary(hours.contested) }
  return { schedules: count, seed, events, nodeHours, broken }
}

function summary(hours: readonly number[]): { mean: number; most: number } {
  const rounded = (value: number): number => Math.round(value * 10) / 10
  return {
    mean: rounded(hours.reduce((sum, each) => sum + each, 0) / hours.length),
    most: rounded(Math.max(...hours))
  }
}

export function schedulesText({ schedules, seed, events, nodeHours, broken }: SchedulesResult): string {
  const lines = broken.flatMap(({ seed: own, violations, schedule }) => [
    ...violations.map(({ rule, detail }) => `${rule} broken by schedule ${own}: ${detail}`),
    `  npm run sim -- --replay '${JSON.stringify(schedule)}'`
  ])
  return [
    `${schedules} schedules from --seed ${seed}, ${events} events: ${broken.length} broke an invariant`,
    `node-hours of a schedule, on average (and at most): wrong ${shown(nodeHours.wrong)}, ` +
      `contested ${shown(nodeHours.contested)}`,
    ...lines
  ].join('\n')
}

function shown({ mean, most }: { readonly mean: number; readonly most: number }): string {
  return `${mean} (${most})`
}
