/** What a row of the table is: a measured figure beside its target. */
import type { Summary } from './statistics.ts'

export type Target = { at_least: number } | { at_most: number }
export type Unit = 'ratio' | '/s' | 's' | 'ms' | '%' | 'MiB'

export interface Figure {
  name: string
  unit: Unit
  /** Null when it could not be measured; `reason` says why. */
  value: number | null
  /** First and third quartile over the rounds; null for a single one. */
  spread: [number, number] | null
  target: Target | null
  /** Whether the value meets the target; null without either. */
  met: boolean | null
  reason?: string
  /** What the value is made of: medians of each side, by name with unit. */
  parts: Record<string, number>
}

type Known = Pick<Figure, 'name' | 'unit'> & { target?: Target; parts?: Record<string, number> }

export function measured(known: Known, { median, spread }: Summary, isSingle = false): Figure {
  const target = known.target ?? null
  return {
    name: known.name,
    unit: known.unit,
    value: rounded(median),
    spread: isSingle ? null : [rounded(spread[0]), rounded(spread[1])],
    target,
    met: target === null ? null : meets(median, target),
    parts: Object.fromEntries(Object.entries(known.parts ?? {}).map(([name, value]) => [name, rounded(value)]))
  }
}

export function unmeasured(known: Known, reason: string): Figure {
  return {
    name: known.name,
    unit: known.unit,
    value: null,
    spread: null,
    target: known.target ?? null,
    met: null,
    reason,
    parts: known.parts ?? {}
  }
}

function meets(value: number, target: Target): boolean {
  return 'at_least' in target ? value >= target.at_least : value <= target.at_most
}

/** Four digits: the noise is in the third or fourth. */
function rounded(value: number): number {
  return Number(value.toPrecision(4))
}
