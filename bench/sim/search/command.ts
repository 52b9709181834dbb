/** `npm run sim -- --search N` and `--replay-plan PLAN`: what they print, and their exit codes. */
import { play } from './play.ts'
import { parsePlan } from './plan.ts'
import { search, type SearchResult } from './search.ts'

/** Plans of each harm that the text shows. */
const SHOWN = 5

interface Printed {
  readonly text: string
  /** 1 where harm went beyond the limits, or an invariant was broken; 2 for text that is no plan. */
  readonly code: 0 | 1
}

export async function searchCommand(
  count: number,
  seed: string,
  isJson: boolean,
  onProgress: (share: number) => void
): Promise<Printed> {
  const result = await search(count, seed, onProgress)
  return { text: isJson ? JSON.stringify(result) : searchText(result), code: result.findings.length === 0 ? 0 : 1 }
}

/** Throws an Error that names cause and cure where the text is no plan. */
export async function replayPlan(text: string, isJson: boolean): Promise<Printed> {
  const { coverage, plan, ...played } = await play(parsePlan(text))
  const shown = { ...played, coverage: coverage.length, plan }
  return { text: JSON.stringify(shown, undefined, isJson ? 0 : 2), code: played.isFinding ? 1 : 0 }
}

export function searchText({ plans, seed, coverage, corpus, best, findings, coverageAfter }: SearchResult): string {
  const harms = [...new Set(best.map(({ harm }) => harm))]
  const lines = harms.flatMap((harm) => [
    `${harm}, by the fewest ids:`,
    ...best
      .filter((each) => each.harm === harm)
      .slice(0, SHOWN)
      .map(
        ({ ids, eurosADay, squarings, number, plan }) =>
          `  ${ids} ids, ${eurosADay.toFixed(2)} € a day, ${squarings / 1e6} Msq (plan ${number}, ` +
          `${plan.steps.length} steps): ${plan.steps.map(({ do: what, at }) => `${what}@${at}`).join(' ')}`
      )
  ])
  const found = findings.flatMap(({ what, number, played, plan }) => [
    `FOUND: ${what}, where the rules allow "${played.allowed}" (--seed ${seed}, plan ${number})`,
    ...played.violations.slice(0, 3).map(({ rule, detail, day }) => `  ${rule}, day ${day.toFixed(1)}: ${detail}`),
    `  npm run sim -- --replay-plan '${JSON.stringify(plan)}'`
  ])
  return [
    `${plans} plans from --seed ${seed}: ${coverage} kinds of decisions, ${corpus} plans kept, ` +
      `${findings.length} findings`,
    `kinds after plans: ${coverageAfter.map((each) => `${each.kinds} after ${each.plans}`).join(', ')}`,
    ...lines,
    ...found
  ].join('\n')
}
