/** What `doctor` and `self-check` find, and how they show it. */
import { printable } from './terminal/format.ts'
import type { Paint } from './terminal/output.ts'
import { toFailure } from './to-failure.ts'

export interface Finding {
  name: string
  state: 'ok' | 'warning' | 'failed'
  detail: string
  cure?: string
}

const MARKS = { ok: ['green', 'ok  '], warning: ['yellow', 'warn'], failed: ['red', 'FAIL'] } as const

export function failed(name: string, error: unknown): Finding {
  const { message, cure } = toFailure(error)
  return { name, state: 'failed', detail: message, ...(cure === undefined ? {} : { cure }) }
}

export function isHealthy(findings: readonly Finding[]): boolean {
  return findings.every(({ state }) => state !== 'failed')
}

export function findingLine(finding: Finding, paint: Paint): string {
  const [style, mark] = MARKS[finding.state]
  return (
    `${paint(style, mark)}  ${finding.name.padEnd(8)}  ` +
    `${printable(finding.detail)}${finding.cure === undefined ? '' : `\n                ${finding.cure}`}`
  )
}
