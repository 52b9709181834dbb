/** What `doctor` and `self-check` find, and how they show it. */
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../failures/failure.ts'
import { plural } from '../../util/words.ts'
import { VERSION } from '../../version.ts'
import { printable } from '../terminal/format.ts'
import type { Paint } from '../terminal/output.ts'
import { toFailure } from '../failures/to-failure.ts'

export interface Finding<Name = string> {
  name: Name
  state: 'ok' | 'warning' | 'failed'
  detail: string
  cure?: string | undefined
}

const finder =
  (state: Finding['state']) =>
  <Name extends string>(name: Name, detail: string, cure?: string): Finding<Name> => ({
    name,
    state,
    detail,
    ...(cure !== undefined && { cure })
  })
export const ok = finder('ok')
export const warning = finder('warning')
export const problem = finder('failed')

/** Always ok: main.ts starts no command on a Node that is too old. */
export const nodeFinding = (): Finding => ok('node', `Node ${process.versions.node}, chronym ${VERSION}`)

const MARKS = { ok: ['green', 'ok  '], warning: ['yellow', 'warn'], failed: ['red', 'FAIL'] } as const

export function failed(name: string, error: unknown): Finding {
  const { message, cure } = toFailure(error)
  return problem(name, message, cure)
}

/** Prints all, then what `after` adds; programs get `rest` as well. The exit code says whether all is well. */
export function report(
  { output }: Context,
  findings: readonly Finding[],
  rest: object = {},
  after: (paint: Paint) => readonly string[] = () => []
): ExitCode {
  const healthy = findings.every(({ state }) => state !== 'failed')
  output.answer({ healthy, checks: findings, ...rest }, (paint) =>
    [...findings.map((finding) => output.commands(findingLine(finding, paint))), ...after(paint)].join('\n')
  )
  return healthy ? EXIT.ok : EXIT.negative
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
