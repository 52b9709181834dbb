/** The figures as a table of text. */
import type { Figure, Target, Unit } from './figure.ts'

export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    shown(figure.value, figure.unit),
    spreadOf(figure),
    targetOf(figure.target, figure.unit),
    verdict(figure)
  ])
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .flatMap((row, index) => {
      const { parts, reason } = figures[index]!
      const line = row
        .map((cell, column) => (column === 1 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
        .join('  ')
        .trimEnd()
      const names = Object.entries(parts).map(
        ([name, value]) => `${name} ${value.toLocaleString('en', { maximumSignificantDigits: 4 })}`
      )
      return [
        line,
        ...(names.length > 0 ? [`    ${names.join(', ')}`] : []),
        ...(reason === undefined ? [] : [`    not measured: ${reason}`])
      ]
    })
    .join('\n')
}

function spreadOf({ spread, unit }: Figure): string {
  return spread === null ? '' : `[${shown(spread[0], unit)} .. ${shown(spread[1], unit)}]`
}

function targetOf(target: Target | null, unit: Unit): string {
  if (target === null) return ''
  return 'at_least' in target ? `>= ${shown(target.at_least, unit)}` : `<= ${shown(target.at_most, unit)}`
}

function verdict({ met }: Figure): string {
  if (met === null) return ''
  return met ? 'met' : 'NOT MET'
}

function shown(value: number | null, unit: Unit): string {
  if (value === null) return '-'
  const digits = value.toLocaleString('en', { maximumSignificantDigits: 4 })
  return unit === 'ratio' ? `${digits} x` : `${digits} ${unit}`
}
