/** What resolvers without a pin see of a settled name, over the attacker's ids: docs/simulator/eclipse.svg. */
import type { Move } from '../moves/move.ts'
import { bars } from './svg.ts'
import { run, type RunOptions } from './run.ts'

const COLOURS = { right: '#2a7f3f', wrong: '#b3261e', contested: '#d9a406', missing: '#9aa0a6' }
const IDS = [5, 7, 8, 9, 10, 11, 12]

export async function plotEclipse(options: Omit<RunOptions, 'move' | 'ids'>, move: Move): Promise<string> {
  const list = []
  for (const ids of IDS) {
    const { unpinned } = await run({ ...options, move, ids })
    const looks = unpinned.right + unpinned.wrong + unpinned.contested + unpinned.missing
    list.push({
      label: `${ids}`,
      parts: (['right', 'wrong', 'contested', 'missing'] as const).map((kind) => ({
        share: unpinned[kind] / Math.max(1, looks),
        colour: COLOURS[kind]
      }))
    })
  }
  return bars(
    `A settled name at resolvers without a pin, by ids of the attacker (${options.nodes} nodes)`,
    list,
    Object.entries(COLOURS)
  )
}
