/** The clocks of half of the honest nodes are off, by minutes to a year, when five ids come for a name. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../world/world.ts'
import { move as liars } from '../names/five-lying-neighbours.ts'
import type { Move } from '../move.ts'

const OFF_MS = [-2 * HOUR_MS, -5 * MINUTE_MS, 5 * MINUTE_MS, 2 * HOUR_MS, 30 * DAY_MS, 365 * DAY_MS]

export const move: Move = {
  ...liars,
  id: 'clocks-off-among-liars',
  attacks: [],
  isAlone: true,
  async run(stage) {
    const { world } = stage
    const random = world.random('clocks')
    for (const node of world.topology.all()) if (random.next() < 0.5) node.setClock(random.pick(OFF_MS))
    await liars.run(stage)
  }
}
