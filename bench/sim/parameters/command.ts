/** `npm run sim -- --parameter NAME`: what shows a parameter's values, run with the profile changed. */
import { MOVES } from '../moves/index.ts'
import { run, type RunOptions, type RunResult, type Sights } from '../run.ts'
import { changedProfile, isChosen, tableText, valueText, type MovesRun, type TableRun, type Value } from './kinds.ts'
import { RUNS } from './registry.ts'

export type ParameterOptions = Omit<RunOptions, 'move' | 'profile'>

export interface ParameterRow {
  readonly value: number
  readonly isChosen: boolean
  readonly result: RunResult
}

/** What one run of a parameter showed: results of moves, cells of a table, or the bench that shows it. */
export type Shown =
  | { readonly kind: 'moves'; readonly rows: readonly ParameterRow[] }
  | { readonly kind: 'table'; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'bench'; readonly command: string; readonly figures: string; readonly says: string }

/**
 * @param numbers in place of the values of each run, where these are numbers
 * @throws Error where a network's profile refuses a value
 */
export async function runParameter(
  name: string,
  options: ParameterOptions,
  numbers?: readonly number[]
): Promise<Shown[]> {
  const shown: Shown[] = []
  for (const each of RUNS[name] ?? []) {
    if (each.kind === 'bench') shown.push(each)
    else if (each.kind === 'moves') shown.push({ kind: 'moves', rows: await movesRows(name, each, options, numbers) })
    else shown.push({ kind: 'table', columns: each.columns, rows: await tableRows(name, each, options, numbers) })
  }
  return shown
}

/** Whether `--values` may replace those of a parameter. */
export function hasNumbers(name: string): boolean {
  return (RUNS[name] ?? []).some(
    (each) => each.kind !== 'bench' && each.values.every((value) => typeof value === 'number')
  )
}

async function movesRows(
  name: string,
  { moves, values }: MovesRun,
  options: ParameterOptions,
  numbers: readonly number[] = values
): Promise<ParameterRow[]> {
  const profiles = numbers.map((value) => ({ value, profile: changedProfile(name, value) }))
  const rows: ParameterRow[] = []
  for (const id of moves) {
    const move = MOVES.find((each) => each.id === id)
    for (const { value, profile } of profiles) {
      const result = await run({ ...options, profile, ...(move !== undefined && { move }) })
      rows.push({ value, isChosen: isChosen(name, value), result })
    }
  }
  return rows
}

async function tableRows(
  name: string,
  { values, row }: TableRun,
  options: ParameterOptions,
  numbers?: readonly number[]
): Promise<string[][]> {
  const own: readonly Value[] = numbers ?? values
  const profiles = own.map((value) => changedProfile(name, value))
  const rows: string[][] = []
  for (const [index, profile] of profiles.entries())
    rows.push([valueText(name, own[index]!, own), ...(await row(profile, options))])
  return rows
}

export function parameterText(shown: readonly Shown[]): string {
  return shown.map(textOf).join('\n\n')
}

function textOf(shown: Shown): string {
  if (shown.kind === 'moves') return parameterTable(shown.rows)
  if (shown.kind === 'table') return tableText(['value', ...shown.columns], shown.rows)
  return `${shown.command}\n${shown.figures}: ${shown.says}`
}

const COLUMNS = ['value', 'move', 'ids', 'harm', 'unpinned', 'pinned', 'holders wrong', 'registered', 'honest MB']

function parameterTable(rows: readonly ParameterRow[]): string {
  const cells = rows.map(
    ({ value, isChosen, result: { move, attacker, harm, unpinned, pinned, holders, names, honest } }) => [
      isChosen ? `**${value}**` : `${value}`,
      move,
      `${attacker.ids}`,
      harm,
      sights(unpinned),
      sights(pinned),
      `${holders.wrong}/${holders.of}`,
      `${names.registered}/${names.of}`,
      (honest.bytes / 1e6).toFixed(2)
    ]
  )
  return tableText(COLUMNS, cells)
}

function sights({ right, wrong, contested, missing }: Sights): string {
  return `${right}/${wrong}/${contested}/${missing}`
}
