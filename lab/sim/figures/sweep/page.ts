/** lab/reports/simulator/figures.md: a table for each goal, and one of what the network itself takes. */
import type { Sights } from '../harm.ts'
import type { RunResult } from '../run.ts'
import { GOALS, curves } from './goals.ts'
import { type Row, type SweepOptions, largerJobs, median, rowOf, sweepJobs } from './sweep.ts'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BatchOptions, runBatch } from '../batch/batch.ts'

const number = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 })

/** Median, and least to most where they differ. */
function spread(results: readonly RunResult[], of: (result: RunResult) => number): string {
  const values = results.map(of)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return least === most ? number(least) : `${number(median(values))} (${number(least)} to ${number(most)})`
}

/** right/wrong/contested/missing of all seeds together. */
function sights(results: readonly RunResult[], of: (result: RunResult) => Sights): string {
  const sum = (kind: keyof Sights): number => results.reduce((total, each) => total + of(each)[kind], 0)
  return [sum('right'), sum('wrong'), sum('contested'), sum('missing')].join('/')
}

/** Of the honest ones among those nearest, of all seeds together. */
function holdersWrong(results: readonly RunResult[]): string {
  const sum = (kind: 'wrong' | 'of'): number => results.reduce((total, { holders }) => total + holders[kind], 0)
  return `${sum('wrong')} of ${sum('of')}`
}

const COLUMNS: readonly (readonly [string, (row: Row) => string])[] = [
  ['N', ({ nodes }) => number(nodes)],
  ['move', ({ move }) => move],
  [
    'least ids',
    ({ leastIds, results }) => (leastIds === undefined ? `none to ${results[0]!.attacker.ids}` : `${leastIds}`)
  ],
  ['/24', ({ results }) => spread(results, ({ attacker }) => attacker.prefixes)],
  ['/16', ({ results }) => spread(results, ({ attacker }) => attacker.widePrefixes)],
  ['€ a day', ({ results }) => spread(results, ({ attacker }) => attacker.eurosADay)],
  ['keys tried', ({ results }) => spread(results, ({ attacker }) => attacker.triedKeys)],
  ['million squarings', ({ results }) => spread(results, ({ attacker }) => attacker.squarings / 1e6)],
  ['unpinned', ({ results }) => sights(results, ({ unpinned }) => unpinned)],
  ['pinned', ({ results }) => sights(results, ({ pinned }) => pinned)],
  ['honest holders wrong', ({ results }) => holdersWrong(results)],
  ['node-hours', ({ results }) => spread(results, ({ wrongNodeHours }) => wrongNodeHours)]
]

export function page(options: SweepOptions, results: readonly RunResult[]): string {
  const goals = GOALS.flatMap((goal) => [
    `## ${goal.title}`,
    '',
    `${goal.attempts.map(({ move, ids }) => `\`${move}\` with ${ids.join(', ')} ids`).join('; ')}.`,
    '',
    ...markdown(
      COLUMNS,
      options.nodes.map((nodes) => rowOf(goal, nodes, results))
    ),
    ''
  ])
  const network: readonly (readonly [string, (nodes: number) => string])[] = [
    ['N', number],
    ['bytes of a node a day', (nodes) => spread(ofNetwork(nodes, results), ({ honest }) => honest.bytesOfANodeADay)],
    ['hops of a look-up', (nodes) => spread(ofNetwork(nodes, results), ({ hopsOfALookUp }) => hopsOfALookUp)],
    [
      'honest holders of N',
      (nodes) => spread(ofNetwork(nodes, results), ({ holders }) => (holders.of / nodes) * 100) + '%'
    ]
  ]
  return [
    '# Figures of the simulator',
    '',
    'A command writes this page and its plot. Edit neither by hand:',
    '',
    '```sh',
    command(options),
    '```',
    '',
    'Each table has the move that reaches the goal with the least ids. Networks of more than 10,000 nodes are attacked with',
    'that number and the next lower one of the largest swept size, since a run takes minutes there.',
    '',
    'Cells hold the median of the seeds, with the least and the most in brackets. `unpinned` and `pinned` are the looks of',
    'all seeds together, as right/wrong/contested/missing. Where no number of ids reaches the goal, the row shows the most',
    'ids tried. Where the ids leave no honest holder among the nearest, `honest holders wrong` is 0 of 0: no count of holders',
    'then tells of a theft, and the looks do. [simulator.md](../simulator.md) tells what is modelled.',
    '',
    '![Keys tried, by nodes](keys.svg)',
    '',
    ...goals,
    '## What a name takes of the network',
    '',
    'One name under `eclipse-settled` with 11 ids. [simulator.md](../simulator.md#what-is-real-and-what-is-modelled) tells',
    'where the hops come from.',
    '',
    ...markdown(network, options.nodes),
    ''
  ].join('\n')
}

export function command({ nodes, seeds, days }: SweepOptions): string {
  return `npm run lab:sim -- --figures lab/reports/simulator --nodes ${nodes.join(',')} --days ${days} --seed ${seeds.join(',')}`
}

/** The runs that stand for the network: eleven ids at its edge move neither its traffic nor its hops. */
function ofNetwork(nodes: number, results: readonly RunResult[]): RunResult[] {
  return results.filter((each) => each.nodes === nodes && each.move === 'eclipse-settled' && each.attacker.ids === 11)
}

function markdown<T>(columns: readonly (readonly [string, (item: T) => string])[], items: readonly T[]): string[] {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    row(columns.map(([title]) => title)),
    `|${'---|'.repeat(columns.length)}`,
    ...items.map((item) => row(columns.map(([, cell]) => cell(item))))
  ]
}

/** Writes figures.md and keys.svg. Throws an Error where the directory does not exist. */
export async function writeFigures(directory: string, options: SweepOptions, batch: BatchOptions): Promise<void> {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Error(`--figures: ${directory} is not a directory: make it first`)
  const swept = await runBatch(sweepJobs(options), batch)
  const results = [...swept, ...(await runBatch(largerJobs(options, swept), batch))]
  const plotted = GOALS.map((goal) => ({
    title: goal.id,
    points: options.nodes
      .map((nodes) => rowOf(goal, nodes, results))
      .filter(({ leastIds }) => leastIds !== undefined)
      .map((row) => ({ x: row.nodes, y: median(row.results.map(({ attacker }) => attacker.triedKeys)) }))
  })).filter(({ points }) => points.length > 0)
  writeFileSync(join(directory, 'figures.md'), page(options, results))
  writeFileSync(
    join(directory, 'keys.svg'),
    curves('Keys tried for the least ids that reach a goal, by nodes', plotted)
  )
}
