/** `npm run sim -- --trial age`: what a first-time resolver sees by each rule of ages. */
import { AGE_RULES } from './rules.ts'
import type { AgeResult } from './run.ts'

const CHAINS = ['anybody', 'named'] as const

const COLUMNS = ['attack', 'ids', '€/day', 'core-days', ...AGE_RULES.slice(0, 1)]
const LATER = CHAINS.flatMap((chains) => AGE_RULES.slice(1).map((rule) => ({ chains, rule })))

export function ageTable(results: readonly AgeResult[]): string {
  const rows = results.map(({ attack, eurosADay, seen }) => [
    attack.id,
    `${attack.ids}`,
    eurosADay.toFixed(2),
    attack.coreDays.toFixed(0),
    seen.named.today,
    ...LATER.map(({ chains, rule }) => seen[chains][rule])
  ])
  const titles = [...COLUMNS, ...LATER.map(({ chains, rule }) => `${rule}, ${chains}`)]
  return [titles, titles.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
