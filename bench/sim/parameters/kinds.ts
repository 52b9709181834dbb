/** What can show what a value of a parameter does: moves, a table, or a bench. */
import { parseProfile, type NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in-profiles.ts'
import { SIM_PROFILE } from '../world.ts'

/** A parameter's value: a number or an object, as the profile has it. */
export type Value = number | Readonly<Record<string, unknown>>

/** Moves of the simulator, each with each value. */
export interface MovesRun {
  readonly kind: 'moves'
  /** Moves by name; `none` is a network in peace. */
  readonly moves: readonly string[]
  readonly values: readonly number[]
}

export interface TableOptions {
  readonly seed: string
  /** Honest nodes, where the table runs a network. */
  readonly nodes: number
}

/** Figures of the rules' own functions, of owners' lives, or of small networks with trouble of their own. */
export interface TableRun {
  readonly kind: 'table'
  readonly values: readonly Value[]
  /** The value comes first, in a column of its own. */
  readonly columns: readonly string[]
  /** Cells behind the value. */
  readonly row: (profile: NetworkProfile, options: TableOptions) => readonly string[] | Promise<readonly string[]>
}

/** Figures of a bench of the project. */
export interface BenchRun {
  readonly kind: 'bench'
  readonly command: string
  /** Where its figures are: a file of the repository, with the section. */
  readonly figures: string
  /** What they say of the value. */
  readonly says: string
}

export type ParameterRun = MovesRun | TableRun | BenchRun

/** @throws Error where the profile is none with that value */
export function changedProfile(name: string, value: Value): NetworkProfile {
  return parseProfile({ ...SIM_PROFILE, [name]: value })
}

/** The value of network `main`: the simulator's own has no stamps to search for. */
export function chosen(name: string): unknown {
  return (builtInProfiles.main as unknown as Record<string, unknown>)[name]
}

export function isChosen(name: string, value: Value): boolean {
  return JSON.stringify(value) === JSON.stringify(chosen(name))
}

/** Of an object, the numbers that differ among the values. */
export function valueText(name: string, value: Value, values: readonly Value[]): string {
  const text = typeof value === 'number' ? `${value}` : differing(value, values)
  return isChosen(name, value) ? `**${text}**` : text
}

function differing(value: Readonly<Record<string, unknown>>, values: readonly Value[]): string {
  return Object.entries(value)
    .filter(([key, part]) => values.some((other) => typeof other !== 'number' && other[key] !== part))
    .map(([key, part]) => `${key} ${part as number}`)
    .join(', ')
}

export function tableText(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, columns.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
