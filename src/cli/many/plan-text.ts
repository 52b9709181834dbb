/** A plan for people: each name, each length, all together. Pure. */
import { count, plural } from '../../util/words.ts'
import { fitTable, formatDuration, formatFields, formatRate, formatTable, printable } from '../terminal/format.ts'
import type { Paint } from '../terminal/output.ts'
import type { Plan } from './plan.ts'

export function planText(plan: Plan, paint: Paint, columns: number): string {
  return [
    fitTable([['name', 'state', 'squarings', 'core time', 'where', 'done', 'in'], ...plan.names.map(nameRow)], columns),
    ...(plan.classes.length === 0 ? [] : ['', formatTable([CLASS_HEADING, ...plan.classes.map(classRow)])]),
    '',
    formatFields(fields(plan)),
    ...problemLines(plan, paint)
  ].join('\n')
}

type PlannedName = Plan['names'][number]

const STATES: Readonly<Record<PlannedName['state'], string>> = {
  registered: 'registered here already',
  working: 'in work',
  own: 'taken up: a key of this seed has it',
  taken: 'taken',
  free: 'free',
  unknown: 'not looked up'
}

function nameRow(each: PlannedName): string[] {
  const { state, taken_until: until, done_at: at, done_seconds: seconds, start_seconds: start } = each
  const isWork = each.iterations > 0
  return [
    printable(each.name),
    until === null ? STATES[state] : `taken until ${until.slice(0, 10)}`,
    isWork ? count(each.iterations) : start === null ? '' : 'a proof is kept',
    isWork ? formatDuration(each.core_seconds) : '',
    each.place === null ? '' : printable(each.place),
    at === null ? '' : minuteText(at),
    seconds === null ? '' : formatDuration(seconds)
  ]
}

const CLASS_HEADING = ['length', 'names', 'squarings each', 'core time each', 'core-hours']

function classRow({ shortest, longest, names, iterations, core_seconds: seconds }: Plan['classes'][number]): string[] {
  return [
    shortest === longest ? String(shortest) : `${shortest}-${longest}`,
    count(names),
    count(iterations),
    formatDuration(seconds / names),
    hoursText(seconds)
  ]
}

function fields({ totals, places, renewals, iterations_per_second: rate }: Plan): (readonly [string, string])[] {
  const others = (['registered', 'working', 'own', 'taken'] as const)
    .filter((state) => totals[state] > 0)
    .map((state) => `${count(totals[state])} ${STATES[state]}`)
  const [local, ...workers] = places
  const threads = workers.reduce((all, { slots }) => all + slots, 0)
  return [
    [
      'to register',
      `${count(totals.to_register)} of ${plural(totals.names, 'name')}${others.length > 0 ? `; ${others.join(', ')}` : ''}`
    ],
    [
      'work',
      `${count(totals.iterations)} squarings, ${hoursText(totals.core_seconds)} core-hours at ${formatRate(rate)}`
    ],
    [
      'slots',
      `${count(local?.slots ?? 0)} here${workers.length > 0 ? `, ${count(threads)} at ${plural(workers.length, 'worker')}` : ''}`
    ],
    ...(totals.seconds === 0
      ? []
      : [['all done', `in ${formatDuration(totals.seconds)}, ${minuteText(totals.done_at)}`] as const]),
    [
      'renewals',
      `every ${formatDuration(renewals.every_seconds)} of a lease of ${formatDuration(renewals.lease_seconds)}, ` +
        `${count(renewals.most)} at most: ${hoursText(renewals.core_seconds_a_year)} core-hours a year for ` +
        `${plural(renewals.names, 'name')}, ${shareText(renewals.share)} of the slots`
    ]
  ]
}

function problemLines({ bad_lines: bad, repeated_lines: repeated, warnings }: Plan, paint: Paint): string[] {
  return [
    ...bad.map(({ line, message }) => `${paint('red', `line ${line}:`)} ${printable(message)}`),
    ...repeated.map(({ line, name }) => `${paint('yellow', `line ${line}:`)} ${printable(name)} is there twice`),
    ...warnings.map(({ message }) => `${paint('yellow', 'warning:')} ${printable(message)}`)
  ]
}

/** In UTC, to the minute: a plan is no more exact. */
function minuteText(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')}Z`
}

export function hoursText(seconds: number): string {
  const hours = seconds / 3600
  return hours >= 1000 ? count(Math.round(hours)) : hours.toLocaleString('en', { maximumSignificantDigits: 3 })
}

function shareText(share: number): string {
  return share < 0.001 ? 'less than 0.1%' : `${(share * 100).toLocaleString('en', { maximumSignificantDigits: 3 })}%`
}
