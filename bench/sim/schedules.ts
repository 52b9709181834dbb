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
  readonly broken: readonly Broken[]
}

export async function runSchedules(
  count: number,
  seed: number,
  onProgress: (share: number) => void
): Promise<SchedulesResult> {
  const broken: Broken[] = []
  let events = 0
  for (let index = 0; index < count; index++) {
    onProgress(index / count)
    const own = `${seed + index}`
    const schedule = drawSchedule(own, new Random(`schedule ${own}`))
    const outcome = await runSchedule(schedule)
    events += outcome.events
    if (outcome.violations.length === 0) continue
    const { rule } = outcome.violations[0]!
    const isStill = async (smaller: Schedule): Promise<boolean> =>
      (await runSchedule(smaller)).violations.some((each) => each.rule === rule)
    broken.push({ seed: own, violations: outcome.violations, schedule: await shrink(schedule, isStill) })
  }
  return { schedules: count, seed, events, broken }
}

export function schedulesText({ schedules, seed, events, broken }: SchedulesResult): string {
  const lines = broken.flatMap(({ seed: own, violations, schedule }) => [
    ...violations.map(({ rule, detail }) => `${rule} broken by schedule ${own}: ${detail}`),
    `  npm run sim -- --replay '${JSON.stringify(schedule)}'`
  ])
  return [
    `${schedules} schedules from --seed ${seed}, ${events} events: ${broken.length} broke an invariant`,
    ...lines
  ].join('\n')
}
