/** What many names cost, before any of them is begun. Pure. */
import type { Estimate, TaskView } from '../../views/task.ts'
import type { BadLine, NameLine } from './names-file.ts'
import { type Place, placesOf, schedule, type Turn, type Work } from './schedule.ts'
import type { Machine, NameState, Survey, SurveyedName } from './survey.ts'
import { warningsOf, type PlanWarning } from './warnings.ts'

/** As `--json` prints it. Durations in seconds; `core_seconds` at the rate of this machine. */
export interface Plan {
  readonly at: string
  readonly names: readonly PlannedName[]
  readonly classes: readonly LengthClass[]
  readonly bad_lines: readonly BadLine[]
  readonly repeated_lines: readonly NameLine[]
  readonly places: readonly Place[]
  readonly iterations_per_second: number
  readonly totals: Totals
  readonly renewals: Renewals
  readonly warnings: readonly PlanWarning[]
}

interface PlannedName extends NameLine {
  readonly state: NameState
  /** Octets of the label. */
  readonly length: number
  /** Of the work that is left; 0 where there is none. */
  readonly iterations: number
  readonly core_seconds: number
  /** `local` or a worker; null where nothing is left to compute. */
  readonly place: string | null
  readonly start_seconds: number | null
  readonly done_seconds: number | null
  readonly done_at: string | null
  /** Of a name that another one has, the end of its lease. */
  readonly taken_until: string | null
}

/** Names to register that cost the same. */
interface LengthClass {
  readonly shortest: number
  readonly longest: number
  readonly names: number
  readonly iterations: number
  readonly core_seconds: number
}

type Totals = Readonly<Record<NameState, number>> & {
  readonly names: number
  readonly to_register: number
  readonly iterations: number
  readonly core_seconds: number
  /** Until the last name is done. */
  readonly seconds: number
  readonly done_at: string
}

/** Of all names of the file that this daemon has, or will have. */
export interface Renewals {
  readonly names: number
  readonly lease_seconds: number
  /** The daemon renews a tenth of the lease before its end. */
  readonly every_seconds: number
  readonly core_seconds_a_year: number
  /** Of what all slots do in a year. */
  readonly share: number
  /** Then a name is registered again. */
  readonly most: number
}

/** A renewal begins a tenth of the lease before its end, or earlier where it takes long (docs/tasks.md). */
const RENEWED_AT = 0.9
const YEAR_S = 365 * 24 * 3600

/** States of names that a run starts. */
export const TO_REGISTER: ReadonlySet<NameState> = new Set(['free', 'unknown'])

interface PlanParts {
  readonly survey: Survey
  readonly machine: Machine
  readonly bad: readonly BadLine[]
  readonly repeated: readonly NameLine[]
  readonly nowMs: number
}

/** Undefined where no line has a name to plan for. */
export function planOf({ survey, machine, bad, repeated, nowMs }: PlanParts): Plan | undefined {
  const { names, tasks } = survey
  const [first] = names
  if (first === undefined) return undefined
  const perSecond = Math.max(1, first.estimate.iterations_per_second)
  const places = placesOf(machine, tasks, perSecond)
  const wanted = names.filter(({ state }) => TO_REGISTER.has(state))
  const ratio = provingRatio(names)
  const workLeft = ({ iterations, progress }: TaskView): Work => ({
    squarings: iterations * ratio - progress,
    waitSeconds: 0
  })
  const { turns, ends } = schedule(
    places,
    tasks,
    workLeft,
    wanted.map(({ estimate }) => workOf(estimate))
  )
  const turnOf = new Map(wanted.map(({ name }, index) => [name, turns[index]!]))
  const at = (seconds: number): string => new Date(nowMs + seconds * 1000).toISOString()
  const planned = names.map((each): PlannedName => {
    const turn = turnOf.get(each.name)
    const end = turn?.end ?? (each.state === 'own' ? 0 : ends.get(each.task?.task_id ?? '')) ?? null
    return {
      ...lineOf(each),
      state: each.state,
      length: labelLength(each.name),
      ...workShown(each, turn, perSecond, ratio),
      done_seconds: end === null ? null : Math.ceil(end),
      done_at: end === null ? null : at(end),
      taken_until: each.state === 'taken' ? (each.estimate.holder?.until ?? null) : null
    }
  })
  const count = (state: NameState): number => names.filter((each) => each.state === state).length
  const last = Math.max(0, ...planned.map(({ done_seconds: done }) => done ?? 0))
  const totals: Totals = {
    names: names.length,
    registered: count('registered'),
    working: count('working'),
    own: count('own'),
    taken: count('taken'),
    free: count('free'),
    unknown: count('unknown'),
    to_register: wanted.length,
    iterations: sum(planned, ({ iterations }) => iterations),
    core_seconds: sum(planned, ({ core_seconds: seconds }) => seconds),
    seconds: last,
    done_at: at(last)
  }
  const renewals = renewalsOf(names, places, perSecond, ratio)
  const allBad = [...bad, ...survey.bad].sort((left, right) => left.line - right.line)
  return {
    at: at(0),
    names: planned,
    classes: classesOf(planned),
    bad_lines: allBad,
    repeated_lines: repeated,
    places,
    iterations_per_second: perSecond,
    totals,
    renewals,
    warnings: warningsOf({ survey, machine, places, totals, renewals })
  }
}

const lineOf = ({ line, name }: NameLine): NameLine => ({ line, name })
const labelLength = (name: string): number => name.indexOf('.')

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((all, item) => all + of(item), 0)
}

/** An estimate with the time of the slot before the squarings, which a proof that is kept has none of. */
function workOf({ iterations, iterations_per_second: rate, ...estimate }: Estimate): Work {
  if (estimate.proof_kept) return { squarings: 0, waitSeconds: 0 }
  const seconds = iterations / rate + estimate.proving_seconds
  const whole = estimate.seconds - estimate.queued_seconds
  return { squarings: seconds * rate, waitSeconds: Math.max(0, whole - seconds) }
}

/** How much longer proving makes an evaluation: nearly the same for all lengths. */
function provingRatio(names: readonly SurveyedName[]): number {
  const [measured] = names.flatMap(({ estimate }) =>
    estimate.proof_kept ? [] : [workOf(estimate).squarings / estimate.iterations]
  )
  return measured ?? 1
}

function workShown(
  { estimate, task, state }: SurveyedName,
  turn: Turn | undefined,
  perSecond: number,
  ratio: number
): Pick<PlannedName, 'iterations' | 'core_seconds' | 'place' | 'start_seconds'> {
  if (turn !== undefined) {
    const { squarings } = workOf(estimate)
    return {
      iterations: estimate.proof_kept ? 0 : estimate.iterations,
      core_seconds: Math.ceil(squarings / perSecond),
      place: squarings === 0 ? null : turn.place,
      start_seconds: Math.floor(turn.start)
    }
  }
  if (state !== 'working' || task === undefined) return NO_WORK
  const left = task.phase === 'reveal' ? 0 : task.iterations * ratio - task.progress
  return {
    iterations: task.iterations - task.progress,
    core_seconds: Math.ceil(left / perSecond),
    place: task.worker ?? task.place,
    start_seconds: null
  }
}

const NO_WORK = { iterations: 0, core_seconds: 0, place: null, start_seconds: null }

function classesOf(names: readonly PlannedName[]): LengthClass[] {
  const classes = new Map<number, PlannedName[]>()
  for (const name of names.filter(({ state }) => TO_REGISTER.has(state)))
    classes.set(name.iterations, [...(classes.get(name.iterations) ?? []), name])
  return [...classes]
    .map(([iterations, members]) => ({
      shortest: Math.min(...members.map(({ length }) => length)),
      longest: Math.max(...members.map(({ length }) => length)),
      names: members.length,
      iterations,
      core_seconds: sum(members, ({ core_seconds: seconds }) => seconds)
    }))
    .sort((left, right) => left.shortest - right.shortest)
}

function renewalsOf(
  names: readonly SurveyedName[],
  places: readonly Place[],
  perSecond: number,
  ratio: number
): Renewals {
  const ours = names.filter(({ state }) => state !== 'taken')
  const { lease_start: start, lease_end: end, renewals: most } = (ours[0] ?? names[0]!).estimate
  const lease = (Date.parse(end) - Date.parse(start)) / 1000
  const every = lease * RENEWED_AT
  const squarings = sum(ours, ({ estimate }) => estimate.renewal_iterations) * ratio * (YEAR_S / every)
  const capacity = sum(places, (place) => place.slots * place.perSecond) * YEAR_S
  return {
    names: ours.length,
    lease_seconds: lease,
    every_seconds: every,
    core_seconds_a_year: Math.ceil(squarings / perSecond),
    share: squarings / capacity,
    most
  }
}
