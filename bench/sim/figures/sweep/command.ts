/** npm run sim -- --figures DIRECTORY: what each attack on a name costs, by nodes, as a page and a plot. */
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runBatch, type BatchOptions } from '../batch/batch.ts'
import { curves } from './curves.ts'
import { GOALS } from './goals.ts'
import { page } from './page.ts'
import { largerJobs, median, rowOf, sweepJobs, type SweepOptions } from './sweep.ts'

/** Writes figures.md and keys.svg. Throws an Error where the directory does not exist. */
export async function writeFigures(directory: string, options: SweepOptions, batch: BatchOptions): Promise<void> {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Error(`--figures: ${directory} is no directory: make it first`)
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
