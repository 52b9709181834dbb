/** Random schedules of faults, one after the other; a broken invariant is shrunk and printed so that it replays. */
import { Random } from '../../world/random.ts'
import { runSchedule } from './run-schedule.ts'
import { drawSchedule, shrink, type Schedule } from './schedule.ts'
import type { Violation } from '../invariants/violation.ts'

export interface Broken {
  readonly seed: string
  readonly violations: readonly Violation[]
  /** The shortest schedule found that breaks the same invariant. */
  readonly schedule: Schedule
}

/** Over all schedules, and of one at most. */
interface Hours {
  readonly total: number
  readonly most: number
}

export interface SchedulesResult {
  readonly schedules: number
  readonly seed: number
  readonly events: number
  /** Node-hours with another claim than the one that won, and while a name had two claims: on average and at most. */
  readonly nodeHours: Readonly<Record<'wrong' | 'contested', Hours>>
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

function summary(hours: readonly number[]): Hours {
  return { total: hours.reduce((sum, each) => sum + each, 0), most: Math.max(...hours) }
}

/** The result of all from those of parts, which follow each other. */
export function joined(parts: readonly SchedulesResult[]): SchedulesResult {
  const both = (kind: 'wrong' | 'contested'): Hours => ({
    total: parts.reduce((sum, { nodeHours }) => sum + nodeHours[kind].total, 0),
    most: Math.max(...parts.map(({ nodeHours }) => nodeHours[kind].most))
  })
  return {
    schedules: parts.reduce((sum, { schedules }) => sum + schedules, 0),
    seed: parts[0]!.seed,
    events: parts.reduce((sum, { events }) => sum + events, 0),
    nodeHours: { wrong: both('wrong'), contested: both('contested') },
    broken: parts.flatMap(({ broken }) => broken)
  }
}

export function schedulesText({ schedules, seed, events, nodeHours, broken }: SchedulesResult): string {
  const lines = broken.flatMap(({ seed: own, violations, schedule }) => [
    ...violations.map(({ rule, detail }) => `${rule} broken by schedule ${own}: ${detail}`),
    `  npm run lab:sim -- --replay '${JSON.stringify(schedule)}'`
  ])
  return [
    `${schedules} schedules from --seed ${seed}, ${events} events: ${broken.length} broke an invariant`,
    `node-hours of a schedule, on average (and at most): wrong ${shown(nodeHours.wrong, schedules)}, ` +
      `contested ${shown(nodeHours.contested, schedules)}`,
    ...lines
  ].join('\n')
}

function shown({ total, most }: Hours, schedules: number): string {
  return `${(total / schedules).toFixed(1)} (${most.toFixed(1)})`
}
