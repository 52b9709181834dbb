/** What `doctor` and `self-check` find, and how they show it. */
import { EXIT } from '../failures/failure.ts'
import { plural } from '../../util/words.ts'
import { printable } from '../terminal/format.ts'
import type { Paint } from '../terminal/output.ts'
import { toFailure } from '../failures/to-failure.ts'

export interface Finding {
  name: string
  state: 'ok' | 'warning' | 'failed'
  detail: string
  cure?: string
}

export const ok = (name: string, detail: string, cure?: string): Finding => finding(name, 'ok', detail, cure)
export const warning = (name: string, detail: string, cure?: string): Finding => finding(name, 'warning', detail, cure)
export const problem = (name: string, detail: string, cure?: string): Finding => finding(name, 'failed', detail, cure)

function finding(name: string, state: Finding['state'], detail: string, cure: string | undefined): Finding {
  return { name, state, detail, ...(cure === undefined ? {} : { cure }) }
}

const MARKS = { ok: ['green', 'ok  '], warning: ['yellow', 'warn'], failed: ['red', 'FAIL'] } as const

export function failed(name: string, error: unknown): Finding {
  const { message, cure } = toFailure(error)
  return problem(name, message, cure)
}

export function isHealthy(findings: readonly Finding[]): boolean {
  return findings.every(({ state }) => state !== 'failed')
}

/** The last line of a report: whether all is well, and the exit code that says so. */
export function verdictLine(findings: readonly Finding[], paint: Paint): string {
  const count = (state: Finding['state']): number => findings.filter((each) => each.state === state).length
  const [problems, warnings] = [count('failed'), count('warning')]
  if (problems + warnings === 0) return `${paint('green', 'all well')}; exit code ${EXIT.ok}`
  const said = [
    problems === 0 ? 'no problems' : plural(problems, 'problem'),
    ...(warnings === 0 ? [] : [plural(warnings, 'warning')])
  ].join(', ')
  return `${paint(problems > 0 ? 'red' : 'yellow', said)}; exit code ${problems > 0 ? EXIT.negative : EXIT.ok}`
}

export function findingLine(finding: Finding, paint: Paint): string {
  const [style, mark] = MARKS[finding.state]
  return (
    `${paint(style, mark)}  ${finding.name.padEnd(8)}  ` +
    `${printable(finding.detail)}${finding.cure === undefined ? '' : `\n                ${finding.cure}`}`
  )
}
