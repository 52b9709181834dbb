/**
 * Searches for harm: draws plans, and changes and mixes those that reached decisions that no plan before them reached,
 * or that do more harm for less.
 */
import { Random } from '../world/random.ts'
import { ORDER } from '../figures/harm.ts'
import type { Harm } from '../moves/move.ts'
import { crossed, drawPlan, mutated } from './draw.ts'
import { type Plan, parsePlan } from './plan.ts'
import { type Played, play } from './play.ts'
import { shrinkPlan } from './shrink.ts'

/** Of the plans, the share that owes nothing to the corpus. */
const NEW_SHARE = 0.25
const CROSSED_SHARE = 0.25
const MAX_CORPUS = 400

interface Best {
  readonly harm: Harm
  readonly ids: number
  readonly eurosADay: number
  readonly squarings: number
  readonly plan: Plan
  readonly number: number
}

export interface Finding {
  readonly what: string
  readonly number: number
  readonly played: Played
  /** The smallest plan found that does the same. */
  readonly plan: Plan
}

interface SearchResult {
  readonly plans: number
  readonly seed: string
  /** Kinds of decisions that were reached, and after how many plans each new one came. */
  readonly coverage: number
  readonly coverageAfter: readonly { readonly plans: number; readonly kinds: number }[]
  readonly corpus: number
  readonly best: readonly Best[]
  readonly findings: readonly Finding[]
}

interface SearchOptions {
  readonly onProgress?: (share: number) => void
  /** Each finding as it comes, or comes cheaper: not yet shrunk. */
  readonly onFinding?: (what: string, plan: Plan) => void
}

export async function search(
  count: number,
  seed: string,
  { onProgress, onFinding }: SearchOptions = {}
): Promise<SearchResult> {
  const random = new Random(`search ${seed}`)
  const covered = new Set<string>()
  const coverageAfter: { plans: number; kinds: number }[] = []
  const corpus: Played[] = []
  const best = new Map<string, Best>()
  const found = new Map<string, { number: number; played: Played }>()
  for (let number = 0; number < count; number++) {
    onProgress?.(number / count)
    const plan = nextPlan(`${seed}.${number}`, corpus, random)
    const played = await play(plan)
    const fresh = played.coverage.filter((kind) => !covered.has(kind))
    for (const kind of fresh) covered.add(kind)
    if (isKept(played, fresh.length, corpus)) keep(corpus, played)
    noteBest(best, played, number)
    if (played.isFinding) {
      const what = nameOf(played)
      const former = found.get(what)
      if (former === undefined || costOf(played) < costOf(former.played)) {
        found.set(what, { number, played })
        onFinding?.(what, played.plan)
      }
    }
    if ((number + 1) % Math.max(1, Math.floor(count / 10)) === 0)
      coverageAfter.push({ plans: number + 1, kinds: covered.size })
  }
  const findings: Finding[] = []
  for (const [what, { number, played }] of found) {
    const isStill = async (smaller: Plan): Promise<boolean> => {
      const again = await play(smaller)
      return again.isFinding && nameOf(again).split(',')[0] === what.split(',')[0]
    }
    findings.push({ what, number, played, plan: await shrinkPlan(played.plan, isStill) })
  }
  return {
    plans: count,
    seed,
    coverage: covered.size,
    coverageAfter,
    corpus: corpus.length,
    best: [...best.values()].sort((left, right) => order(left) - order(right)),
    findings
  }
}

function nextPlan(seed: string, corpus: readonly Played[], random: Random): Plan {
  const draw = random.next()
  if (corpus.length === 0 || draw < NEW_SHARE) return drawPlan(seed, random)
  const parent = pickOf(corpus, random)
  return draw < NEW_SHARE + CROSSED_SHARE
    ? crossed(parent, pickOf(corpus, random), seed, random)
    : mutated(parent, seed, random)
}

/** One of two at random: the one that does more harm for less. */
function pickOf(corpus: readonly Played[], random: Random): Plan {
  const [one, two] = [random.pick(corpus), random.pick(corpus)]
  return (fitness(one) > fitness(two) ? one : two).plan
}

/** Harm beyond the limits first, then how much of what they allow is reached, then what it costs. */
function fitness(played: Played): number {
  return played.score - ORDER.indexOf(played.allowed) + (played.isFinding ? 1 : 0) - costOf(played) / 10
}

/** Ids, and a little for each step and VDF. */
function costOf({ spending, plan }: Played): number {
  return spending.ids + plan.steps.length / 10 + spending.squarings / 6e10
}

function isKept(played: Played, fresh: number, corpus: readonly Played[]): boolean {
  if (fresh > 0) return true
  return played.score > 0 && corpus.filter((other) => fitness(other) >= fitness(played)).length < 20
}

function keep(corpus: Played[], played: Played): void {
  corpus.push(played)
  if (corpus.length <= MAX_CORPUS) return
  const worst = corpus.reduce((low, each) => (fitness(each) < fitness(low) ? each : low))
  corpus.splice(corpus.indexOf(worst), 1)
}

/** What was found: the harm, by how many ids that count, and the invariants. */
function nameOf({ harm, allowed, violations, diverseIds }: Played): string {
  const rules = [...new Set(violations.map(({ rule }) => rule))].sort().join(' ')
  const ids = diverseIds < 5 ? 'fewer than 5' : diverseIds < 10 ? '5 to 9' : '10 or more'
  return harm === allowed ? `${rules} by ${ids} ids` : `${harm} by ${ids} ids${rules === '' ? '' : `, ${rules}`}`
}

function noteBest(best: Map<string, Best>, played: Played, number: number): void {
  const { harm, spending, plan } = played
  if (harm === 'harmless') return
  const { ids, eurosADay, squarings } = spending
  const cost = `${harm} ${ids}`
  const former = best.get(cost)
  if (former !== undefined && former.plan.steps.length <= plan.steps.length) return
  best.set(cost, { harm, ids, eurosADay, squarings, plan, number })
}

function order({ harm, ids }: Best): number {
  return { taken: 0, unpinned: 1_000, censored: 2_000, harmless: 3_000 }[harm] + ids
}

/** Plans of each harm that the text shows. */
const SHOWN = 5

interface Printed {
  readonly text: string
  /** 1 where harm went beyond the limits, or an invariant was broken; 2 for text that is not a plan. */
  readonly code: 0 | 1
}

export async function searchCommand(
  count: number,
  seed: string,
  isJson: boolean,
  options: SearchOptions
): Promise<Printed> {
  const result = await search(count, seed, options)
  return { text: isJson ? JSON.stringify(result) : searchText(result), code: result.findings.length === 0 ? 0 : 1 }
}

/** Throws an Error that names cause and cure where the text is not a plan. */
export async function replayPlan(text: string, isJson: boolean): Promise<Printed> {
  const { coverage, plan, ...played } = await play(parsePlan(text))
  const shown = { ...played, coverage: coverage.length, plan }
  return { text: JSON.stringify(shown, undefined, isJson ? 0 : 2), code: played.isFinding ? 1 : 0 }
}

function searchText({ plans, seed, coverage, corpus, best, findings, coverageAfter }: SearchResult): string {
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
    `  npm run lab:sim -- --replay-plan '${JSON.stringify(plan)}'`
  ])
  return [
    `${plans} plans from --seed ${seed}: ${coverage} kinds of decisions, ${corpus} plans kept, ` +
      `${findings.length} findings`,
    `kinds after plans: ${coverageAfter.map((each) => `${each.kinds} after ${each.plans}`).join(', ')}`,
    ...lines,
    ...found
  ].join('\n')
}
