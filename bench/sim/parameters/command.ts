/** `npm run sim -- --parameter NAME`: the moves that decide a parameter, run with the profile changed. */
import { parseProfile, type NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import { MOVES } from '../moves/index.ts'
import { run, type RunOptions, type RunResult, type Sights } from '../run.ts'
import { SIM_PROFILE } from '../world.ts'
import { RUNS } from './registry.ts'

export interface ParameterRow {
  readonly value: number
  readonly isChosen: boolean
  readonly result: RunResult
}

/** @throws Error where the profile is none with that value */
export function changedProfile(name: string, value: number): NetworkProfile {
  return parseProfile({ ...SIM_PROFILE, [name]: value })
}

export async function runParameter(
  name: string,
  values: readonly number[],
  options: Omit<RunOptions, 'move' | 'profile'>
): Promise<ParameterRow[]> {
  const profiles = values.map((value) => ({ value, profile: changedProfile(name, value) }))
  const rows: ParameterRow[] = []
  for (const id of RUNS[name]?.moves ?? []) {
    const move = MOVES.find((each) => each.id === id)
    for (const { value, profile } of profiles) {
      const result = await run({ ...options, profile, ...(move !== undefined && { move }) })
      rows.push({ value, isChosen: value === (SIM_PROFILE as unknown as Record<string, unknown>)[name], result })
    }
  }
  return rows
}

const COLUMNS = ['value', 'move', 'ids', 'harm', 'unpinned', 'pinned', 'holders wrong', 'registered', 'honest MB']

export function parameterTable(rows: readonly ParameterRow[]): string {
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
  return [COLUMNS, COLUMNS.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function sights({ right, wrong, contested, missing }: Sights): string {
  return `${right}/${wrong}/${contested}/${missing}`
}
